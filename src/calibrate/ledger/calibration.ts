import type { JsonObject } from "../../base/json/json.ts";
import { field, number, recordsIn, text } from "../../base/json/parts.ts";
import type { CalibrationAsker } from "../asker.ts";
import { NOBODYS_ID } from "../spellings.ts";
import type { CalibrationWriting, ServiceCalibration } from "../service.ts";
import { findValueDialect } from "../values.ts";
import { findActor, findPendingOnly, refusesUnknown, someEntity } from "./actor.ts";
import { LEDGER_EFFECTS } from "./effects.ts";
import { findPaging, findPrimaryKeys, readList, type SeenList } from "./lists.ts";
import { makeWrites } from "./writes.ts";

/** Calibrates interface B. */
export const ledger: ServiceCalibration = {
  first: { operation: "ledger.asset.stats" },
  read: readLedger,
  ofNobody: [
    { operation: "ledger.asset.list", input: { assetType: NOBODYS_ID } },
    { operation: "ledger.asset.get", input: { assetType: NOBODYS_ID, id: NOBODYS_ID } },
    { operation: "ledger.receipt.get", input: { receiptId: NOBODYS_ID } },
    { operation: "ledger.transfer.get", input: { id: NOBODYS_ID } },
    { operation: "ledger.approval.get", input: { approvalType: NOBODYS_ID, id: NOBODYS_ID } },
    { operation: "ledger.token.get", input: { id: NOBODYS_ID } },
    { operation: "ledger.vault.get", input: { id: NOBODYS_ID } },
  ],
  write: writeLedger,
  effects: LEDGER_EFFECTS,
};

/** For how many asset types the lists are read. */
const TYPES_READ = 3;

async function readLedger(asker: CalibrationAsker): Promise<void> {
  const { findings } = asker;
  const types = await assetTypes(asker);
  const questions: readonly SeenList["question"][] = [
    { operation: "ledger.asset.list", input: {} },
    ...types.slice(0, TYPES_READ).map((assetType) => ({ operation: "ledger.asset.list", input: { assetType } })),
    { operation: "ledger.token.list", input: {} },
    { operation: "ledger.transfer.mine", input: {} },
  ];
  const lists: SeenList[] = [];
  for (const question of questions) {
    const list = await readList(asker, question);
    if (list !== undefined) lists.push(list);
  }
  findValueDialect(asker);
  await findPaging(asker, lists);
  findPrimaryKeys(asker, lists);
  const [first] = lists;
  if (first === undefined) return;
  const isStrict = await refusesUnknown(asker, first);
  const says = isStrict === undefined ? "it cannot be seen" : isStrict ? "they are refused" : "they are ignored";
  findings.facts.push({ about: "unknown parameters", says });
  lookAtOrder(asker, lists);
  await findActor(asker, first, someEntity(asker, lists));
  if (isStrict !== undefined) await findPendingOnly(asker, isStrict);
}

// Types with assets come first.
async function assetTypes(asker: CalibrationAsker): Promise<readonly string[]> {
  const stats = asker.payload(await asker.read({ operation: "ledger.asset.stats" }));
  return recordsIn(field(stats, "countByType"))
    .toSorted((one, other) => countOf(other) - countOf(one))
    .flatMap(({ assetType }) => text(assetType) ?? []);
}

function countOf({ count }: JsonObject): number {
  return number(count)?.approximate() ?? 0;
}

function lookAtOrder({ findings }: CalibrationAsker, lists: readonly SeenList[]): void {
  for (const { question, rows } of lists) {
    const times = recordsIn(rows).flatMap(({ createdAt }) => text(createdAt) ?? []);
    if (times.length < 3 || times.length < rows.length) continue;
    const isSorted = times.every((time, at) => at === 0 || (times[at - 1] ?? "") <= time);
    findings.facts.push({ about: `order of ${question.operation}`, says: isSorted ? "by creation" : "not by creation" });
    return;
  }
}

async function writeLedger(asker: CalibrationAsker, writing: CalibrationWriting): Promise<readonly string[]> {
  const [assetType] = await assetTypes(asker);
  if (assetType !== undefined) return makeWrites(asker, assetType, writing);
  asker.findings.facts.push({ about: "writes", says: "the service names no asset type, so nothing was written" });
  return [];
}
