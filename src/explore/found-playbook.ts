import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, writeJson, textOrJson } from "../base/json/json.ts";
import { type Operation, operationNamed } from "../operations/operation.ts";
import { asNode, listOf, mapOf, onOneLine, writeDocument, type WrittenField } from "../source/write-yaml.ts";
import type { AnswerDifference } from "./compare.ts";
import type { Wrong } from "./play.ts";
import type { FoundWrong, Repeated } from "./shorten.ts";
import { ACTORS, type ExploredStep, type LedgerOperation, userOf } from "./step.ts";

/** What is wrong: the call, and the sentence of the description that it breaks. */
export interface Breach {
  /** What the service does wrong, in one sentence. */
  readonly what: string;
  /** The operation that breaks the description. */
  readonly uses: string;
  /** The section of the service description, such as `B.4`. */
  readonly section: string;
  /** The sentence of that section that names most of what is wrong. */
  readonly sentence: string;
}

// Which rows belong to this run, in lists to which others write too.
const OWN_ROWS: { readonly [Name in LedgerOperation]?: string } = {
  "ledger.asset.list": "r.id.contains(run.key)",
  "ledger.token.list": "r.name.contains(run.key)",
  "ledger.vault.list": "r.name.contains(run.key)",
  "ledger.transfer.mine": "r.data.metadata.id.exists(i, i.contains(run.key))",
  "ledger.transfer.queue": "r.data.metadata.id.exists(i, i.contains(run.key))",
};

/** Describes what a finding shows about the service. */
export function breachOf({ steps, wrong }: FoundWrong): Breach {
  const last = steps.at(-1);
  const read = operationNamed(last?.uses ?? "");
  const listed = wrong.kind === "differs" && Array.isArray(wrong.difference.expected) && read.call.paging !== undefined;
  // Without the last write, the answer would be right.
  const writes = steps.map(({ uses }) => operationNamed(uses)).filter((operation) => operation.writes);
  const culprit = wrong.kind === "accepted" || listed ? read : (writes.at(-1) ?? read);
  const { section } = culprit.call;
  return {
    what: whatIsWrong(read.name, wrong),
    uses: culprit.name,
    section,
    sentence: sentenceOf(culprit, wordsOf(wrong)),
  };
}

function whatIsWrong(name: string, wrong: Wrong): string {
  switch (wrong.kind) {
    case "accepted":
      return wrong.said === undefined
        ? `${name} does what it must refuse: ${wrong.condition}`
        : `${name} must refuse (${wrong.condition}), and does not: ${wrong.said}`;
    case "not done":
      return `${name} must succeed, and does not: ${wrong.said}`;
    case "unbalanced":
      return `a token does not add up: ${wrong.imbalance}`;
    case "differs":
      return `${name} answers ${place(wrong.difference)} ${shown(wrong.difference.seen)}, not ${shown(wrong.difference.expected)}`;
  }
}

function place({ path }: AnswerDifference): string {
  return path.length === 0 ? "with" : `${pathText("", path).replace(/^\./, "")} as`;
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isObject(value) ? "an object" : textOrJson(value);
}

function wordsOf(wrong: Wrong): readonly string[] {
  if (wrong.kind === "accepted") return wrong.condition.split(" ");
  return wrong.kind === "differs" ? wrong.difference.path.map(String) : [];
}

