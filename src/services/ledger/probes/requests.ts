import type { Json, JsonObject } from "../../../base/json/json.ts";
import type { LedgerProfile } from "../../../contract/profile.ts";
import { maybeSame, maybeSameId } from "../../same-id.ts";
import { carriesMark, isUnmarked } from "../../marks.ts";
import {
  type Evidence,
  forEach,
  inNothing,
  type OtherWrite,
  type Probe,
  type ProbeRead,
  type Sent,
  type Sight,
  UNREAD,
} from "../../probe.ts";
import { field, listOf, recordsIn } from "../../../base/json/parts.ts";
import { eachOf, isEntity, itemsOf } from "../../probes/compare.ts";
import { partyMatch } from "../../probes/match.ts";
import { missing, naming } from "../../probes/recency.ts";
import { type HistoryChange, changesIn, effectOfChange, newChanges } from "./records.ts";

/** B.2: the one transfer request with our mark. */
export const transferRequested: Probe = forEach(itemsOf, {
  after: ({ input }) => ({
    ofAsset: { operation: "ledger.transfer.byAsset", input: { assetId: listOf(input["id"])[0] ?? "", pendingOnly: false } },
    mine: { operation: "ledger.transfer.mine", input: {} },
  }),
  judge: byMark,
});

/** B.3: the one approval request with our mark. */
export const approvalRequested: Probe = forEach(itemsOf, {
  after: ({ input }) => ({ mine: { operation: "ledger.approval.mine", input: { approvalType: input["approvalType"] ?? "" } } }),
  judge: byMark,
});

function byMark({ now, names, input, actor }: Evidence): Sight {
  const requests = Object.values(now).flatMap(recordsIn);
  const marked = requests.filter((record) => carriesMark(record, names.mark));
  const ids = [...new Set(marked.map(({ id = null }) => id))];
  if (ids.length === 0)
    return requests.some((each) => isUnmarked(each) && isAlike(each, input, actor)) ? UNMARKED : { seen: "nothing" };
  if (ids.length > 1) return { seen: "conflict", why: `${ids.length} requests have the mark of this step`, rests: "record" };
  return { seen: "effect", by: { id: ids[0] ?? null, mark: names.mark }, rests: "record" };
}

const UNMARKED: Sight = {
  seen: "unclear",
  why: "a request like this one has no mark, and the service may not have kept the one that was sent",
};

// A request contradicts what was sent if it has another requester, lacks approvers, or needs another number of them. The service may have
// added approvers.
function isAlike(request: JsonObject, { approvers, numRequired }: JsonObject, actor: JsonObject | undefined): boolean {
  const [there, number] = [field(request, "approvers"), field(request, "numRequired")];
  const hasAll = (others: readonly Json[]): boolean =>
    listOf(approvers).every((asked) => others.some((other) => partyMatch(other, asked) !== "no"));
  return (
    (!Array.isArray(there) || hasAll(there)) &&
    (number === undefined || numRequired === undefined || maybeSame(number, numRequired)) &&
    partyMatch(request["createdBy"], actor) !== "no"
  );
}

type StatusWord = keyof LedgerProfile["requestStatus"];

/** The actor's own entry among the approvers has changed to this word. */
export const transferVoted = (word: StatusWord): Probe =>
  forEach(eachOf("id"), { ...turned(word, votes), ...reading("ledger.transfer", ({ id = "" }) => ({ id })) });

/** B.3: the probe of a vote on an approval request. */
export const approvalVoted = (word: StatusWord): Probe => forEach(itemsOf, { ...turned(word, votes), ...ofApproval });

const ofApproval = reading("ledger.approval", ({ id = "", approvalType = "" }) => ({ id, approvalType }));

/** Only the requester can cancel, and the cancellation shows in the status of the request itself. */
export const approvalCancelled: Probe = forEach(itemsOf, {
  ...turned("cancelled", (request) => ({ own: [field(request, "status") ?? null], shared: [] })),
  ...ofApproval,
});

/** The statuses that a vote may change: those that only the actor can change, and those that others can change too. */
interface VoteStatuses {
  readonly own: readonly Json[];
  readonly shared: readonly Json[];
}

