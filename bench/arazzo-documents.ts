// `npm run arazzo:documents FOLDER`: how tokenbook and `redocly lint` judge the documents of the standard's repository, which are in its
// folders tests/schema/pass and tests/schema/fail.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readArazzo } from "../src/interchange/arazzo-document.ts";
import { runNode } from "../test/interchange/both-ways.ts";

const REDOCLY = fileURLToPath(new URL("../node_modules/@redocly/cli/bin/cli.js", import.meta.url));
const [folder] = process.argv.slice(2);
const files = folder === undefined ? [] : globSync(join(folder, "{pass,fail}", "*.{yaml,yml,json}")).toSorted();
if (files.length === 0) {
  console.error("Name a folder with the folders pass and fail: tests/schema of the branch v1.1-dev of OAI/Arazzo-Specification.");
  process.exit(2);
}

const accepts = (file: string): boolean => basename(dirname(file)) === "pass";
const refusedHere = new Set(files.filter((file) => readArazzo(file, readFileSync(file, "utf8")).findings.all.length > 0));
const refusedThere = await refusedByRedocly();

console.log("| document | must be | tokenbook | redocly lint |\n|---|---|---|---|");
for (const file of files) {
  const verdicts = [refusedHere, refusedThere].map((refused) => (refused.has(file) === accepts(file) ? "**wrong**" : "right"));
  const name = basename(file).replace(/(?:\.arazzo)?\.\w+$/, "");
  console.log(`| ${[name, accepts(file) ? "accepted" : "refused", ...verdicts].join(" | ")} |`);
}
const [here, there] = [refusedHere, refusedThere].map(
  (refused) => files.filter((file) => refused.has(file) !== accepts(file)).length,
);
console.log(`\ntokenbook judges ${here} of ${files.length} right, redocly lint ${there}`);
process.exitCode = here === files.length ? 0 : 1;

// Each document has a process of its own, because a document that is not a mapping crashes the process and would take the others with it.
async function refusedByRedocly(): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  for (const file of files) if ((await runNode([REDOCLY, "lint", file], process.cwd())).code !== 0) refused.add(file);
  return refused;
}
