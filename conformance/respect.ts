// Redocly Respect as a runner of the cases, in a separate process.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KILLED, runNode } from "../test/interchange/both-ways.ts";
import type { CaseEnd } from "./case.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** No case takes as long as a second. */
const LONGEST_MS = 30_000;

/** Runs the workflow `main` of a document. */
export async function runWithRespect(
  document: string,
  url: string,
): Promise<{ readonly end: CaseEnd; readonly why?: string | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  writeFileSync(join(folder, "case.arazzo.yaml"), document);
  copyFileSync(join(ROOT, "schemas/ledger.openapi.yaml"), join(folder, "ledger.openapi.yaml"));
  const server = `ledger=${url}/tokenize/app1`;
  const command = ["respect", "case.arazzo.yaml", "--workflow", "main", "--server", server];
  const cli = join(ROOT, "node_modules/@redocly/cli/bin/cli.js");
  const { code } = await runNode([cli, ...command], folder, {}, LONGEST_MS);
  rmSync(folder, { recursive: true, force: true });
  if (code === KILLED) return { end: "failed", why: `it did not end in ${LONGEST_MS / 1000} seconds` };
  return { end: code === 0 ? "passed" : "failed" };
}
