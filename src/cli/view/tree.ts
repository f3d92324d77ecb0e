import { invariant } from "../../base/failure.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { countLong } from "../../base/text/text.ts";
import { keysOf } from "../../protocol/address.ts";
import { oneLine } from "../../report/formats/foreign-text.ts";
import type { RunFold } from "../../report/model.ts";
import type { Row } from "../../report/steps/row-order.ts";
import type { ReportedOutcome, RowOutcome } from "../../report/shape.ts";
import type { StepFold } from "../../report/steps/step-fold.ts";
import { timeText } from "../../report/steps/step-lines.ts";
import { isNamedBy, RUN_WORDS, STEP_WORDS } from "../../report/words.ts";
import { titleOf, type TitleParts } from "./title.ts";

/** What a step is doing. */
export interface Activity {
  /** When it began, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** What it waits for, and the latest end in milliseconds since the Unix epoch. */
  readonly waiting?: { readonly for: string; readonly untilMs: number };
  /** How much it has read of a list with several pages. */
  readonly reading?: { readonly pages: number; readonly rows: number };
}

/** A run that is being watched. */
export interface WatchedRun {
  /** The fold of the run's records so far. */
  readonly fold: RunFold;
  /** The steps under way, by address. */
  readonly active: ReadonlyMap<string, Activity>;
  /** What the run waits for before it starts. */
  readonly held?: Activity | undefined;
  /** Whether no more records come. */
  readonly isOver: boolean;
  /** Whether somebody has asked the run to stop. It stops when nothing is under way. */
  readonly isStopping?: boolean;
}

/** How a line is marked. */
export type LineState = RowOutcome | "running";

/** One line of the tree with the lines below it. Its title is made only when it is shown. */
export interface TreeLine {
  /** The address of the step. For a run it is the run's id, or empty before the run has started. */
  readonly key: string;
  /** How the line is marked. */
  readonly state: LineState;
  /** Returns the title in at most `columns` characters. */
  readonly titleWithin: (columns: number) => string;
  /** The lines below it, in order. */
  readonly children: readonly TreeLine[];
}

/** Returns the tree of a run at a moment; `undefined` before there is anything to show. */
export function treeOf({ fold, active, held, isOver, isStopping = false }: WatchedRun, now: number): TreeLine | undefined {
  const { opened, closed } = fold;
  if (opened === undefined) {
    if (held === undefined || isOver) return undefined;
    return line("", { state: "running" }, () => ({ address: "not begun", tails: activityTails(held, now) }));
  }
  const steps: TreeLine[] = [];
  const children = new TreeLines({ active, isOver, now }, steps).of(fold.tree(active.keys()), []);
  const outcome: ReportedOutcome | undefined = closed?.outcome ?? (isOver ? "running" : undefined);
  const words = outcome === undefined ? (isStopping ? STOPPING : [""]) : [`${RUN_WORDS[outcome].word} · `];
  const spent = `${progress(steps)} · ${elapsed(opened.at, closed?.at ?? now)}`;
  return line(opened.runId, { state: runState(outcome), children }, () => ({
    address: oneLine(opened.playbook.name),
    tails: words.map((word) => `${word}${spent}`),
  }));
}

const STOPPING = ["stopping, Ctrl-C again ends at once · ", "stopping · "];

function line(
  key: string,
  { state, children = [] }: { state: LineState; children?: readonly TreeLine[] },
  parts: () => TitleParts,
): TreeLine {
  return { key, state, children, titleWithin: (columns) => titleOf(parts(), columns) };
}

type TreeMoment = Pick<WatchedRun, "active" | "isOver"> & { readonly now: number };

/** Makes the lines of rows. A `foreach` has a line of its own with its rounds below it, and each round has its own steps. */
class TreeLines {
  readonly #sight: TreeMoment;
  /** The lines that are counted: steps that contain no other steps. */
  readonly #steps: TreeLine[];

  constructor(sight: TreeMoment, steps: TreeLine[]) {
    this.#sight = sight;
    this.#steps = steps;
  }

  /** Returns the lines of rows inside the rounds with these keys. */
  of(rows: readonly Row[], around: readonly string[]): readonly TreeLine[] {
    const byStep = Map.groupBy(rows, ({ fold }) => fold.heading.id);
    return Array.from(byStep.values(), (same) => {
      const rounds = same.filter(({ fold }) => keysOf(fold.address).length > around.length);
      const [first] = rounds;
      const whole = same.find((row) => !rounds.includes(row));
      if (first !== undefined) return this.#foreachLine(first.fold, whole?.fold, rounds);
      invariant(whole !== undefined, "what is no round of a step is the whole of it");
      return this.#rowLine(whole);
    });
  }

