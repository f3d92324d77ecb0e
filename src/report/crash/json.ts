import { harmlessJson } from "../../base/text/harmless.ts";
import type { CrashDocument, CrashReport } from "./shape.ts";

/** What `test --crash-everywhere --json` prints. */
export function crashJson(playbooks: readonly CrashReport[]): string {
  const ok = playbooks.every(({ problem, totals }) => problem === null && totals.different === 0 && totals.notTried === 0);
  const document: CrashDocument = { format: 1, ok, playbooks };
  return `${harmlessJson(JSON.stringify(document, undefined, 2))}\n`;
}
