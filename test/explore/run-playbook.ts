import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";

const COMMAND = fileURLToPath(new URL("../../bin/tokenbook.js", import.meta.url));

/** What a run of a playbook printed, and its exit code. */
export interface RanPlaybook {
  readonly code: number;
  readonly output: string;
}

/** Runs a playbook file with the built command, in a new folder, on a sandbox that is being served. */
export async function runPlaybook(file: string, sandbox: Sandbox): Promise<RanPlaybook> {
  const folder = mkdtempSync(join(tmpdir(), "explored-"));
  const { ledgerBaseUrl: baseUrl, appId, orgId } = sandbox;
  const here = { ledger: { baseUrl, appId, orgId, apiKey: "env:LEDGER_KEY" }, exclusive: true, readLag: "0s" };
  writeFileSync(join(folder, "tokenbook.yaml"), JSON.stringify({ environments: { here } }));
  copyFileSync(file, join(folder, "found.yaml"));
  try {
    return await new Promise((resolve) => {
      const env = { ...process.env, LEDGER_KEY: sandbox.ledgerApiKey };
      const child = execFile(process.execPath, [COMMAND, "run", "found.yaml"], { cwd: folder, env }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
      );
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
