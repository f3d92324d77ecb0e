// Writes the part of docs/coverage.md that shows how far our scenarios cover the sandbox.
import type { Coverage } from "../../src/coverage/coverage.ts";
import { DIMENSION_NAMES } from "../../src/coverage/dimensions.ts";
import { beyondReachLines } from "./beyond-reach.ts";
import type { Agreement } from "./redocly.ts";

const LABELS: Readonly<Record<(typeof DIMENSION_NAMES)[number], string>> = {
  operations: "operations called",
  successes: "operations done",
  refusals: "listed refusals",
  lost: "lost answers",
  parameters: "parameters",
  fields: "fields",
  codes: "status codes",
  words: "words",
};

/** Returns the page with its two tables brought up to date. */
export function pageWith(page: string, { totals }: Coverage, agreements: readonly Agreement[]): string {
  const rows = DIMENSION_NAMES.map((dimension) => {
    const { covered, total } = totals[dimension];
    const theirs = agreements.find((each) => each.dimension === dimension)?.theirs ?? "does not measure it";
    return `| ${LABELS[dimension]} | ${covered}/${total} | ${theirs} |`;
  });
  const counted = between(page, "Covered", ["| what | tokenbook | redocly |", "|---|---|---|", ...rows]);
  return pageWithReasons(counted);
}

/** Returns the page with its table of what no playbook can cover brought up to date. */
export function pageWithReasons(page: string): string {
  return between(page, "Beyond reach", [
    "| operations | refusal | why nobody can cover it |",
    "|---|---|---|",
    ...beyondReachLines(),
  ]);
}

function between(page: string, name: string, lines: readonly string[]): string {
  const [begin, end] = [
    `<!-- ${name}: made by \`npm run coverage:agrees -- --write\`. Do not edit. -->`,
    `<!-- End of: ${name}. -->`,
  ];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`the page has no place for ${name}`);
  return `${page.slice(0, from)}${begin}\n\n${lines.join("\n")}\n\n${page.slice(to)}`;
}
