// Runs our scenarios, and compares what `tokenbook coverage` says of them with what redocly says: `npm run coverage:agrees`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Coverage } from "../../src/coverage/coverage.ts";
import { agreementOn } from "./redocly.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tokenbook-coverage-"));
const tokenbook = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [join(ROOT, "bin/tokenbook.js"), ...args, "--state", join(folder, "state")], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: Infinity,
  });

const har = join(folder, "scenarios.har");
tokenbook("run", join(ROOT, "playbooks/scenarios"), "--env", "sandbox", "--quiet", "--report", `har=${har}`);
const agreements = agreementOn(har, JSON.parse(tokenbook("coverage", "--json")) as Coverage);
for (const { dimension, ours, theirs, differences } of agreements) {
  console.log(
    `${dimension.padEnd(12)} tokenbook ${ours.padEnd(10)} redocly ${theirs.padEnd(10)} ${differences.length} differences`,
  );
  for (const each of differences) console.log(`  only one of them: ${each}`);
}
rmSync(folder, { recursive: true });
process.exitCode = agreements.every(({ differences }) => differences.length === 0) ? 0 : 1;
