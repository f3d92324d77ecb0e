import type { WriteFault as LedgerFault } from "../src/sandbox/ledger/chain.ts";

/** What the sending process sees: the service's own answer, something else, or nothing any more. */
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
  /** No answer until the sender gives up. */
  | "silence"
  /** The sender is interrupted while it waits for an answer, which then arrives or not. */
  | "interrupt"
  | "interrupt, silence"
  | { readonly status: number; readonly retryAfter?: number; readonly words?: Words };

/** Who wrote an error: the service, or one of three kinds of gateways. If left out, a gateway that writes JSON. */
export type Words = "service" | "gateway" | "gateway's text" | "nobody";

/** The answer to an earlier write of the same run, or of another run, which a cache has kept. */
export type Stale = "an earlier write's" | "an earlier run's";

/** A fault of one request: when the request reaches the service, if ever, and what the sender sees. */
export interface RequestFault {
  readonly name: string;
  /** When the request reaches the service. A late request arrives even if the sender no longer runs. */
  readonly lands: "at once" | "never" | "late";
  readonly sees: Sight;
  /** What the ledger does with the write. */
  readonly ledger?: "pending" | "failed";
  /** Whether the receipt's status is an unknown word for some time. */
  readonly strangeWord?: true;
  /**
   * For some time, every receipt says COMMITTED, but names no transaction or an earlier one. With an earlier one, the answer names no
   * transaction either.
   */
  readonly receipts?: "nameless" | Stale;
  /** The process is stopped before the request leaves. If at all, the request leaves when the process continues. */
  readonly stopsFirst?: true;
  /** The request waits for its connection for almost the whole timeout, and only then leaves. */
  readonly leavesLate?: true;
}

/** Every fault of a write on its way. */
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

/** Those of them that stop a process before the service can have received the request. */
export const STOPS: readonly RequestFault[] = WRITE_FAULTS.filter(
  ({ sees, lands, stopsFirst }) => stopsFirst === true || (sees === "stop" && lands === "late"),
);

/** Faults of a write that waited for its connection. With a declared time, everything depends on when that time begins. No schedule draws them. */
export const SLOW_CONNECTIONS: readonly RequestFault[] = [
  { name: "leaves late, answer lost", lands: "late", sees: "nothing", leavesLate: true },
  { name: "leaves late, death in flight", lands: "late", sees: "death", leavesLate: true },
];

/** The ledger takes a long time for a write that it has acknowledged. */
export const TAKES_LONG: RequestFault = found("receipt pending long");

function found(wanted: string): RequestFault {
  const fault = WRITE_FAULTS.find(({ name }) => name === wanted);
  if (fault === undefined) throw new Error(`no fault is called "${wanted}"`);
  return fault;
}

const OF_PROCESSES: ReadonlySet<Sight> = new Set(["death", "stop", "interrupt", "interrupt, silence"]);

/** Those of them that the network alone causes, without the process or the ledger. */
export const NETWORK_FAULTS: readonly RequestFault[] = WRITE_FAULTS.filter(
  ({ sees, ledger, strangeWord, stopsFirst }) =>
    !OF_PROCESSES.has(sees) && stopsFirst !== true && !isStale(sees) && ledger === undefined && strangeWord !== true,
);

/** Returns whether the sender sees the answer to another write. */
export function isStale(sees: Sight): sees is Stale {
  return sees === "an earlier write's" || sees === "an earlier run's";
}

/** Every fault of a read. */
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

/** A fault of a journal commit, right before or right after it. */
export interface CommitFault {
  readonly name: string;
  readonly moment: "before" | "after";
  readonly effect: "crash" | "full" | "broken" | "interrupt";
}

/** Every fault of a journal commit. */
export const COMMIT_FAULTS: readonly CommitFault[] = [
  { name: "crash before the commit", moment: "before", effect: "crash" },
  { name: "crash after the commit", moment: "after", effect: "crash" },
  { name: "interrupted after the commit", moment: "after", effect: "interrupt" },
  { name: "disk full", moment: "before", effect: "full" },
  { name: "disk error", moment: "before", effect: "broken" },
];

/** The kinds of records whose commits may have a fault. */
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

/** Reads that are answered from earlier moments. Each read has its own moment: a later read may show an earlier one. */
export interface StaleReads {
  readonly name: string;
  /** The share of these reads. If all reads are stale, their delay stays about the same. */
  readonly share: number;
}

/** Shares of reads that may be stale. */
export const STALE_READS: readonly StaleReads[] = [
  { name: "some reads stale", share: 0.3 },
  { name: "most reads stale", share: 0.8 },
  { name: "a replica behind", share: 1 },
];

/** One fault, and its place. */
export type Fault =
  | {
      readonly at: "write";
      /** The address of the step, and the number of its request, from 1. */
      readonly step: string;
      readonly request: number;
      readonly what: RequestFault;
      /** How much later the request arrives, or the process continues, in milliseconds. */
      readonly ms: number;
    }
  | {
      readonly at: "read";
      /** The number of the read in the whole schedule, from 1. */ readonly nth: number;
      readonly what: RequestFault;
      readonly ms: number;
    }
  | {
      readonly at: "reads";
      readonly what: StaleReads;
      /** The longest delay. */
      readonly ms: number;
    }
  | {
      readonly at: "commit";
      readonly boundary: Boundary;
      /** The step of the record; left out for any step or none. */
      readonly step?: string;
      readonly nth: number;
      readonly what: CommitFault;
    };

/** Returns what the ledger must do with a write that has this fault. */
export function ledgerFault({ ledger }: RequestFault, ms: number): LedgerFault | undefined {
  if (ledger === "pending") return { holdMs: ms };
  return ledger === "failed" ? { doom: "the ledger could not commit the transaction" } : undefined;
}

/** Describes a fault: first its place, then what happens. */
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
