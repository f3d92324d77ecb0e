import type { Clock } from "../src/base/ports.ts";
import type { EnginePorts } from "../src/engine/engine-ports.ts";
import type { Target } from "../src/environment/target.ts";
import type { WriteMeaning } from "../src/services/meaning.ts";
import type { Evidence, Probe, Sight } from "../src/services/probe.ts";
import { type Sets, sets, undoneByNothing } from "../src/services/sets.ts";
import type { Playbook } from "../src/playbook/model.ts";
import type { Life } from "../src/journal/holder.ts";
import type { JournalStore } from "../src/journal/store.ts";
import type { Holder } from "../src/protocol/record.ts";
import { releaseRun } from "../src/engine/run/release-run.ts";
import { writtenUntil } from "../src/protocol/open-writes.ts";
import { stateOf } from "../src/protocol/state.ts";
import type { SimulatedDisk } from "./disk.ts";
import { ownError } from "./network.ts";
import {
  ForgetfulDisk,
  KeylessDisk,
  LonelyDisk,
  ObliviousDisk,
  SettledDisk,
  SettlingDisk,
  TornDisk,
  UnfencedDisk,
  UnsyncedDisk,
} from "./flawed-disk.ts";
import { SimulatedLiveness } from "./liveness.ts";
import { PAUSED } from "../src/engine/run/run-context.ts";
import { withReceipts } from "./varieties.ts";
import type { Breach } from "./witness.ts";

type Exchange = EnginePorts["exchange"];

/** A bug that is planted to test whether the simulation finds it. It is always around the code, never in it (decision 102). */
export interface PlantedBug {
  readonly name: string;
  /** The promise that it breaks. */
  readonly breaks: Breach;
  /** The first seed that showed the bug. The hunt begins there; if a change of the schedules makes this seed stale, the hunt takes long. */
  readonly shownBy: number;
  readonly disk?: () => SimulatedDisk;
  readonly liveness?: () => SimulatedLiveness;
  /** Whether the journal has no tail file that names its last record. */
  readonly hasNoTail?: true;
  /** Releases a run whose process people believe to be gone. */
  readonly release?: (store: JournalStore, runId: string) => Promise<unknown>;
  readonly exchange?: (exchange: Exchange) => Exchange;
  /** The clock of each process. */
  readonly clock?: (clock: Clock) => Clock;
  readonly target?: (target: Target) => Target;
  readonly playbook?: (playbook: Playbook) => Playbook;
}

/** How a bug is planted. */
export type Planted = Pick<
  PlantedBug,
  "disk" | "liveness" | "hasNoTail" | "release" | "exchange" | "clock" | "target" | "playbook"
>;

/** The unchanged code. */
export const NO_BUG: Planted = {};

