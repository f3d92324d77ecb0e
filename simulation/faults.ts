import type { WriteFault as LedgerFault } from "../src/sandbox/ledger/chain.ts";

/** What the process that sends gets to see: the service's own answer, something else, or nothing any more. */
export type Sight =
  | "answer"
  | Stale
  | "refused connection"
  | "nothing"
  | "html"
  | "truncated"
  | "empty"
  | "death"
  | "stop"
  /** No answer, until the sender gives up. */
  | "silence"
  /** The sender is interrupted while it waits: for an answer that comes, or for one that does not. */
  | "interrupt"
  | "interrupt, silence"
  | { readonly status: number; readonly retryAfter?: number; readonly words?: Words };

/** Whose words an error is in: the service's own, or those of one of three kinds of gateways. A gateway's JSON when left out. */
export type Words = "service" | "gateway" | "gateway's text" | "nobody";

/** What somebody in between has kept, of an earlier write of the same run, or of another run. */
export type Stale = "an earlier write's" | "an earlier run's";

/** What befalls one request: when it reaches the service, if ever, and what the sender sees of it. */
export interface RequestFault {
  readonly name: string;
  /** When the request reaches the service. A late one arrives whether or not the sender still runs. */
  readonly lands: "at once" | "never" | "late";
  readonly sees: Sight;
  /** What befalls the write within the ledger. */
  readonly ledger?: "pending" | "failed";
  /** The receipt's status is an unknown word for a while. */
  readonly strangeWord?: true;
  /** For a while every receipt says COMMITTED: of no transaction, or of an earlier one, and then its answer names none either. */
  readonly receipts?: "nameless" | Stale;
  /** The process is stopped before the request leaves. The request leaves, if at all, when the process continues. */
  readonly stopsFirst?: true;
  /** It waits for its connection for nearly as long as it may take, and only then leaves. */
  readonly leavesLate?: true;
}

/** Everything that may befall a write on its way, by its name. */
export const WRITE_FAULTS: readonly RequestFault[] = [
  { name: "connection refused", lands: "never", sees: "refused connection" },
  { name: "request lost", lands: "never", sees: "nothing" },
  { name: "answer lost", lands: "at once", sees: "nothing" },
  { name: "delivered late", lands: "late", sees: "nothing" },
  { name: "delivered late behind a 502", lands: "late", sees: { status: 502 } },
  { name: "500 instead", lands: "never", sees: { status: 500 } },
  { name: "500 afterwards", lands: "at once", sees: { status: 500 } },
  { name: "408 instead", lands: "never", sees: { status: 408 } },
  { name: "408 afterwards", lands: "at once", sees: { status: 408 } },
  { name: "307 instead", lands: "never", sees: { status: 307 } },
  { name: "307 afterwards", lands: "at once", sees: { status: 307 } },
  { name: "429 instead", lands: "never", sees: { status: 429, words: "service" } },
  { name: "503 with Retry-After", lands: "never", sees: { status: 503, retryAfter: 2, words: "service" } },
  { name: "a gateway's 429 instead", lands: "never", sees: { status: 429 } },
  { name: "a gateway's 429 afterwards", lands: "at once", sees: { status: 429 } },
  { name: "a gateway's 503 instead", lands: "never", sees: { status: 503, retryAfter: 2, words: "gateway's text" } },
  { name: "a gateway's 503 afterwards", lands: "at once", sees: { status: 503, retryAfter: 2, words: "gateway's text" } },
  { name: "a gateway's 403 instead", lands: "never", sees: { status: 403, words: "nobody" } },
  { name: "a gateway's 403 afterwards", lands: "at once", sees: { status: 403, words: "nobody" } },
  { name: "delivered late behind a gateway's 401", lands: "late", sees: { status: 401 } },
  { name: "503 afterwards", lands: "at once", sees: { status: 503 } },
  { name: "HTML instead", lands: "never", sees: "html" },
  { name: "HTML afterwards", lands: "at once", sees: "html" },
  { name: "answer truncated", lands: "at once", sees: "truncated" },
  { name: "answer empty", lands: "at once", sees: "empty" },
  { name: "receipt pending long", lands: "at once", sees: "answer", ledger: "pending" },
  { name: "receipt FAILED", lands: "at once", sees: "answer", ledger: "failed" },
  { name: "strange status word", lands: "at once", sees: "answer", strangeWord: true },
  { name: "answer of an earlier write", lands: "never", sees: "an earlier write's" },
  { name: "answer of an earlier run", lands: "never", sees: "an earlier run's" },
  { name: "receipt without a transaction", lands: "at once", sees: "answer", ledger: "failed", receipts: "nameless" },
  { name: "receipt of an earlier write", lands: "at once", sees: "answer", ledger: "failed", receipts: "an earlier write's" },
  { name: "receipt of an earlier run", lands: "at once", sees: "answer", ledger: "failed", receipts: "an earlier run's" },
  { name: "death before it leaves", lands: "never", sees: "death" },
  { name: "death in flight", lands: "at once", sees: "death" },
  { name: "death, delivered late", lands: "late", sees: "death" },
  { name: "stopped before it leaves", lands: "at once", sees: "answer", stopsFirst: true },
  { name: "stopped before it leaves, then death in flight", lands: "late", sees: "death", stopsFirst: true },
  { name: "stopped as it leaves", lands: "late", sees: "stop" },
  { name: "stopped in flight", lands: "at once", sees: "stop" },
  { name: "interrupted in flight", lands: "at once", sees: "interrupt" },
  { name: "interrupted, answer lost", lands: "at once", sees: "interrupt, silence" },
  { name: "interrupted, delivered late", lands: "late", sees: "interrupt, silence" },
];

