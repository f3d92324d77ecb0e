import type { Json, JsonObject } from "../../base/json.ts";
import type { LedgerProfile } from "../../contract/profile.ts";
import { carriesMark } from "../marks.ts";
import { type Evidence, forEach, type Probe, type Readings, type Sent, type Sight, UNREAD } from "../probe.ts";
import { eachOf, field, isEntity, itemsOf, listOf, recordsIn } from "./compare.ts";

/** B.2: the one request that carries our mark. */
export const transferRequested: Probe = forEach(itemsOf, {
  after: ({ input }) => ({
    ofAsset: { operation: "ledger.transfer.byAsset", input: { assetId: listOf(input["id"])[0] ?? "", pendingOnly: false } },
    mine: { operation: "ledger.transfer.mine", input: {} },
  }),
  judge: byMark,
});

/** B.3: likewise. */
export const approvalRequested: Probe = forEach(itemsOf, {
  after: ({ input }) => ({ mine: { operation: "ledger.approval.mine", input: { approvalType: input["approvalType"] ?? "" } } }),
  judge: byMark,
});

function byMark({ now, names }: Evidence): Sight {
  const marked = Object.values(now)
    .flatMap(recordsIn)
    .filter((record) => carriesMark(record, names.mark));
  const ids = [...new Set(marked.map(({ id = null }) => id))];
  if (ids.length === 0) return { seen: "nothing" };
  if (ids.length > 1) return { seen: "conflict", why: `${ids.length} requests carry the mark of this step` };
  return { seen: "effect", by: { id: ids[0] ?? null, mark: names.mark } };
}

type Word = keyof LedgerProfile["requestStatus"];

/** The actor's own entry among the approvers has turned to this word. */
export const transferVoted = (word: Word): Probe =>
  forEach(
    eachOf("id"),
    voted(word, ({ input }) => ({ operation: "ledger.transfer.get", input: { id: input["id"] ?? "" } })),
  );

export const approvalVoted = (word: Word): Probe => forEach(itemsOf, voted(word, approvalRead));

/** Only the requester cancels, and it shows in the request as a whole. */
export const approvalCancelled: Probe = forEach(itemsOf, {
  ...turned("cancelled", (request) => [field(request, "status") ?? null]),
  ...reading(approvalRead),
});

function approvalRead({ input }: Sent): { readonly operation: string; readonly input: JsonObject } {
  return { operation: "ledger.approval.get", input: { id: input["id"] ?? "", approvalType: input["approvalType"] ?? "" } };
}

function voted(word: Word, read: (sent: Sent) => { readonly operation: string; readonly input: JsonObject }): Probe {
  return { ...turned(word, ownWords), ...reading(read) };
}

function ownWords(request: Json, { actor }: Sent): readonly Json[] {
  return recordsIn(field(request, "approvers"))
    .filter((entry) => isEntity(entry, actor))
    .map(({ status = null }) => status);
}

function reading(
  read: (sent: Sent) => { readonly operation: string; readonly input: JsonObject },
): Pick<Probe, "before" | "after"> {
  const reads: Probe["after"] = (sent) => ({ request: read(sent) });
  return { before: reads, after: reads };
}

// One word more of this kind than before.
function turned(word: Word, wordsIn: (request: Json, sent: Sent) => readonly Json[]): Pick<Probe, "keep" | "judge"> {
  const count = (readings: Readings, sent: Sent): number => {
    const wanted = sent.profile.ledger.requestStatus[word];
    return wordsIn(readings["request"] ?? null, sent).filter((each) => each === wanted).length;
  };
  return {
    keep: (readings, sent) => ({ request: { words: wordsIn(readings["request"] ?? null, sent) } }),
    judge: (evidence) => {
      const { before, now, profile } = evidence;
      if (before === undefined) return UNREAD;
      const wanted = profile.ledger.requestStatus[word];
      const earlier = listOf(field(before["request"], "words")).filter((each) => each === wanted).length;
      const more = count(now, evidence) - earlier;
      if (more <= 0) return { seen: "nothing" };
      if (more > 1) return { seen: "conflict", why: `${more} entries have turned to ${wanted}` };
      return { seen: "effect", by: { status: wanted } };
    },
  };
}
