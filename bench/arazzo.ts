// `npm run arazzo:scenarios`: exports every scenario and the onboarding, runs each with Redocly Respect, imports it, and runs it again.
import { globSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatDiagnostic } from "../src/source/diagnostic.ts";
import { bothWays } from "../test/interchange/both-ways.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const [only, verbose] = process.argv.slice(2);
const files = [...globSync("playbooks/scenarios/*.yaml", { cwd: ROOT }), "playbooks/onboarding/property-sale.yaml"].toSorted();
console.log("| playbook | steps | losses | lint | Respect | commits | commits of Respect | again | commits again |");
console.log("|---|---|---|---|---|---|---|---|---|");
for (const file of files.filter((each) => only === undefined || each.includes(only))) {
  const folder = mkdtempSync(join(tmpdir(), "arazzo-"));
  const { steps, losses, lint, ours, respect, again, exported, imported } = await bothWays(file, folder);
  const same = (commits: readonly string[] | undefined): string =>
    JSON.stringify(commits) === JSON.stringify(ours.commits)
      ? "equal"
      : `${commits?.filter((commit) => ours.commits.includes(commit)).length ?? 0} of ${ours.commits.length} the same`;
  const cells = [basename(file, ".yaml"), steps, losses.length, verdict(lint.code), verdict(respect.code), verdict(ours.code)];
  console.log(`| ${[...cells, same(respect.commits), verdict(again?.code), same(again?.commits)].join(" | ")} |`);
  if (verbose === undefined) continue;
  console.log(
    losses.map(formatDiagnostic).join("\n\n"),
    exported,
    lint.output,
    respect.output,
    ours.output,
    imported,
    again?.output,
  );
  console.log(ours.commits.join("\n"), "\n---\n", respect.commits.join("\n"), "\n---\n", again?.commits.join("\n"));
}

function verdict(code: number | undefined): string {
  return code === 0 ? "passed" : `failed (${code})`;
}