  #foreachLine(first: StepFold, whole: StepFold | undefined, rounds: readonly Row[]): TreeLine {
    const children = rounds.map((round) => this.#rowLine(round));
    const state = whole?.hasEnded === true ? whole.outcome : groupState(children);
    const address = first.address.slice(0, first.address.lastIndexOf("["));
    return line(address, { state, children }, () => ({ ...namesOf(first, address), tails: [progress(children)] }));
  }

  #rowLine({ fold, held }: Row): TreeLine {
    const made = stepLine(fold, this.of(held, keysOf(fold.address)), this.#sight);
    if (!fold.isContainer) this.#steps.push(made);
    return made;
  }
}

function stepLine(step: StepFold, children: readonly TreeLine[], { active, isOver, now }: TreeMoment): TreeLine {
  const begunAt = step.isContainer && step.hasBegun && !step.hasEnded && !isOver ? step.begunAt : undefined;
  const activity = active.get(step.address) ?? (begunAt === undefined ? undefined : { since: begunAt });
  if (activity !== undefined) {
    const parts = (): TitleParts => ({ ...namesOf(step), tails: activityTails(activity, now) });
    return line(step.address, { state: "running", children }, parts);
  }
  return line(step.address, { state: step.outcome, children }, () => restingParts(step));
}

function restingParts(step: StepFold): TitleParts {
  if (step.outcome === "not-run") return { ...namesOf(step), tails: [""] };
  const report = step.report();
  const { outcome, transactionId, durationMs, problem, warning } = report;
  const word = `${STEP_WORDS[outcome].word}${warning === null ? "" : " with a warning"}`;
  const cause = problem === null ? word : `${word} ${oneLine(problem.code)}`;
  const id = transactionId === null ? null : oneLine(transactionId);
  return {
    ...namesOf(step),
    transactionId: id,
    tails:
      durationMs === null
        ? [cause, word]
        : [`${cause} · ${timeText(report, " · ")}`, `${cause} · ${formatDuration(durationMs)}`, cause, word],
  };
}

function namesOf(step: StepFold, address: string = step.address): Pick<TitleParts, "address" | "name"> {
  const { id, name } = step.heading;
  return isNamedBy(id, name) ? { address: oneLine(address) } : { address: oneLine(address), name: oneLine(name) };
}

function activityTails({ since, waiting, reading }: Activity, now: number): TitleParts["tails"] {
  const spent = elapsed(since, now);
  const read =
    reading === undefined ? [] : [`page ${reading.pages} · ${countLong(reading.rows, "row")}`, `page ${reading.pages}`];
  if (waiting === undefined) return [...read.map((each) => `${each} · ${spent}`), spent];
  const until = `until ${new Date(waiting.untilMs).toTimeString().slice(0, 8)} · ${spent}`;
  return [
    ...read.slice(0, 1).map((each) => `${each} · waiting for ${oneLine(waiting.for, 80)} ${until}`),
    `waiting for ${oneLine(waiting.for, 80)} ${until}`,
    `waiting for ${oneLine(waiting.for, 24)} ${until}`,
    `waiting ${until}`,
    until,
    spent,
  ];
}

function runState(outcome: ReportedOutcome | undefined): LineState {
  if (outcome === undefined) return "running";
  if (outcome === "passed") return "ok";
  return outcome === "interrupted" || outcome === "running" ? "pending" : outcome;
}

// A group has the state of the child that comes first here: the worst one or, if all went well, the one that did most.
const PRECEDENCE: Readonly<Record<LineState, number>> = {
  conflict: 0,
  unknown: 1,
  failed: 2,
  drift: 3,
  pending: 4,
  running: 5,
  rescued: 6,
  "not-run": 7,
  changed: 8,
  unchanged: 9,
  ok: 10,
  skipped: 11,
};

function groupState(children: readonly TreeLine[]): LineState {
  const states = [...new Set(children.map(({ state }) => state))].toSorted((a, b) => PRECEDENCE[a] - PRECEDENCE[b]);
  const [first = "skipped"] = states;
  return first === "not-run" && states.length > 1 ? "running" : first;
}

/** Returns whether a line's step ended as expected. */
export function isDone({ state }: TreeLine): boolean {
  return state !== "running" && STEP_WORDS[state].isDone;
}

function progress(lines: readonly TreeLine[]): string {
  return `${lines.filter(isDone).length}/${lines.length}`;
}

// Nobody can read more than tenths of a second.
function elapsed(from: number, to: number): string {
  return formatDuration(Math.max(0, Math.floor((to - from) / 100) * 100));
}
