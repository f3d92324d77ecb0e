import { type Hint, PLAIN_HINT } from "../../base/command-line.ts";
import type { Writing } from "../../protocol/heading.ts";
import { isNotice, type Notice, type RunRecord } from "../../protocol/record.ts";
import type { Observer } from "../../report/fanout.ts";
import type { RunFold } from "../../report/model.ts";
import type { RunReport } from "../../report/shape.ts";
import {
  beganLines,
  busyLine,
  doneBeforeLine,
  editedLines,
  headerLine,
  labelRun,
  overallLine,
  STOPPING_LINE,
  summaryLines,
  turnedLines,
  waitingLine,
} from "../../report/text.ts";
import { StepLines } from "../../report/steps/step-lines.ts";
import type { View, ViewOutput } from "./view.ts";
import { hintedStep } from "../../report/hinted.ts";

/** Where plain lines are printed. */
export interface PlainOutput extends ViewOutput {
  /** Prints a text that contains its line ends. */
  readonly write: (text: string) => void;
  /** The files of all playbooks that are run. If there are several, each line names its file. */
  readonly files: readonly string[];
}

/** Prints one line for each step when it ends, for pipes and CI logs. Nothing is ever erased. */
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

  /** Ends the view after all runs: prints the summary line if there are several runs or if files were left out. */
  end(): Promise<void> {
    const { files, skipped = 0, write } = this.#output;
    if ((files.length > 1 || skipped > 0) && this.#finished.length > 0) write(`${overallLine(this.#finished, skipped)}\n`);
    return Promise.resolve();
  }
}

// A log mentions a step that waits or reads after this time, and again each time the duration has doubled.
const QUIET_MS = 10_000;

class PlainRun {
  readonly #output: PlainOutput;
  readonly #hint: Hint;
  readonly #since: number;
  readonly #fold: RunFold;
  readonly #shown = new Set<string>();
  /** For each busy step: since when it is busy, and when the next line about it is printed. */
  readonly #busy = new Map<string, { readonly since: number; readonly nextAt: number }>();
  readonly #lines: StepLines;
  #hasHeader = false;
  #label: string | undefined;
  #written: Pick<Writing, "sources"> = {};
  #isNew = false;

  constructor(fold: RunFold, output: PlainOutput) {
    this.#fold = fold;
    this.#output = output;
    this.#hint = output.hint ?? PLAIN_HINT;
    this.#since = output.clock.now();
    this.#lines = new StepLines(output.detail, (address, container) => fold.isWithin(address, container));
  }

  take(record: RunRecord): void {
    const before = this.#written;
    if (record.kind === "run.opened" || record.kind === "run.edited") this.#written = record;
    // Once a record is new, all later ones are too, even if the clock is set back meanwhile.
    this.#isNew ||= record.at >= this.#since;
    if (!this.#isNew) return;
    this.#head();
    if (record.kind === "run.edited") return this.#print(editedLines(before, record));
    if (record.kind === "block.turned") return this.#print(turnedLines(record));
    if (record.kind === "step.begun") return this.#print(this.#lines.begin(this.#fold.step(record.step).report()));
    if (record.kind !== "step.completed" && record.kind !== "step.stopped") return;
    this.#shown.add(record.step);
    this.#busy.delete(record.step);
    this.#print(this.#lines.end(hintedStep(this.#fold.step(record.step).report(), this.#hint)));
  }

  notice(notice: Notice): void {
    if (notice.kind !== "step.waiting" && notice.kind !== "step.reading") return;
    const { step, at } = notice;
    const { since, nextAt } = this.#busy.get(step) ?? { since: at, nextAt: at + QUIET_MS };
    this.#busy.set(step, { since, nextAt: at < nextAt ? nextAt : at + (at - since) });
    if (at >= nextAt && this.#output.detail !== "summary") this.#print([busyLine(notice)]);
  }

  // Steps that did not end are listed too, because one of their writes may be on its way.
  end(): RunReport | undefined {
    if (this.#fold.opened === undefined) return undefined;
    this.#head();
    const report = this.#fold.report();
    const open = report.steps.filter(
      ({ step, kind, outcome }) => kind === "call" && (outcome === "unknown" || outcome === "pending") && !this.#shown.has(step),
    );
    this.#print([...this.#lines.rest(open.map((step) => hintedStep(step, this.#hint))), ...summaryLines(report, this.#hint)]);
    return report;
  }

  // Prints one line about everything before this process.
  #head(): void {
    const { opened } = this.#fold;
    if (this.#hasHeader || opened === undefined) return;
    this.#hasHeader = true;
    const before = this.#fold.hasBegun ? doneBeforeLine(this.#fold.report().totals) : [];
    const { anyway = null, confirmed = null, idempotencyKey = null } = opened;
    if (this.#output.detail !== "summary")
      this.#print([headerLine(opened), ...beganLines({ anyway, confirmed, idempotencyKey }), ...before]);
  }

  #print(lines: readonly string[]): void {
    const { files, write } = this.#output;
    const { opened } = this.#fold;
    if (opened !== undefined && files.length > 1) this.#label ??= labelRun(opened, files);
    write(lines.map((line) => `${this.#label ?? ""}${line}\n`).join(""));
  }
}