/** Those of them in which a process is stopped before the service can have the request. */
export const STOPS: readonly RequestFault[] = WRITE_FAULTS.filter(
  ({ sees, lands, stopsFirst }) => stopsFirst === true || (sees === "stop" && lands === "late"),
);

/** What befalls a write that waited for its connection: with a declared time, all depends on when that begins. Drawn for no schedule. */
export const SLOW_CONNECTIONS: readonly RequestFault[] = [
  { name: "leaves late, answer lost", lands: "late", sees: "nothing", leavesLate: true },
  { name: "leaves late, death in flight", lands: "late", sees: "death", leavesLate: true },
];

/** The ledger takes its time with a write that it has acknowledged. */
export const TAKES_LONG: RequestFault = found("receipt pending long");

function found(wanted: string): RequestFault {
  const fault = WRITE_FAULTS.find(({ name }) => name === wanted);
  if (fault === undefined) throw new Error(`no fault is called "${wanted}"`);
  return fault;
}

const OF_PROCESSES: ReadonlySet<Sight> = new Set(["death", "stop", "interrupt", "interrupt, silence"]);

/** Those of them that the network brings: neither the process nor the ledger has a part in them. */
export const NETWORK_FAULTS: readonly RequestFault[] = WRITE_FAULTS.filter(
  ({ sees, ledger, strangeWord, stopsFirst }) =>
    !OF_PROCESSES.has(sees) && stopsFirst !== true && !isStale(sees) && ledger === undefined && strangeWord !== true,
);

/** Whether somebody sees what another write was answered. */
export function isStale(sees: Sight): sees is Stale {
  return sees === "an earlier write's" || sees === "an earlier run's";
}

/** Everything that may befall a read. */
export const READ_FAULTS: readonly RequestFault[] = [
  { name: "read refused", lands: "never", sees: "refused connection" },
  { name: "read lost", lands: "never", sees: "nothing" },
  { name: "read answered 500", lands: "never", sees: { status: 500 } },
  { name: "read answered 429", lands: "never", sees: { status: 429 } },
  { name: "read answered HTML", lands: "never", sees: "html" },
  { name: "read redirected", lands: "never", sees: { status: 302 } },
  { name: "read not answered", lands: "at once", sees: "silence" },
  { name: "interrupted at a read", lands: "at once", sees: "interrupt" },
  { name: "interrupted at a read that is not answered", lands: "at once", sees: "interrupt, silence" },
  { name: "read truncated", lands: "at once", sees: "truncated" },
  { name: "death at a read", lands: "never", sees: "death" },
  { name: "stopped at a read", lands: "at once", sees: "stop" },
];