/** The bugs that a runner of playbooks can have without anybody noticing until it matters. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: "the intent is not durable",
    breaks: "double effect",
    shownBy: 19,
    disk: () => new UnsyncedDisk(({ kind }) => kind === "attempt.intended"),
  },
  {
    name: "the intent is recorded after the send",
    breaks: "double effect",
    shownBy: 40,
    disk: () => new ForgetfulDisk(({ kind }) => kind === "attempt.intended"),
  },
  {
    name: "a 5xx is sent again",
    breaks: "double effect",
    shownBy: 43,
    exchange: (exchange) => again(exchange, (status) => status >= 500),
  },
  {
    name: "the lost tail of a journal is taken for a fresh run",
    breaks: "double effect",
    shownBy: 11,
    disk: () => new TornDisk(),
  },
  {
    name: "a receipt that says FAILED is taken for done",
    breaks: "false pass",
    shownBy: 274,
    target: withFailureTakenForSuccess,
  },
  { name: "a lease is taken without comparing", breaks: "double effect", shownBy: 26, disk: () => new UnfencedDisk() },
  {
    name: "a redirect is followed",
    breaks: "double effect",
    shownBy: 45,
    exchange: (exchange) => again(exchange, (status) => status === 307),
  },
  {
    name: "a gateway's 503 is believed",
    breaks: "double effect",
    shownBy: 183,
    exchange: (exchange) => believing(exchange, (status) => status === 503 || status === 429),
  },
  {
    name: "a gateway's 403 is believed",
    breaks: "silent effect",
    shownBy: 22,
    exchange: (exchange) => believing(exchange, (status) => status === 403 || status === 401),
  },
  {
    name: "an answer is waited for although the run is to stop",
    breaks: "hang",
    shownBy: 18,
    exchange: (exchange) => (outgoing) => exchange({ ...outgoing, signal: undefined }),
  },
  {
    name: "the answer is recorded after the report",
    breaks: "lost acknowledgement",
    shownBy: 11,
    disk: () => new ForgetfulDisk(({ kind }) => kind === "attempt.answered"),
  },
  {
    name: "what a write was made of is recorded after it",
    breaks: "broken journal",
    shownBy: 1,
    disk: () => new ForgetfulDisk(({ kind }, together) => kind === "step.completed" && together.some(isIntent)),
  },
  {
    name: "evidence is spent twice",
    breaks: "false pass",
    shownBy: 57,
    playbook: withMeaning((meaning) =>
      judging(meaning, (judge, evidence) => judge({ ...evidence, isSpent: () => false, rivals: [] })),
    ),
  },
  {
    name: "what is not seen is taken for undone",
    breaks: "double effect",
    shownBy: 90,
    playbook: withMeaning((meaning) =>
      judging(meaning, (judge, evidence) => {
        const sight = judge(evidence);
        return sight.seen === "nothing" ? { seen: "nothing", again: "never" } : sight;
      }),
    ),
  },
  {
    name: "what another write has undone is taken for absent",
    breaks: "double effect",
    shownBy: 86,
    playbook: withMeaning((meaning) => judging(meaning, (judge, evidence) => judge({ ...evidence, rivals: [], bystanders: [] }))),
  },
  { name: "a key starts a second run", breaks: "second run", shownBy: 7, disk: () => new KeylessDisk() },
  { name: "a run begins beside an open write", breaks: "second run", shownBy: 8, disk: () => new SettledDisk() },
  {
    name: "absence is believed from one stale read",
    breaks: "false pass",
    shownBy: 446,
    playbook: withMeaning((meaning) =>
      judging(meaning, (judge, evidence) => {
        const sight = judge(evidence);
        return sight.seen === "effect" ? { ...sight, rests: "record" } : sight;
      }),
    ),
  },
  {
    name: "what cannot be seen is absent in time, however old the reading",
    breaks: "double effect",
    shownBy: 770,
    target: (target) => (target.settleWithinMs === undefined ? target : { ...target, readLagMs: 0 }),
  },
  {
    name: "the readings before a write are believed to be recent",
    breaks: "false pass",
    shownBy: 446,
    target: (target) => ({ ...target, readLagMs: 0 }),
  },
  {
    name: "a write is sent again although a later step sets the same",
    breaks: "late value stays",
    shownBy: 620,
    playbook: withMeaning((meaning) => ({ ...meaning, sets: namingNothing(meaning.sets) })),
  },
  {
    name: "a write that does not say what it sets is taken for final",
    breaks: "late value stays",
    shownBy: 620,
    playbook: withMeaning((meaning) => ({ ...meaning, sets: undoneByNothing("it says nothing") })),
  },
  {
    name: "a wrong receipt is believed",
    breaks: "false pass",
    shownBy: 424,
    exchange: withNamelessReceipts,
    target: (target) => withReceipts(target, { namesTransaction: false }),
  },
  {
    name: "the transaction of an earlier run is believed",
    breaks: "false pass",
    shownBy: 131,
    disk: () => new ObliviousDisk(),
  },
  {
    name: "two runs at a time are each taken for the only one",
    breaks: "false pass",
    shownBy: 1_395,
    disk: () => new LonelyDisk(),
  },
  { name: "a journal that has lost its end is continued", breaks: "double effect", shownBy: 43, hasNoTail: true },
  { name: "a live holder is taken for dead", breaks: "double effect", shownBy: 131, liveness: () => new Mistaken() },
  {
    name: "a fence that covers only the journal",
    breaks: "double effect",
    shownBy: 52,
    exchange: (exchange) => unfenced(exchange, () => true),
  },
  {
    name: "an old intent is sent after a long stop",
    breaks: "double effect",
    shownBy: 52,
    exchange: (exchange) => unfenced(exchange, (why) => why.startsWith(PAUSED)),
  },
  { name: "a released holder's intent is settled by time", breaks: "double effect", shownBy: 507, release: releaseSilently },
  {
    name: "the age of a write goes by the wall clock alone",
    breaks: "double effect",
    shownBy: 56_473,
    clock: (clock) => ({ ...clock, uptime: () => undefined }),
  },
  {
    name: "what a run has written is forgotten when it ends",
    breaks: "false pass",
    shownBy: 36_211,
    disk: () => new SettlingDisk(),
  },
];

// A living process, stopped or at work, can lose its run.
class Mistaken extends SimulatedLiveness {
  override lifeOf(holder: Holder): Life {
    return this.isMe(holder) ? "alive" : "dead";
  }
}

/** Releases a run like a person who says that its process is gone. */
export function releaseByWord(store: JournalStore, runId: string): Promise<unknown> {
  return releaseRun(store, runId, { who: "somebody", because: "its machine does not answer" });
}