// Returns the sentence that names most of what is wrong. If none does, returns the first one, which describes the call.
function sentenceOf({ call }: Operation, words: readonly string[]): string {
  const sentences = call.description.split(/(?<=\.) (?=[A-Z`])/).filter((sentence) => !sentence.includes("not shown"));
  const named = (sentence: string): number =>
    words.filter((word) => word.length > 3 && sentence.toLowerCase().includes(word.toLowerCase().slice(0, 6))).length;
  return sentences.reduce((best, sentence) => (named(sentence) > named(best) ? sentence : best), sentences[0] ?? "");
}

/** Says how sure it is that a finding would appear again; empty if it did. */
export const HOW_SURE: Readonly<Record<Repeated, string>> = {
  again: "",
  "not again": "it did not appear again when the same calls were repeated",
  "not repeated": "the same calls were not repeated to their end, so it may not appear again",
};

/** Says which sentence of the description a finding breaks. */
export function breaking({ uses, section }: Breach, repeated: Repeated): string {
  return `${uses} ${repeated === "again" ? "breaks" : "may break"} this sentence of the description (${section})`;
}

/** How a playbook of a finding came to be. */
interface PlaybookOrigin {
  /** The command that found it. */
  readonly origin: string;
  readonly repeated: Repeated;
}

/** Writes the playbook that shows a finding. If it appeared again, it fails on the explored service, and passes on a service that keeps the rule. */
export function playbookOf(found: FoundWrong, { origin, repeated }: PlaybookOrigin): string {
  const breach = breachOf(found);
  const { what, sentence } = breach;
  const sure = HOW_SURE[repeated];
  const doubt = sure === "" ? "" : ` Perhaps there is no mistake: ${sure}.`;
  const texts = JSON.stringify(found.steps.map(({ as, with: given }) => [as, given]));
  const used = ACTORS.filter((actor) => texts.includes(`"${actor}"`) || texts.includes(`actors.${actor}`));
  const actors = used.map((actor) => ({ key: actor, value: onOneLine({ ledger: `userId:${actor}` }) }));
  const { wrong } = found;
  const checks: WrittenField[] =
    wrong.kind === "unbalanced" ? [{ key: "checks", apart: true, value: asNode([{ conserve: { token: wrong.token } }]) }] : [];
  return writeDocument([
    { key: "playbook", value: asNode(1) },
    { key: "name", value: asNode(what.replaceAll(found.key, "").replaceAll("${{", "$ {{")) },
    {
      key: "description",
      value: asNode(`${breaking(breach, repeated)}: "${sentence}" ${origin}${doubt}`),
    },
    { key: "actors", apart: true, value: mapOf(actors) },
    { key: "steps", apart: true, value: listOf(found.steps.map((step) => mapOf(stepFields(step, found)))) },
    ...checks,
  ]);
}

function stepFields(step: ExploredStep, found: FoundWrong): readonly WrittenField[] {
  const given = plain(step.with) as object;
  const fields: WrittenField[] = [
    { key: "id", value: asNode(step.id) },
    { key: "as", value: asNode(step.as) },
    { key: "uses", value: asNode(step.uses) },
    ...(Object.keys(given).length === 0 ? [] : [{ key: "with", value: onOneLine(given) }]),
  ];
  const isLast = step === found.steps.at(-1);
  const condition = isLast && found.wrong.kind === "accepted" ? found.wrong.condition : found.refused.get(step.id);
  if (condition !== undefined) fields.push({ key: "fails", value: onOneLine({ condition }) });
  const expected = isLast ? expectationOf(step, found) : undefined;
  if (expected !== undefined) fields.push({ key: "expect", value: onOneLine([expected]) });
  return fields;
}

// A write that took effect although its answer denies it has passed without a receipt: only the answer of the service names one.
function expectationOf({ id, uses }: ExploredStep, found: FoundWrong): string | undefined {
  const { wrong } = found;
  const { writes } = operationNamed(uses);
  if (wrong.kind === "not done" && writes) return `has(steps.${id}.receipt)`;
  return wrong.kind === "differs" && !writes ? expectation(uses, wrong.difference, found) : undefined;
}

function expectation(uses: LedgerOperation, { path, expected, seen }: AnswerDifference, found: FoundWrong): string {
  const own = OWN_ROWS[uses];
  const at = pathText(own === undefined ? "response" : `response.filter(r, ${own})`, path);
  if (Array.isArray(expected)) return `${at}.size() == ${expected.length}`;
  if (isObject(expected) || expected === undefined) return `${at} ${seen === undefined ? "!=" : "=="} null`;
  return `${at} == ${literal(expected, found)}`;
}

function pathText(root: string, path: AnswerDifference["path"]): string {
  return path.reduce<string>((text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}.${part}`), root);
}

function literal(value: Json, { called, key }: FoundWrong): string {
  if (typeof value !== "string") return writeJson(value);
  const name = called.get(value);
  if (name !== undefined) return name;
  const actor = ACTORS.find((each) => userOf(each, key) === value);
  if (actor !== undefined) return `actors.${actor}.userId`;
  return value
    .split(key)
    .map((part) => JSON.stringify(part).replaceAll("${{", String.raw`\u0024{{`))
    .join(" + run.key + ")
    .replaceAll(/ \+ ""|"" \+ /g, "");
}

// A number that JavaScript cannot hold is written as a text, which a field for numbers also accepts. No free field contains such a number (draft.ts).
function plain(value: Json): unknown {
  if (value instanceof Decimal) return String(value.approximate()) === value.text ? value.approximate() : value.text;
  if (Array.isArray(value)) return (value as readonly Json[]).map(plain);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)])) : value;
}
