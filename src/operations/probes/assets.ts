import { type Json, type JsonObject, jsonEquals } from "../../base/json.ts";
import { assetIdIn } from "../names.ts";
import { type Evidence, forEach, type Probe, type Readings, type Reads, type Sent, type Sight, UNREAD } from "../probe.ts";
import { eachOf, field, includes, isEntity, itemsOf, listOf, recordsIn, sameMembers, text, without } from "./compare.ts";

/** B.1: what is there now, and the history, whose records name the transaction that left each of them. */
function probeOf(judge: (evidence: Evidence) => Sight, split: (sent: Sent) => readonly Sent[]): Probe {
  return forEach(split, { before: reads, after: reads, keep, known: ({ history }) => listOf(history), judge });
}

function reads({ input, profile }: Sent): Reads {
  const assetType = input["assetType"] ?? "";
  const id = assetIdIn(input, profile) ?? input["id"] ?? "";
  return {
    asset: { operation: "ledger.asset.get", input: { assetType, id } },
    history: { operation: "ledger.asset.history", input: { assetType, id } },
  };
}

// Of a long history only the transactions are needed, to tell new ones.
function keep({ asset = null, history = null }: Readings): Readings {
  return { asset, history: transactionsIn(history) };
}

function transactionsIn(history: Json): readonly Json[] {
  return recordsIn(field(history, "records")).map((record) => record["transactionId"] ?? null);
}

/** What has been done to the asset since, by anybody. */
function changesSince({ before, now, isSpent }: Evidence): readonly JsonObject[] {
  const known = new Set(listOf(before?.["history"]));
  return recordsIn(field(now["history"], "records")).filter(({ transactionId = null }) => {
    return !known.has(transactionId) && !(typeof transactionId === "string" && isSpent(transactionId));
  });
}

function effectOf(record: JsonObject): Sight {
  const transactionId = text(record["transactionId"]);
  const by = { transactionId: transactionId ?? null, transactionTime: record["transactionTime"] ?? null };
  return { seen: "effect", by, ...(transactionId === undefined ? {} : { transactionId, spends: transactionId }) };
}

/** The asset was created, and by nobody else: before it was not there. */
export const assetCreated: Probe = probeOf((evidence) => {
  const { before, now, input } = evidence;
  if (before === undefined) return UNREAD;
  if (before["asset"] !== null) return { seen: "nothing", again: "never" };
  const asset = now["asset"] ?? null;
  if (asset === null) return { seen: "nothing", again: "unique" };
  const [record, ...more] = changesSince(evidence).filter((each) => field(each, "trasactionType") === "CREATED");
  const isOurs = includes(field(asset, "data"), dataOf(input)) && isBy(evidence, field(asset, "createdBy"));
  if (!isOurs) return { seen: "conflict", why: "an asset with this id is there, but not the one that was sent" };
  return record === undefined || more.length > 0
    ? { seen: "effect", by: { createdAt: field(asset, "createdAt") ?? null } }
    : effectOf(record);
}, eachOf("data"));

/** The asset is as PUT would have it: exactly so. */
export const assetPut: Probe = probeOf(
  (evidence) => changed(evidence, (record) => jsonEquals(record["data"] ?? null, dataOf(evidence.input))),
  eachOf("data"),
);

/** The asset has what PATCH names. */
export const assetUpdated: Probe = probeOf(
  (evidence) => changed(evidence, (record) => includes(record["data"], dataOf(evidence.input))),
  eachOf("data"),
);

export const assetOwnersSet: Probe = probeOf(
  (evidence) => changed(evidence, ({ owners }) => sameMembers(owners, listOf(evidence.input["owners"]), includes)),
  itemsOf,
);

/** The asset is there no more: the change that came last is the deletion. */
export const assetDeleted: Probe = probeOf((evidence) => {
  const { before, now } = evidence;
  if (before === undefined) return UNREAD;
  if (before["asset"] === null) return { seen: "nothing", again: "never" };
  if (now["asset"] !== null) return { seen: "nothing", again: "value" };
  const last = changesSince(evidence).at(-1);
  if (last === undefined) return { seen: "effect", by: { asset: "is there no more" } };
  return isBy(evidence, last["updatedBy"])
    ? effectOf(last)
    : { seen: "unclear", why: "the asset is there no more, and somebody else was the last to change it" };
}, eachOf("id"));

// A change of ours leaves exactly one record more that shows what was asked for.
function changed(evidence: Evidence, asAsked: (record: JsonObject) => boolean): Sight {
  if (evidence.before === undefined) return UNREAD;
  const changes = changesSince(evidence);
  const [ours, ...more] = changes.filter((record) => asAsked(record) && isBy(evidence, record["updatedBy"]));
  if (ours !== undefined && more.length === 0) return effectOf(ours);
  if (more.length > 0) return { seen: "conflict", why: `the history shows this change ${more.length + 1} times` };
  if (changes.length > 0) return { seen: "unclear", why: "the asset was changed meanwhile, but not as it was sent" };
  return { seen: "nothing", again: "value" };
}

function isBy({ actor }: Evidence, entity: Json | undefined): boolean {
  return actor === undefined || isEntity(entity, actor);
}

// Where the owners stand among the data, they are no part of it.
function dataOf({ data }: JsonObject): JsonObject {
  return without((data ?? {}) as JsonObject, "ledgerMetadata");
}
