import type { Clock } from "../../base/ports.ts";
import { isNotice, type Notice, type RunRecord } from "../../protocol/record.ts";
import type { Observer } from "../../report/fanout.ts";
import type { RunFold } from "../../report/model.ts";
import type { RunReport } from "../../report/shape.ts";
import {
  beganLines,
  beginningLine,
  busyLine,
  doneBeforeLine,
  editedLines,
  headerLine,
  labelRun,
  overallLine,
  stepLines,
  STOPPING_LINE,
  summaryLines,
  waitingLine,
} from "../../report/text.ts";
import type { View } from "./view.ts";

/** Where plain lines go. */
export interface PlainOutput {
  readonly write: (text: string) => void;
  /** What was recorded before now belongs to an earlier process, and is told in one line. */
  readonly clock: Pick<Clock, "now">;
  /** The files of all playbooks that are run; of several, each line names its own. */
  readonly files: readonly string[];
  /** How many files of their folders are left out. */
  readonly skipped?: number;
}

/** One line for each step when it ends, for pipes and CI logs; nothing is ever taken back. */
export class PlainView implements View {
  readonly #output: PlainOutput;
  readonly #finished: Pick<RunReport, "run">[] = [];

  constructor(output: PlainOutput) {
    this.#output = output;
  }

  watch(fold: RunFold): Observer {
    const run = new PlainRun(fold, this.#output);
    return {
      event: (event) => {
        if (event.kind === "run.waiting") this.#output.write(`${waitingLine(event)}\n`);
        if (isNotice(event)) run.notice(event);
        else run.take(event);
      },
      end: () => {
        const report = run.end();
        if (report !== undefined) this.#finished.push({ run: report.run });
      },
    };
  }

  stopping(): void {
    this.#output.write(`${STOPPING_LINE}\n`);
  }

  end(): Promise<void> {
    const { files, skipped = 0, write } = this.#output;
    if ((files.length > 1 || skipped > 0) && this.#finished.length > 0) write(`${overallLine(this.#finished, skipped)}\n`);
    return Promise.resolve();
  }
}

// How long a step is waited for, or its pages read, before a log says so; from then on each time it has taken twice as long.
const QUIET_MS = 10_000;

class PlainRun {
  readonly #output: PlainOutput;
  readonly #since: number;
  readonly #fold: RunFold;
  readonly #shown = new Set<string>();
  /** By step: since when it is busy, and when that is told next. */
  readonly #busy = new Map<string, { readonly since: number; readonly tellAt: number }>();
  #hasHeader = false;
  #label: string | undefined;
  #isNew = false;

  constructor(fold: RunFold, output: PlainOutput) {
    this.#fold = fold;
    this.#output = output;
    this.#since = output.clock.now();
  }

  take(record: RunRecord): void {
    // Once something was new, all that follows is: the clock may be put back meanwhile.
    this.#isNew ||= record.at >= this.#since;
    if (!this.#isNew) return;
    this.#head();
    if (record.kind === "run.edited") return this.#print(editedLines(record));
    if (record.kind === "step.begun") return this.#print([beginningLine(this.#fold.step(record.step).report())]);
    if (record.kind !== "step.completed" && record.kind !== "step.stopped") return;
    this.#shown.add(record.step);
    this.#busy.delete(record.step);
    this.#print(stepLines(this.#fold.step(record.step).report()));
  }

  notice(notice: Notice): void {
    if (notice.kind !== "step.waiting" && notice.kind !== "step.reading") return;
    const { step, at } = notice;
    const { since, tellAt } = this.#busy.get(step) ?? { since: at, tellAt: at + QUIET_MS };
    this.#busy.set(step, { since, tellAt: at < tellAt ? tellAt : at + (at - since) });
    if (at >= tellAt) this.#print([busyLine(notice)]);
  }

  // Steps that had begun and did not end are told too: a write of theirs may be out there.
  end(): RunReport | undefined {
    if (this.#fold.opened === undefined) return undefined;
    this.#head();
    const report = this.#fold.report();
    const open = report.steps.filter(
      ({ step, kind, outcome }) => kind === "call" && (outcome === "unknown" || outcome === "pending") && !this.#shown.has(step),
    );
    this.#print([...open.flatMap(stepLines), ...summaryLines(report)]);
    return report;
  }

  // What came before this process is one line.
  #head(): void {
    const { opened } = this.#fold;
    if (this.#hasHeader || opened === undefined) return;
    this.#hasHeader = true;
    const before = this.#fold.hasBegun ? doneBeforeLine(this.#fold.report().totals) : [];
    const { anyway = null, idempotencyKey = null } = opened;
    this.#print([headerLine(opened), ...beganLines({ anyway, idempotencyKey }), ...before]);
  }

  #print(lines: readonly string[]): void {
    const { files, write } = this.#output;
    const { opened } = this.#fold;
    if (opened !== undefined && files.length > 1) this.#label ??= labelRun(opened, files);
    write(lines.map((line) => `${this.#label ?? ""}${line}\n`).join(""));
  }
}
