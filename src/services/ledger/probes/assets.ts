import { isObject, type Json, type JsonObject } from "../../../base/json/json.ts";
import { assetIdIn } from "../asset-ids.ts";
import {
  type Evidence,
  forEach,
  NAMELESS,
  type OtherWrite,
  type Probe,
  type Readings,
  type Reads,
  type Sent,
  type Sight,
  TWIN,
  UNREAD,
} from "../../probe.ts";
import { maybeSame, maybeSameId } from "../../same-id.ts";
import { ALMOST_SO, UNCHANGED } from "./state.ts";
import { field, listOf, recordsIn, without } from "../../../base/json/parts.ts";
import { type Alike, eachOf, hasFields, includes, isEntity, isExactly, itemsOf, sameMembers } from "../../probes/compare.ts";
import { isStamped, isTouchedBeside, newnessOf, withoutRecord } from "../../probes/recency.ts";
import { partyMatch } from "../../probes/match.ts";
import { type HistoryChange, changesIn, changingAsset, effectOfChange, isCreation, isSpent, newChanges } from "./records.ts";

/** B.1: reads the present asset and its history, whose records name their transactions. */
function probeOf(judge: (evidence: Evidence) => Sight, split: (sent: Sent) => readonly Sent[]): Probe {
  const judgeNamed = (evidence: Evidence): Sight => named(evidence, judge(evidence));
  return forEach(split, { before: reads, after: reads, keep, known: ({ history }) => listOf(history), judge: judgeNamed });
}

// Without a known actor, anybody may have left the present asset.
function named({ actor }: Evidence, sight: Sight): Sight {
  return actor === undefined && (sight.seen === "effect" || sight.seen === "conflict") ? NAMELESS : sight;
}

function reads({ input, profile }: Sent): Reads {
  const assetType = input["assetType"] ?? "";
  const id = assetIdIn(input, profile) ?? input["id"] ?? "";
  return {
    asset: { operation: "ledger.asset.get", input: { assetType, id } },
    history: { operation: "ledger.asset.history", input: { assetType, id } },
  };
}

// Only the transactions of a long history are kept, in order to recognise new ones.
function keep({ asset = null, history = null }: Readings): Readings {
  return { asset, history: transactionsIn(history) };
}

function transactionsIn(history: Json): readonly Json[] {
  return recordsIn(field(history, "records")).map((record) => record["transactionId"] ?? null);
}

/** Returns everybody's changes of the asset since the readings before the write, except those of earlier writes of the run. */
function changesSince(evidence: Evidence): readonly HistoryChange[] {
  return allSince(evidence).filter((change) => !isSpent(change, evidence));
}

function allSince(evidence: Evidence): readonly HistoryChange[] {
  const known = new Set(listOf(evidence.before?.["history"]));
  return changesIn(evidence.now["history"]).filter(
    (change) => !known.has(change.id ?? null) && newnessOf(evidence, change.at) !== "before",
  );
}

/** Returns the changes that are certainly newer than the write's intent. */
function provenIn(evidence: Evidence, changes: readonly HistoryChange[]): readonly HistoryChange[] {
  return newChanges(evidence, changes, changingAsset(idIn(evidence)));
}

/** Returns whether the asset shows what a write with this input sets. */
type IsAsAsked = (asset: JsonObject, input: JsonObject, alike?: Alike) => boolean;

// Another write to the asset at the same time may have left a record if its own record is unknown, or the asset that is there now.
function couldBeOthers(
  evidence: Evidence,
  shown: HistoryChange | Omit<HistoryChange, "id" | "at">,
  isAsAsked: IsAsAsked,
): boolean {
  const { rivals, bystanders, now } = evidence;
  const { left, by } = shown;
  const ids = new Set("id" in shown ? transactionsIn(now["history"] ?? null) : []);
  const isOf = ({ input }: OtherWrite): boolean =>
    maybeSameId(idIn({ ...evidence, input }), idIn(evidence)) && isAsAsked(left, input);
  return withoutRecord([...rivals.filter(isOf), ...bystanders.filter(changingAsset(idIn(evidence)))], ids).some(
    ({ actor }) => partyMatch(by, actor) !== "no",
  );
}

// A change that is not certainly newer than the intent rests on the readings only.
function oneOf(evidence: Evidence, changes: readonly HistoryChange[], isAsAsked: IsAsAsked): Sight | undefined {
  const [ours, ...more] = changes.filter(({ left, by }) => isAsAsked(left, evidence.input) && isBy(evidence, by));
  if (ours === undefined) return undefined;
  if ([ours, ...more].some((change) => couldBeOthers(evidence, change, isAsAsked))) return TWIN;
  const proven = provenIn(evidence, [ours, ...more]);
  const rests = proven.length === more.length + 1 ? "record" : "readings";
  if (more.length > 0) return { seen: "conflict", why: `the history shows this change ${more.length + 1} times`, rests };
  return { ...effectOfChange(ours), rests };
}

