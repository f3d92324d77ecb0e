// Writes the keyword tables in docs/language.md.
import { type Keyword, type Table } from "../src/playbook/keywords/keyword.ts";
import { PLAYBOOK } from "../src/playbook/keywords/playbook.ts";
import { STEP, STEP_KINDS } from "../src/playbook/keywords/step.ts";
import { table } from "./pages.ts";

const BEGIN = "<!-- Keywords: made by `npm run generate`. Do not edit. -->";
const END = "<!-- End of keywords. -->";

/** Returns the page with its current keyword tables. */
export function withKeywords(page: string): string {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error("docs/language.md has no place for its keywords");
  return [page.slice(0, start) + BEGIN, "", ...sections().flat(), page.slice(end)].join("\n");
}

function sections(): readonly (readonly string[])[] {
  const found = new Map<Table, string>([[PLAYBOOK, "a playbook"]]);
  for (const [keywords, owner] of found) {
    for (const [name, { each, inside }] of Object.entries(keywords)) {
      if (each !== undefined && !found.has(each())) found.set(each(), ITEMS[name] ?? `each of \`${name}\``);
      const alike = Object.keys(keywords).filter((other) => keywords[other]?.inside?.() === inside?.());
      const names = alike.map((other) => `\`${other}\``).join(" and ");
      if (inside !== undefined && !found.has(inside())) found.set(inside(), `${names} of ${owner.replace(/ of .*/, "")}`);
    }
  }
  return Array.from(found, ([keywords, title]) => [
    `### ${title.replace(/^./, (letter) => letter.toUpperCase())}`,
    "",
    ...rowsOf(keywords),
    "",
  ]);
}

const ITEMS: Readonly<Record<string, string>> = {
  steps: "a step",
  inputs: "an input",
  checks: "a check",
  reconcile: "a comparison",
};

function rowsOf(keywords: Table): readonly string[] {
  const rows = Object.entries(keywords);
  const edited = rows.every(([, { edit }]) => edit !== undefined);
  return table(
    ["keyword", "value", "default", "meaning", ...(edited ? ["after an edit, a run that has done it"] : [])],
    rows.map(([name, keyword]) => [
      `\`${name}\`${keyword.required === true ? " *" : ""}`,
      valueOf(keyword.schema),
      keyword.default === undefined ? "" : `\`${keyword.default}\``,
      meaningOf(name, keyword, keywords),
      ...(edited ? [keyword.edit === "conflict" ? "cannot resume" : "resumes"] : []),
    ]),
  );
}

function meaningOf(name: string, { schema, only, needs, excludedBy }: Keyword, keywords: Table): string {
  const { description = "" } = schema as { readonly description?: string };
  const kinds = Object.entries(STEP_KINDS).flatMap(([kind, of]) => (Object.hasOwn(of, name) ? [KINDS[kind] ?? ""] : []));
  const notes = [
    keywords === STEP && kinds.length < 3 ? `For ${kinds.join(" and ")}.` : "",
    only === undefined || kinds.includes("blocks") ? "" : `For ${only} only.`,
    needs === undefined
      ? ""
      : `${needs.of === "reads" ? "In a read it needs" : "Needs"} \`${needs.keyword}${needs.is === undefined ? "" : `: ${needs.is}`}\`.`,
    excludedBy === undefined ? "" : `Not with \`${excludedBy.keyword}\`.`,
  ];
  return [description.replace(/; \S+, when left out\./, ".").replace(/ A number and a unit:.*$/, ""), ...notes]
    .filter(Boolean)
    .join(" ");
}

const KINDS: Readonly<Record<string, string>> = { call: "calls", block: "blocks", include: "playbooks that a step runs" };

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
}

function valueOf({ type, enum: choices, const: only, pattern, minimum, maximum, anyOf }: Schema): string {
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(", ");
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (anyOf !== undefined) return [...new Set(anyOf.map(valueOf))].join(" or ");
  if (pattern?.includes("ms|s|m|h|d") === true) return "duration";
  const words = [type ?? "any"].flat().map((each) => TYPES[each] ?? each);
  const bounds = [minimum === undefined ? "" : `from ${minimum}`, maximum === undefined ? "" : `to ${maximum}`];
  return [words.join(" or "), ...bounds].filter(Boolean).join(" ");
}

const TYPES: Readonly<Record<string, string>> = { string: "text", array: "list", object: "map", integer: "whole number" };
