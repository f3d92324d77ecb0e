// Compares rows from outside of the service with a list in the playbook.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Comparison } from "../../../src/protocol/comparison.ts";
import { targetAt } from "../../engine-parts.ts";
import { folderForTest, type Otherwise, type Ran, runnerForTest } from "./server.ts";

/** The fields that a register has for each holder, and their types. */
export const HOLDERS = "properties: { holder: { type: string }, balance: { type: decimal } }";

/** The holders on the other side. */
const BOTH =
  "[{'holder': 'alice', 'balance': decimal('100.50')}, {'holder': 'bob', 'balance': decimal('12345678901234567890.000000000000000001')}]";

const SIDE = "key: { holder: row.holder }, value: row.balance";

/** Returns a playbook that compares rows, written in YAML's flow style, with a list. */
function against(rows: string, list: string = BOTH): string {
  return `playbook: 1
mode: read-only
reconcile:
  - id: holders
    left: { name: register, rows: ${rows}, ${SIDE} }
    right: { name: ledger, rows: "${list}", ${SIDE} }
`;
}

/** The result of a comparison, and its gaps as text. */
export interface Compared {
  readonly outcome: string;
  readonly found: Comparison;
  readonly gap: string;
}

/** A folder for files, and a journal that all comparisons share. */
export class Register {
  readonly folder: string = folderForTest();
  readonly #run: ReturnType<typeof runnerForTest> = runnerForTest(this.folder);

  write(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  async run(rows: string, otherwise: Otherwise & { readonly list?: string } = {}): Promise<Ran> {
    return this.#run(against(rows, otherwise.list), targetAt("http://127.0.0.1:9"), otherwise);
  }

  async compare(rows: string, otherwise: Otherwise & { readonly list?: string } = {}): Promise<Compared> {
    const ran = await this.run(rows, otherwise);
    const { comparison } = ran.completed.at(-1) ?? ran.stopped ?? {};
    const found = comparison ?? expect.fail(`nothing was compared: ${JSON.stringify(ran)}`);
    return { outcome: ran.outcome, found, gap: found.gaps.map(({ code, message }) => `${code}: ${message}`).join("\n") };
  }
}