/** The asset was created, and a record proves that nobody else created it. */
export const assetCreated: Probe = probeOf((evidence) => {
  const { before, now, input } = evidence;
  if (before === undefined) return UNREAD;
  const created = changesSince(evidence).flatMap((change) =>
    isCreation(change.left) ? [{ ...change, by: change.left["createdBy"] }] : [],
  );
  const found = oneOf(evidence, created, hasData);
  if (found !== undefined) return found;
  if (before["asset"] !== null) return { seen: "nothing", again: "never" };
  const asset = now["asset"] ?? null;
  if (!isObject(asset)) return { seen: "nothing", again: "unique" };
  const shown = { left: asset, by: asset["createdBy"] };
  if (!hasData(asset, input) || !isBy(evidence, shown.by))
    return {
      seen: "conflict",
      why: "an asset with this id exists, but it differs from the one that was sent",
      rests: "readings",
    };
  if (couldBeOthers(evidence, shown, hasData)) return TWIN;
  const by = { createdAt: asset["createdAt"] ?? null };
  return {
    seen: "effect",
    by,
    rests: isStamped(evidence, asset, { stamp: "created", thing: idIn(evidence) }) ? "record" : "readings",
  };
}, eachOf("data"));

/** The asset is exactly as PUT sets it. */
export const assetPut: Probe = probeOf(
  (evidence) => changed(evidence, ({ data = null }, input) => maybeSame(data, dataOf(input))),
  eachOf("data"),
);

/** The asset has the values of PATCH. */
export const assetUpdated: Probe = probeOf((evidence) => changed(evidence, hasData), eachOf("data"));

function hasData({ data }: JsonObject, input: JsonObject, alike: Alike = includes): boolean {
  return hasFields(data, dataOf(input), alike);
}

/** B.1: the asset has the owners that were sent. */
export const assetOwnersSet: Probe = probeOf(
  (evidence) => changed(evidence, ({ owners }, input, alike = includes) => sameMembers(owners, listOf(input["owners"]), alike)),
  itemsOf,
);

/** The asset no longer exists, and its last change is the deletion. A missing asset alone proves nothing. */
export const assetDeleted: Probe = probeOf((evidence) => {
  const { before, now } = evidence;
  if (before === undefined) return UNREAD;
  const last = changesSince(evidence)
    .filter(({ left }) => !isCreation(left))
    .at(-1);
  const isGone = now["asset"] === null;
  if (last !== undefined && isGone) {
    if (isBy(evidence, last.by)) return deletedBy(evidence, last);
    if (partyMatch(last.by, evidence.actor) === "no") return DELETED_BY_OTHERS;
  }
  // The history shows that the asset existed, so a reading before the write that did not show it was out of date.
  if (before["asset"] === null) return last !== undefined && isGone ? DELETED_BY_ANYBODY : { seen: "nothing", again: "never" };
  // Includes creations by this run, whose records are known.
  if (!isGone) return allSince(evidence).some(({ left }) => isCreation(left)) ? MADE_AGAIN : { seen: "nothing", again: "value" };
  return { seen: "effect", by: { asset: "does not exist any more" }, rests: "readings", again: "value" };
}, eachOf("id"));

const MADE_AGAIN: Sight = {
  seen: "unclear",
  why: "the asset was deleted and made again since the state before the write was read",
};

const DELETED_BY_OTHERS: Sight = {
  seen: "unclear",
  why: "the asset does not exist any more, and someone else was the last to change it",
};

const DELETED_BY_ANYBODY: Sight = {
  seen: "unclear",
  why: "the asset does not exist any more, and its history does not say who deleted it",
};

function deletedBy(evidence: Evidence, last: HistoryChange): Sight {
  const isTouched = isTouchedBeside(evidence, changingAsset(idIn(evidence)));
  const isProven = provenIn(evidence, [last]).length > 0 && !isTouched;
  return { ...effectOfChange(last), rests: isProven ? "record" : "readings" };
}

// Our change leaves exactly one more record that shows the sent values.
function changed(evidence: Evidence, isAsAsked: IsAsAsked): Sight {
  if (evidence.before === undefined) return UNREAD;
  const changes = changesSince(evidence);
  const found = oneOf(evidence, changes, isAsAsked);
  if (found !== undefined) return found;
  if (changes.length > 0) return { seen: "unclear", why: "the asset was changed meanwhile, but not to the sent values" };
  const { before, now, input } = evidence;
  const wasSo = (is: (asset: JsonObject) => boolean): boolean =>
    [before["asset"], now["asset"]].every((asset) => isObject(asset) && isAsAsked(asset, input) && is(asset));
  if (wasSo((asset) => isAsAsked(asset, input, isExactly) && hasOwners(asset, input))) return UNCHANGED;
  return wasSo(() => true) ? ALMOST_SO : { seen: "nothing", again: "value" };
}

// The data may contain the owners too.
function hasOwners({ owners }: JsonObject, { data }: JsonObject): boolean {
  const given = field(data, "ledgerMetadata");
  if (given === undefined) return true;
  return isObject(given) && Object.keys(given).join() === "owners" && sameMembers(owners, listOf(given["owners"]), isExactly);
}

function idIn({ input, profile }: Sent): Json {
  return assetIdIn(input, profile) ?? input["id"] ?? null;
}

function isBy({ actor }: Evidence, entity: Json | undefined): boolean {
  return actor === undefined || isEntity(entity, actor);
}

// Owners that are given within the data are not part of it.
function dataOf({ data }: JsonObject): JsonObject {
  return without((data ?? {}) as JsonObject, ["ledgerMetadata"]);
}
