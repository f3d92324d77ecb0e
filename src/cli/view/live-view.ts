import type { RunEvent } from "../../protocol/record.ts";
import type { Observer } from "../../report/fanout.ts";
import type { RunFold } from "../../report/model.ts";
import { overallLine, reportLines } from "../../report/text.ts";
import { Drawing, type DrawingOutput } from "./live.ts";
import { type Activity, treeOf, type WatchedRun } from "./tree.ts";
import type { View, ViewOutput } from "./view.ts";
import { windowOf } from "./window.ts";

/** Where and how a live tree is drawn. */
export interface LiveOutput extends DrawingOutput, ViewOutput {
  /** Prints the plain lines that stay on the terminal. */
  readonly print: (text: string) => void;
}

const SPARE_ROWS = 2;
const LEAST_ROWS = 4;

/**
 * A tree that shows the steps of each run while they run, on at most one screen. At the end, plain lines replace it, so that the terminal shows the same lines
 * as a log.
 */
export class LiveView implements View {
  readonly #output: LiveOutput;
  readonly #runs: LiveRun[] = [];
  readonly #drawing: Drawing;

  constructor(output: LiveOutput) {
    this.#output = output;
    this.#drawing = new Drawing(output, () => this.#trees());
  }

  watch(fold: RunFold): Observer {
    const run = new LiveRun(fold);
    this.#runs.push(run);
    return run;
  }

  stopping(): void {
    for (const run of this.#runs) run.isStopping = true;
  }

  /** Ends the view after all runs: clears the tree from the screen and prints the plain lines that stay. */
  async end(): Promise<void> {
    for (const run of this.#runs) run.end();
    await this.#drawing.end();
    const { detail, hint, skipped = 0 } = this.#output;
    const reports = this.#runs.filter(({ fold }) => fold.opened !== undefined).map(({ fold }) => fold.report());
    const lines = reports.flatMap((report, at) => [...(at === 0 ? [] : [""]), ...reportLines(report, detail, hint)]);
    if (reports.length > 1 || (skipped > 0 && reports.length > 0)) lines.push("", overallLine(reports, skipped));
    this.#output.print(lines.map((line) => `${line}\n`).join(""));
  }

  #trees(): ReturnType<typeof windowOf>[] {
    const { screen, clock } = this.#output;
    const trees = this.#runs.flatMap((run) => treeOf(run, clock.now()) ?? []);
    const rows = Math.floor((screen.rows - SPARE_ROWS) / Math.max(1, trees.length));
    return trees.map((tree) => windowOf(tree, Math.max(LEAST_ROWS, rows)));
  }
}

class LiveRun implements Observer, WatchedRun {
  readonly fold: RunFold;
  readonly active: Map<string, Activity> = new Map();
  held: Activity | undefined;
  isOver = false;
  isStopping = false;

  constructor(fold: RunFold) {
    this.fold = fold;
  }

  event(event: RunEvent): void {
    switch (event.kind) {
      case "step.started":
        this.active.set(event.step, { since: event.at });
        return;
      case "run.waiting":
        this.held = { since: this.held?.since ?? event.at, waiting: { for: event.for, untilMs: event.untilMs } };
        return;
      case "step.waiting":
        this.#change(event, { waiting: { for: event.for, untilMs: event.untilMs } });
        return;
      case "step.reading":
        this.#change(event, { reading: { pages: event.pages, rows: event.rows } });
        return;
      case "attempt.intended":
        if (!this.active.has(event.step)) this.active.set(event.step, { since: event.at });
        return;
      case "step.completed":
      case "step.stopped":
        this.active.delete(event.step);
        return;
      case "run.claimed":
      case "run.closed":
        this.active.clear();
        return;
      default:
    }
  }

  #change({ step, at }: { readonly step: string; readonly at: number }, change: Partial<Activity>): void {
    this.active.set(step, { since: at, ...this.active.get(step), ...change });
  }

  end(): void {
    this.active.clear();
    this.isOver = true;
  }
}
