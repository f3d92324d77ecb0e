// `npm run arazzo:conformance [CASE]`: runs the cases with tokenbook and Redocly Respect, and writes REGISTER.md.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CaseOutcome, type ConformanceCase, isAsExpected, readCases } from "./case.ts";
import { runWithRespect } from "./respect.ts";
import { runCase } from "./run.ts";
import { runWithTokenbook } from "./tokenbook.ts";
import { cellOf } from "./cell.ts";

const [only] = process.argv.slice(2);
const cases = readCases().filter(({ id }) => only === undefined || id.includes(only));
const rows: (readonly [ConformanceCase, CaseOutcome, CaseOutcome])[] = [];
for (const one of cases) {
  const row = [one, await runCase(one, runWithTokenbook), await runCase(one, runWithRespect)] as const;
  rows.push(row);
  console.log(lineOf(row));
}

function lineOf([one, here, there]: (typeof rows)[number]): string {
  const asked = `${one.expect.end === undefined ? "" : `${one.expect.end}: `}${one.expect.requests.map((each) => `\`${each}\``).join(", ") || "nothing is sent"}`;
  return `| ${[one.id, one.about, one.standard, asked, cellOf(one, here), cellOf(one, there)].map(escaped).join(" | ")} |`;
}

function escaped(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}

const [here, there] = [1, 2].map((at) => rows.filter((row) => isAsExpected(row[0], row[at as 1 | 2])).length);
const page = `# Where runners differ

\`npm run arazzo:conformance\` wrote this page: ${cases.length} cases. tokenbook does what the standard says in ${here}, Redocly Respect 2.77 in ${there}.
[README.md](README.md) says what a case is.

| case | what it asks | the standard | what must happen | tokenbook | Respect |
|---|---|---|---|---|---|
${rows.map(lineOf).join("\n")}
`;
if (only === undefined) writeFileSync(fileURLToPath(new URL("REGISTER.md", import.meta.url)), page);