// Leaves no record that the holder may still be alive.
async function releaseSilently(store: JournalStore, runId: string): Promise<void> {
  const claim = store.leases.takeOver(runId);
  if (!store.knows(runId)) return store.leases.release(claim, false);
  const { journal, records } = await store.claim(runId, claim);
  journal.note({ kind: "run.closed", outcome: "interrupted", outputs: {} });
  await store.release(journal, "interrupted", writtenUntil(stateOf(records)));
}

function unfenced(exchange: Exchange, may: (why: string) => boolean): Exchange {
  return (outgoing) => {
    const { fence } = outgoing;
    if (fence === undefined) return exchange(outgoing);
    const weak = (): string | undefined => {
      const why = fence();
      return why === undefined || may(why) ? undefined : why;
    };
    return exchange({ ...outgoing, fence: weak });
  };
}

function isIntent({ kind }: { readonly kind: string }): boolean {
  return kind === "attempt.intended";
}

function again(exchange: Exchange, isMeant: (status: number) => boolean): Exchange {
  return async (outgoing) => {
    const first = await exchange(outgoing);
    return first.kind === "answered" && isMeant(first.status) ? exchange(outgoing) : first;
  };
}

// Pretends that no two writes are ever about the same thing.
function namingNothing(declared: Sets): Sets {
  if (declared.undoneBy === "nothing") return declared;
  const [first, ...more] = declared.settings;
  return sets({ ...first, of: () => [] }, ...more.map((setting) => ({ ...setting, of: () => [] })));
}

// Turns the words of a gateway into the service's own.
function believing(exchange: Exchange, isMeant: (status: number) => boolean): Exchange {
  return async (outgoing) => {
    const exchanged = await exchange(outgoing);
    return exchanged.kind === "answered" && isMeant(exchanged.status) ? { ...exchanged, text: ownError(outgoing) } : exchanged;
  };
}

// Pretends that nobody checks to which transaction a receipt belongs.
function withNamelessReceipts(exchange: Exchange): Exchange {
  return async (outgoing) => {
    const exchanged = await exchange(outgoing);
    if (exchanged.kind !== "answered" || !outgoing.path.includes("/receipt")) return exchanged;
    return { ...exchanged, text: exchanged.text.replace(/"transactionId":"\w+",/, "") };
  };
}

function withFailureTakenForSuccess(target: Target): Target {
  const { committed, failed } = target.profile.ledger.receipt;
  return withReceipts(target, { committed: [...committed, ...failed], failed: [] });
}

// Every step of the simulated playbooks is a call.
function withMeaning(change: (meaning: WriteMeaning) => WriteMeaning): (playbook: Playbook) => Playbook {
  return (playbook) => ({
    ...playbook,
    steps: playbook.steps.map((step) => {
      if (step.kind !== "call" || !step.operation.writes) return step;
      const { operation } = step;
      return { ...step, operation: { ...operation, meaning: change(operation.meaning) } };
    }),
  });
}

function judging(meaning: WriteMeaning, judge: (real: Probe["judge"], evidence: Evidence) => Sight): WriteMeaning {
  const { probe } = meaning;
  return { ...meaning, probe: { ...probe, judge: (evidence) => judge(probe.judge, evidence) } };
}
