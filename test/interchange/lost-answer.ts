// The demonstrations of docs/arazzo.md: two runners execute one document, where an answer is lost or a number has many digits.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FaultPlan } from "../../src/sandbox/faults/plan.ts";
import { type Outcome, serve, withRespect, withTokenbook } from "./both-ways.ts";

/** Returns a document from the page. */
export function documentOfPage(name = "mint"): string {
  const page = readFileSync(fileURLToPath(new URL("../../docs/arazzo.md", import.meta.url)), "utf8");
  return new RegExp(`\`\`\`yaml file=${name}\\.arazzo\\.yaml\\n(.+?)\`\`\``, "s").exec(page)?.[1] ?? "";
}

/** The answer to the first mint is cut off after the commit. */
const LOST: FaultPlan = [{ operation: "ledger.token.mint", nth: 1, fault: "drop-after" }];

/** The outcomes of one document with both runners. */
export interface Demonstrated {
  readonly tokenbook: Outcome;
  readonly respect: Outcome;
}

/** Runs the document whose answer is lost with both runners. */
export function lostAnswer(): Promise<Demonstrated> {
  return withBoth("mint", LOST);
}

/** Runs the document that has a number of many digits with both runners. */
export function manyDigits(): Promise<Demonstrated> {
  return withBoth("digits", []);
}

async function withBoth(name: string, faults: FaultPlan): Promise<Demonstrated> {
  const folder = mkdtempSync(join(tmpdir(), "arazzo-"));
  const text = documentOfPage(name);
  const [here, there] = [await serve(faults), await serve(faults)];
  try {
    const file = `${name}.arazzo.yaml`;
    const tokenbook = await withTokenbook({ file, text, folder: join(folder, "tokenbook") }, here);
    return { tokenbook, respect: await withRespect(text, join(folder, "respect"), there) };
  } finally {
    await here.close();
    await there.close();
    rmSync(folder, { recursive: true });
  }
}

/** Returns the number as the ledger stored it. */
export function storedIn({ commits }: Outcome): string {
  return /"area":([\d.]+)/.exec(commits.join("\n"))?.[1] ?? "nothing";
}

/** Returns how often the run minted. */
export function mintsIn({ commits }: Outcome): number {
  return commits.filter((commit) => commit.includes('"ledger.token.mint"')).length;
}
