// `npm run arazzo:har`: exports each playbook, runs it with Redocly Respect, which records its requests, imports the recording, and runs it again.
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { filesOf } from "../src/cli/project/project-files.ts";
import { exportPlaybook } from "../src/interchange/export/export-playbook.ts";
import { importHar } from "../src/interchange/har/import-har.ts";
import { formatDiagnostic } from "../src/source/diagnostic.ts";
import { onNew, RUN_KEY, withRespect, withTokenbook } from "../test/interchange/both-ways.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** The key that calls in a scenario, if it is not the buyer's. */
const CALLERS: Readonly<Record<string, string>> = { identity: "NEWCOMER_KEY", portfolio: "SECOND_BUYER_KEY" };
const [only, verbose] = process.argv.slice(2);
const files = globSync("playbooks/scenarios/*.yaml", { cwd: ROOT }).toSorted();
console.log("| playbook | requests of Respect | findings | steps | imported | commits |");
console.log("|---|---|---|---|---|---|");
for (const file of files.filter((each) => only === undefined || each.includes(only))) {
  const folder = mkdtempSync(join(tmpdir(), "arazzo-har-"));
  const text = readFileSync(join(ROOT, file), "utf8");
  const { text: exported = "" } = exportPlaybook(resolve(ROOT, file), text, filesOf({ cwd: ROOT }));
  const har = join(folder, "session.har");
  const there = await onNew((served) => withRespect(exported, join(folder, "respect"), served, ["--har-output", har]));
  const recorded = readFileSync(har, "utf8");
  const { text: imported = "", diagnostics } = importHar("session.har", recorded);
  // The recording masks all keys alike, so the imported playbook has one key, which the person who runs it chooses. The service therefore accepts the
  // requests that had a revoked key.
  const here = await onNew((served) => {
    const keys = { ...served.keys, CALLER_KEY: served.keys[CALLERS[basename(file, ".yaml")] ?? "BUYER_KEY"] ?? "" };
    return withTokenbook({ file: "again.yaml", text: imported, folder, runKey: RUN_KEY }, { ...served, keys });
  });
  const same = JSON.stringify(here.commits) === JSON.stringify(there.commits);
  const requests = (JSON.parse(recorded) as { log: { entries: unknown[] } }).log.entries.length;
  const commits = same ? `${here.commits.length}, equal` : `${here.commits.length} here, ${there.commits.length} there`;
  const steps = imported.match(/^ {2}- id:/gm)?.length ?? 0;
  console.log(
    `| ${[basename(file, ".yaml"), requests, diagnostics.length, steps, here.code === 0 ? "passed" : "failed", commits].join(" | ")} |`,
  );
  if (!same) process.exitCode = 1;
  if (verbose === undefined) continue;
  console.log(
    diagnostics.map(formatDiagnostic).join("\n\n"),
    imported,
    here.output,
    here.commits.join("\n"),
    "\n---\n",
    there.commits.join("\n"),
  );
}