/** What befalls a commit of the journal, right before or right after it. */
export interface CommitFault {
  readonly name: string;
  readonly moment: "before" | "after";
  readonly effect: "crash" | "full" | "broken" | "interrupt";
}

/** Everything that may befall a commit of the journal. */
export const COMMIT_FAULTS: readonly CommitFault[] = [
  { name: "crash before the commit", moment: "before", effect: "crash" },
  { name: "crash after the commit", moment: "after", effect: "crash" },
  { name: "interrupted after the commit", moment: "after", effect: "interrupt" },
  { name: "disk full", moment: "before", effect: "full" },
  { name: "disk error", moment: "before", effect: "broken" },
];

/** The kinds of records at whose commit something may happen. */
export const BOUNDARIES = [
  "run.opened",
  "run.claimed",
  "step.expanded",
  "attempt.intended",
  "attempt.answered",
  "receipt.read",
  "attempt.settled",
  "step.completed",
  "step.stopped",
  "run.closed",
] as const;
export type Boundary = (typeof BOUNDARIES)[number];

/** Reads that are answered from earlier moments, each from its own: a later one may show an earlier moment. */
export interface StaleReads {
  readonly name: string;
  /** How many of the reads; where it is all of them, they are behind by much the same all the time. */
  readonly share: number;
}

/** Shares of reads that may be stale. */
export const STALE_READS: readonly StaleReads[] = [
  { name: "some reads stale", share: 0.3 },
  { name: "most reads stale", share: 0.8 },
  { name: "a replica behind", share: 1 },
];

/** One thing that goes wrong, and where. */
export type Fault =
  | {
      readonly at: "write";
      /** The address of the step, and which of its requests, from 1. */
      readonly step: string;
      readonly request: number;
      readonly what: RequestFault;
      /** How much later it lands, or continues, in milliseconds. */
      readonly ms: number;
    }
  | {
      readonly at: "read";
      /** Which read of the whole schedule, from 1. */ readonly nth: number;
      readonly what: RequestFault;
      readonly ms: number;
    }
  | {
      readonly at: "reads";
      readonly what: StaleReads;
      /** By how much at most. */
      readonly ms: number;
    }
  | {
      readonly at: "commit";
      readonly boundary: Boundary;
      /** Of any step, or of none, when left out. */
      readonly step?: string;
      readonly nth: number;
      readonly what: CommitFault;
    };

/** What the ledger is to do to a write that this befalls. */
export function ledgerFault({ ledger }: RequestFault, ms: number): LedgerFault | undefined {
  if (ledger === "pending") return { holdMs: ms };
  return ledger === "failed" ? { doom: "the ledger could not commit the transaction" } : undefined;
}

/** Describes a fault: first the place, then what happens there. */
export function describeFault(fault: Fault): string {
  const { name } = fault.what;
  if (fault.at === "write") return `${fault.step}, request ${fault.request}: ${name}${delayOf(fault.what, fault.ms)}`;
  if (fault.at === "read") return `read ${fault.nth}: ${name}`;
  if (fault.at === "reads") return `${name}, by ${fault.ms / 1_000} s at most`;
  const whose = fault.step === undefined ? "" : ` of ${fault.step}`;
  return `journal, ${fault.boundary}${whose}, time ${fault.nth}: ${name}`;
}

function delayOf({ lands, sees, ledger, strangeWord, receipts, stopsFirst }: RequestFault, ms: number): string {
  const lasts = strangeWord === true || receipts !== undefined || stopsFirst === true;
  return lands === "late" || sees === "stop" || ledger === "pending" || lasts ? ` (${ms / 1_000} s)` : "";
}
