// Writes the reference of diagnostics: the catalogue, and for each code a faulty playbook of the corpus with the output of its check.
import { existsSync, readFileSync } from "node:fs";
import { CATALOGUE, type Code, CODES } from "../src/base/catalogue/catalogue.ts";
import { sanitise } from "../src/base/text/text.ts";
import type { Example } from "../src/cli/print/explain-code.ts";
import { checkDocument } from "../src/interchange/check.ts";
import { formatDiagnostic } from "../src/source/diagnostic.ts";

const SHOWN = { lines: 20, columns: 100 };

/** Returns the example of each code, without the line in which the corpus test expects the codes. */
export function examplesOf(root: URL): Readonly<Record<string, Example>> {
  return Object.fromEntries(CODES.map((code) => [code, exampleOf(root, code)]));
}

function exampleOf(root: URL, code: Code): Example {
  const file = `${CATALOGUE[code].example}.yaml`;
  const read = (path: string): string | undefined => {
    const place = new URL(`test/faulty/${path}`, root);
    return existsSync(place) ? readFileSync(place, "utf8") : undefined;
  };
  const text = (read(file) ?? "").replaceAll(/^# expect: .*\n/gm, "");
  const printed = checkDocument(file, text, { read }).diagnostics.map(formatDiagnostic).join("\n\n");
  return { text: clipped(sanitise(text).trimEnd()), printed };
}

function clipped(text: string): string {
  const lines = text.split("\n").map((line) => (line.length > SHOWN.columns ? `${line.slice(0, SHOWN.columns)}…` : line));
  return (lines.length > SHOWN.lines ? [...lines.slice(0, SHOWN.lines), "…"] : lines).join("\n");
}

const HEADINGS: Readonly<Record<string, string>> = {
  source: "The text of a file",
  schema: "The shape of a playbook, of an operation's input, or of `tokenbook.yaml`",
  expression: "Expressions",
  playbook: "What a playbook says",
  interchange: "Documents of other standards",
};

/** Returns `docs/errors.md`. */
export function errorsPage(examples: Readonly<Record<string, Example>>): string {
  const groups = Map.groupBy(CODES, (code) => code.split(".")[0] ?? "");
  const parts = [...groups].map(([group, codes]) =>
    [`## ${HEADINGS[group] ?? group}`, ...codes.map((code) => section(code, examples[code]))].join("\n\n"),
  );
  return `${INTRODUCTION}\n\n${parts.join("\n\n")}\n`;
}

const INTRODUCTION = `# What \`tokenbook check\` can find

Each finding has a code that stays the same from version to version. \`tokenbook check --explain CODE\` prints its entry in the
terminal, \`--explain all\` lists the codes. An *error* keeps a playbook from being run, a *warning* does not.

This page is made from the catalogue in \`src/base/catalogue\` and the faulty playbooks in \`test/faulty\` by \`npm run generate\`.`;

function section(code: Code, example: Example | undefined): string {
  const { severity, title, meaning, cure } = CATALOGUE[code];
  return [
    `### ${code}`,
    `**${severity}**: ${title}.`,
    meaning,
    `\`\`\`yaml\n${example?.text ?? ""}\n\`\`\``,
    `\`\`\`text\n${example?.printed ?? ""}\n\`\`\``,
    `**Fix:** ${cure}`,
  ].join("\n\n");
}
