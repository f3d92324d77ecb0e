import { isObject, type JsonObject, parseJson, writeJson } from "../src/base/json/json.ts";
import type { Dice } from "../src/base/numbers/dice.ts";
import type { LedgerProfile } from "../src/contract/profile.ts";
import type { Target } from "../src/environment/target.ts";
import type { Outgoing } from "../src/transport/exchange.ts";
import type { Fault } from "./faults.ts";

/** One way in which a service may differ from the sandbox, because the service description leaves it open. */
export interface Variety {
  /** What such a service does, in words. */
  readonly name: string;
  /** The share of the schedules in which the service is so. */
  readonly share: number;
  /** Returns what such a service answers to a read that it does not refuse, where the sandbox answers this. */
  readonly read?: (text: string, outgoing: Pick<Outgoing, "path">) => string;
  /** Returns what such a service answers to a write, where the sandbox answers this. */
  readonly written?: (text: string) => string;
  /** Of a write of several items, such a service makes one write of each, up to this many, and refuses the rest. */
  readonly items?: number;
  /** Declares in the environment what such a service does. */
  readonly declared?: (target: Target) => Target;
  /** Whether nothing else of a schedule contradicts it; by default nothing does. */
  readonly suits?: (faults: readonly Fault[]) => boolean;
  /** A run at such a service need not pass, although nothing befalls it. */
  readonly hinders?: true;
  /** It is not alone there: the same people let another playbook run before, and whenever this one has stopped. */
  readonly isShared?: true;
  /** Somebody sets the wall clock of the machine before each of its processes. */
  readonly setsClock?: true;
}

/** In the order in which they are drawn: a new one comes last. */
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
    // Nobody could find out that such a receipt is another write's.
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
    // What was made is found by its mark.
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

/** Returns the write of each item of a write. The items are in a list, or each in several lists of one call. */
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

/** Returns an environment that declares this of receipts. */
export function withReceipts(target: Target, declared: Partial<LedgerProfile["receipt"]>): Target {
  const { ledger } = target.profile;
  return { ...target, profile: { ...target.profile, ledger: { ...ledger, receipt: { ...ledger.receipt, ...declared } } } };
}

/** Draws which of these varieties the service has in a schedule with these faults. */
export function drawVarieties(dice: Dice, among: readonly Variety[], faults: readonly Fault[]): readonly Variety[] {
  return among.filter(({ share, suits = fits }) => dice.chance(share) && suits(faults));
}

function fits(): boolean {
  return true;
}

function changed(text: string, change: (value: unknown) => unknown): string {
  return text === "" ? text : JSON.stringify(JSON.parse(text, (_, value: unknown) => change(value)));
}
