import { isObject, type JsonObject, parseJson, writeJson } from "../src/base/json/json.ts";
import type { Dice } from "../src/base/numbers/dice.ts";
import type { LedgerProfile } from "../src/contract/profile.ts";
import type { Target } from "../src/environment/target.ts";
import type { Outgoing } from "../src/transport/exchange.ts";
import type { Fault } from "./faults.ts";

/** One way in which a service may differ from the sandbox, because the service description does not decide it. */
export interface Variety {
  /** What such a service does, in words. */
  readonly name: string;
  /** The share of schedules with such a service. */
  readonly share: number;
  /** Returns the service's answer to a read that it does not refuse, made from the sandbox's answer. */
  readonly read?: (text: string, outgoing: Pick<Outgoing, "path">) => string;
  /** Returns the service's answer to a write, made from the sandbox's answer. */
  readonly written?: (text: string) => string;
  /** For a write with several items, the service makes a separate write of each, up to this many, and refuses the rest. */
  readonly items?: number;
  /** Declares this behaviour in the environment. */
  readonly declared?: (target: Target) => Target;
  /** Whether it is compatible with the faults of a schedule; by default with all. */
  readonly suits?: (faults: readonly Fault[]) => boolean;
  /** Whether a run with such a service may fail to pass even without a fault. */
  readonly hinders?: true;
  /** Whether the run is not alone: the same people start another playbook before it, and each time it has stopped. */
  readonly isShared?: true;
  /** Whether somebody sets the machine's wall clock before each of its processes. */
  readonly setsClock?: true;
}

/** The varieties in the order in which they are drawn. New ones go last. */
export const VARIETIES: readonly Variety[] = [
  {
    name: "null in optional fields",
    share: 0.2,
    read: (text) => text.replaceAll(/"(createdAt|message|comment|symbol)":"(?:[^"\\]|\\.)*"/g, '"$1":null'),
  },
  {
    name: "token transactions with ids of their own",
    share: 0.5,
    read: (text) => text.replaceAll(/"docType":"tkntx","id":"/g, "$&of-the-token-"),
  },
  {
    name: "records without their authors",
    share: 0.1,
    read: (text) => text.replaceAll(/,"(created|updated)By":(\{[^{}]*\}|null)/g, ""),
  },
  {
    name: "times in whole seconds",
    share: 0.1,
    read: (text) => text.replaceAll(/("(?:createdAt|updatedAt|transactionTime)":"[^".]*)\.\d+/g, "$1"),
  },
  {
    name: "lists in the reverse order",
    share: 0.1,
    read: (text) => changed(text, (value) => (Array.isArray(value) ? value.toReversed() : value)),
  },
  {
    name: "receipts that name no transaction, as declared",
    share: 0.1,
    read: withoutTransaction,
    declared: (target) => withReceipts(target, { namesTransaction: false }),
    // Nobody could notice that such a receipt belongs to another write.
    suits: (faults) => !faults.some(({ at, what }) => at === "write" && what.receipts !== undefined),
  },
  { name: "receipts that name no transaction", share: 0.05, read: withoutTransaction, hinders: true },
  {
    name: "answers that name only the receipt",
    share: 0.1,
    written: (text) => text.replace(/^\{"transactionId":"\w+",(?="receiptId")/, "{"),
  },
  {
    name: "marks are not kept",
    share: 0.1,
    // What was created is found by its mark.
    hinders: true,
    read: (text) =>
      text
        .replaceAll(/"tokenbook":"tokenbook:[^"]*",?/g, "")
        .replaceAll(",}", "}")
        .replaceAll(/ ?\[tokenbook:[^\]]*\]/g, ""),
  },
  {
    name: "unknown fields and attributes",
    share: 0.1,
    read: (text) =>
      text
        .replaceAll('"createdAt":', '"seal":{"by":"notary","number":17},"createdAt":')
        .replaceAll(/"userId":"\w+"/g, '$&,"department":"sales"'),
  },
  { name: "batches item by item, up to a refusal", share: 0.1, items: 1, hinders: true },
  { name: "another playbook in between", share: 0.1, isShared: true },
  { name: "a transaction for each item of a batch", share: 0.1, items: Infinity },
  { name: "a wall clock that people set", share: 0.1, setsClock: true },
];

function withoutTransaction(text: string, { path }: Pick<Outgoing, "path">): string {
  return path.includes("/receipt") ? text.replace(/"transactionId":"\w+",/, "") : text;
}

/** Returns the writes of the single items of a write. The items are in one list, or spread over several lists of a call. */
export function byItem(outgoing: Outgoing): readonly Outgoing[] {
  const body = parseJson(outgoing.body ?? "null");
  if (Array.isArray(body)) return body.map((item) => ({ ...outgoing, body: writeJson([item]) }));
  if (!isObject(body) || !Array.isArray(body["ids"])) return [outgoing];
  return body["ids"].map((_, at) => ({ ...outgoing, body: writeJson(mapLists(body, at)) }));
}

function mapLists(items: JsonObject, at: number): JsonObject {
  return Object.fromEntries(
    Object.entries(items).map(([name, value]) => [name, Array.isArray(value) ? value.slice(at, at + 1) : value]),
  );
}

/** Returns an environment with these declarations about receipts. */
export function withReceipts(target: Target, declared: Partial<LedgerProfile["receipt"]>): Target {
  const { ledger } = target.profile;
  return { ...target, profile: { ...target.profile, ledger: { ...ledger, receipt: { ...ledger.receipt, ...declared } } } };
}

/** Draws the varieties of the service for a schedule with these faults. */
export function drawVarieties(dice: Dice, among: readonly Variety[], faults: readonly Fault[]): readonly Variety[] {
  return among.filter(({ share, suits = fits }) => dice.chance(share) && suits(faults));
}

function fits(): boolean {
  return true;
}

function changed(text: string, change: (value: unknown) => unknown): string {
  return text === "" ? text : JSON.stringify(JSON.parse(text, (_, value: unknown) => change(value)));
}
