import type { EXIT } from "../../base/exit.ts";

/** The meaning of each exit code, and what to do next. */
export const EXITS: Readonly<Record<keyof typeof EXIT, { readonly means: string; readonly next: string }>> = {
  passed: { means: "Everything went as expected.", next: "Nothing." },
  failed: {
    means:
      "A step failed, or an expectation did not hold. `plan`: something would surely fail. `fmt --check`: something would change. `test`: a violation. `runs verify`: a record was changed. `doctor`: you must fix something.",
    next: "Read the step's message, fix the cause, then `tokenbook resume`.",
  },
  cannotStart: {
    means:
      "Nothing was started: usage, a static check, the environment. Or everything passed, but a report or stdout could not be written; or the journal can no longer be written. The message then shows which.",
    next: "Follow `next:` of the message; `tokenbook doctor` checks the environment.",
  },
  drift: {
    means: "Two compared sides differ, and nobody has acknowledged it.",
    next: "`tokenbook drift list`, then fix one side or `tokenbook drift ack`.",
  },
  pending: {
    means: "A step is waiting for approval or for the service.",
    next: "`tokenbook resume`, after the approval or the event that it is waiting for.",
  },
  unknown: {
    means: "The outcome of a write is unknown, or the ledger contradicts the write.",
    next: "`tokenbook resume` checks the ledger again; `tokenbook resolve RUN` records the outcome that you know.",
  },
  locked: {
    means:
      "Another process holds the run, its group, or an entity that it writes as, or a worker will run the same. Or a write of an earlier run may still take effect, so that this run could make it a second time, or be undone by it.",
    next: "Wait for it; `tokenbook runs leases` shows who holds it. For an open write, `tokenbook resume` the run that left it.",
  },
  bug: { means: "A bug in tokenbook.", next: "Report it with the printed text. The journal has everything needed to resume." },
  interrupted: { means: "Interrupted by SIGINT (Ctrl-C).", next: "`tokenbook resume`." },
  terminated: { means: "Interrupted by SIGTERM.", next: "`tokenbook resume`." },
};