// The answer does not show who votes for a whole organization, and a playbook may not name the actor.
function votes(request: Json, { actor = {} }: Sent): VoteStatuses {
  if (!Array.isArray(field(request, "approvers"))) return { own: [null], shared: [] };
  const entries = recordsIn(field(request, "approvers"));
  const named = Object.entries(actor);
  const isOwn = (entry: JsonObject): boolean => named.length > 0 && isEntity(entry, actor);
  const isShared = (entry: JsonObject): boolean =>
    !isOwn(entry) && named.every(([name, value]) => entry[name] === undefined || entry[name] === value);
  return { own: statusesOf(entries.filter(isOwn)), shared: statusesOf(entries.filter(isShared)) };
}

function statusesOf(entries: readonly JsonObject[]): readonly Json[] {
  return entries.map(({ status = null }) => status);
}

// The history shows which transaction changed which status, and when.
function reading(
  resource: "ledger.transfer" | "ledger.approval",
  name: (input: JsonObject) => JsonObject,
): Pick<Probe, "before" | "after"> {
  const request = ({ input }: Sent): ProbeRead => ({ operation: `${resource}.get`, input: name(input) });
  const history = ({ input }: Sent): ProbeRead => ({ operation: `${resource}.history`, input: name(input), optional: true });
  return {
    before: (sent) => ({ request: request(sent) }),
    after: (sent) => ({ request: request(sent), history: history(sent) }),
  };
}

type WordsIn = (request: Json, sent: Sent) => VoteStatuses;

// The effect is one more status of this kind than before.
function turned(word: StatusWord, wordsIn: WordsIn): Pick<Probe, "keep" | "isAlike" | "judge"> {
  return {
    // A second vote of the same kind for an entry would change it as well, whatever its comment is.
    isAlike: (rival, { input, actor }) =>
      maybeSameId(rival.input["id"] ?? null, input["id"] ?? null) && partyMatch(rival.actor, actor) !== "no",
    keep: ({ request = null }, sent) => {
      if (request === null) return { request };
      const { own, shared } = wordsIn(request, sent);
      return { request: { words: own, shared } };
    },
    judge: (evidence) => {
      const { before, now, profile } = evidence;
      const wanted = profile.ledger.requestStatus[word];
      const record = turnIn(evidence, wordsIn, wanted);
      if (record !== undefined) return effectOfChange(record, { status: wanted });
      if (before === undefined) return UNREAD;
      if (now["request"] === null) return inNothing(before["request"]);
      const { own, shared } = wordsIn(now["request"] ?? null, evidence);
      const known = new Set<Json>(Object.values(profile.ledger.requestStatus));
      const isKnown = (words: readonly Json[], was: Json | undefined): boolean =>
        words.every((each) => known.has(each) || (typeof each === "string" && times(each, words) <= times(each, listOf(was))));
      const more = (words: readonly Json[], name: string): number =>
        times(wanted, words) - times(wanted, listOf(field(before["request"], name)));
      const turnedNow = more(own, "words");
      if (turnedNow > 1) return { seen: "conflict", why: `${turnedNow} entries have changed to ${wanted}`, rests: "readings" };
      if (turnedNow === 1) return { seen: "effect", by: { status: wanted }, rests: "readings" };
      if (more(shared, "shared") > 0)
        return { seen: "unclear", why: `an entry that others vote for too has changed to ${wanted}` };
      const isRead = isKnown(own, field(before["request"], "words")) && isKnown(shared, field(before["request"], "shared"));
      return isRead ? missing(evidence, ownVote(evidence)) : UNKNOWN_WORD;
    },
  };
}

// Another vote of the actor on the same request may have changed the actor's entry again.
function ownVote({ input, actor }: Evidence): (write: OtherWrite) => boolean {
  const isOfRequest = naming(input["id"] ?? null);
  return (write) => isOfRequest(write) && partyMatch(write.actor, actor) !== "no";
}

// For example if the service spells the word for this very vote in another way.
const UNKNOWN_WORD: Sight = { seen: "unclear", why: "the request shows no status of the actor's entry that the profile knows" };

/** Returns the change of the request in which one entry of the actor changed to this word, if only this write can have left it. */
function turnIn(evidence: Evidence, wordsIn: WordsIn, wanted: string): HistoryChange | undefined {
  const changes = changesIn(evidence.now["history"]);
  const countAt = (change: HistoryChange | undefined): number =>
    change === undefined ? 0 : times(wanted, wordsIn(change.left, evidence).own);
  const turns = changes.filter((change, at) => at > 0 && countAt(change) > countAt(changes[at - 1]));
  return newChanges(evidence, turns, naming(evidence.input["id"] ?? null)).at(0);
}

function times(word: string, words: readonly Json[]): number {
  return words.filter((each) => each === word).length;
}
