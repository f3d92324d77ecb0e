// The demonstration of docs/arazzo.md: one document, one lost answer, two runners.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FaultPlan } from "../../src/sandbox/faults/plan.ts";
import { type Outcome, serve, withRespect, withTokenbook } from "./both-ways.ts";

/** The document of the page. */
export function documentOfPage(): string {
  const page = readFileSync(fileURLToPath(new URL("../../docs/arazzo.md", import.meta.url)), "utf8");
  return /```yaml file=mint\.arazzo\.yaml\n(.+?)```/s.exec(page)?.[1] ?? "";
}

/** The answer of the first mint is cut after the commit. */
const LOST: FaultPlan = [{ operation: "ledger.token.mint", nth: 1, fault: "drop-after" }];

/** Runs the document with both. */
export async function lostAnswer(): Promise<{ readonly tokenbook: Outcome; readonly respect: Outcome }> {
  const folder = mkdtempSync(join(tmpdir(), "arazzo-"));
  const [here, there] = [await serve(LOST), await serve(LOST)];
  try {
    const tokenbook = await withTokenbook(
      { file: "mint.arazzo.yaml", text: documentOfPage(), folder: join(folder, "tokenbook") },
      here,
    );
    return { tokenbook, respect: await withRespect(documentOfPage(), join(folder, "respect"), there) };
  } finally {
    await here.close();
    await there.close();
  }
}

/** How often something was minted. */
export function mintsIn({ commits }: Outcome): number {
  return commits.filter((commit) => commit.includes('"ledger.token.mint"')).length;
}
