import { formatDuration } from "../../base/time/duration.ts";
import { shownJson } from "../../base/json/json.ts";
import { count } from "../../base/text/text.ts";
import { comparisonLines } from "../comparison.ts";
import { oneLine } from "../formats/foreign-text.ts";
import { Nesting } from "./nesting.ts";
import { heldLines } from "../held.ts";
import { labelled, problemLines } from "../problem.ts";
import { settledText } from "../settled.ts";
import type { StepReport } from "../shape.ts";
import { actedAs, isNamedBy, NO_END, wordOf } from "../words.ts";

/** How much of a run is printed: only its summary, its steps with short ids and with passed blocks folded, or everything. */
export type Detail = "summary" | "short" | "full";

const WORD_WIDTH = 7;
const INDENT = "    ";
const STEP_INDENT = "  ";

/** Returns the line of a step that has ended. */
export function plainLine(step: StepReport, detail: Detail = "full", extra = ""): string {
  const { mark, word } = wordOf(step);
  const parts = [
    `${mark} ${word.padEnd(WORD_WIDTH)}`,
    oneLine(step.step),
    nameOf(step),
    oneLine(step.uses),
    actedAs(step) === "" ? "" : `as ${oneLine(actedAs(step))}`,
    step.transactionId === null ? "" : `tx ${idIn(detail, oneLine(step.transactionId))}`,
    receiptPart(step, detail),
    extra,
    step.attempts.length > 1 ? `sent ${step.attempts.length} times` : "",
    timeText(step),
  ];
  return parts.filter((part) => part !== "").join("  ");
}

type StepDurations = Pick<StepReport, "durationMs" | "waitedMs" | "stoppedMs">;

/** Returns how long a step was worked on, followed by the time it was not. */
export function timeText(step: StepDurations, between = "  "): string {
  return step.durationMs === null ? "" : [formatDuration(step.durationMs), ...idleTexts(step)].join(between);
}

/** Returns how long nothing could be done for a step, and how long it was stopped. Zero times are left out. */
export function idleTexts({ waitedMs, stoppedMs }: StepDurations): readonly string[] {
  return [
    ...(waitedMs === null || waitedMs === 0 ? [] : [`waited ${formatDuration(waitedMs)}`]),
    ...(stoppedMs === null || stoppedMs === 0 ? [] : [`stopped for ${formatDuration(stoppedMs)}`]),
  ];
}

function nameOf({ step, id, name }: StepReport): string {
  return name === step || isNamedBy(id, name) ? "" : oneLine(name);
}

function receiptPart({ receipt }: StepReport, detail: Detail): string {
  if (receipt === null) return "";
  if (receipt.status !== null) return `receipt ${oneLine(receipt.status)}`;
  return receipt.receiptId === null ? "" : `receipt ${idIn(detail, oneLine(receipt.receiptId))} not read`;
}

// Matches long hexadecimal ids and UUIDs, but no short ids.
const LONG_ID = /^[0-9a-f-]{20,}$/i;
const SHORT_CHARS = 8;

function idIn(detail: Detail, id: string): string {
  return detail !== "full" && LONG_ID.test(id) ? `${id.slice(0, SHORT_CHARS)}…` : id;
}

// Matches ids inside a sentence: only hexadecimal ids that are too long to be words.
const LONG_IDS = /\b[0-9a-f]{32,}\b/gi;

function idsIn(detail: Detail, text: string): string {
  return text.replaceAll(LONG_IDS, (id) => idIn(detail, id));
}

/** Returns a step's line with its problem below it, indented by the number of blocks and playbooks around it. */
export function stepLines(step: StepReport, detail: Detail): readonly string[] {
  return within(step, [
    plainLine(step, detail),
    ...indented([...beneath(step, detail), ...heldLines(step.held, detail === "full")]),
  ]);
}

/** Returns the first line of a block or an included playbook. Its steps and its end follow later. */
function beginningLine(step: StepReport): string {
  const parts = [`▸ ${oneLine(step.step)}`, nameOf(step), oneLine(step.uses)];
  return within(step, [parts.filter((part) => part !== "").join("  ")]).join("");
}

function within({ depth }: StepReport, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${STEP_INDENT.repeat(depth)}${line}`);
}

function beneath(step: StepReport, detail: Detail): readonly string[] {
  return step.comparison === null ? notes(step, detail) : [...comparisonLines(step.comparison), ...notes(step, detail)];
}

function notes(step: StepReport, detail: Detail): readonly string[] {
  const { kind, problem, warning, outcome, refusal, balances } = step;
  if (problem !== null) return [...problemLines(problem), ...placeLines(step)];
  if (warning !== null) return ["warning:", ...problemLines(warning), ...placeLines(step)];
  if (refusal !== null) return labelled("refused as expected", refusal);
  if (balances !== null) return balanceLines(balances);
  if (kind !== "call") return [];
  if (outcome === "unknown" || outcome === "pending") return [`not finished: ${NO_END}`, ...settledLines(step, detail)];
  return settledLines(step, detail);
}

const BALANCES_SHOWN = 5;

/** Returns the quantities that a `conserve` found equal on both sides, a line for each. If there are many, returns only the first ones. */
export function balanceLines(balances: NonNullable<StepReport["balances"]>): readonly string[] {
  const shown = balances
    .slice(0, BALANCES_SHOWN)
    .flatMap(({ of, left }) =>
      labelled(of.map((part) => oneLine(part)).join(", "), typeof left === "string" ? left : shownJson(left)),
    );
  const more = balances.length - BALANCES_SHOWN;
  return more > 0 ? [...shown, `and ${more} more that are equal`] : shown;
}

// If a write was not settled by its own answer, the evidence is shown.
function settledLines({ attempts }: StepReport, detail: Detail): readonly string[] {
  return attempts.flatMap(({ attempt, operation, settled }) =>
    settled === null ? [] : labelled(`attempt ${attempt + 1}`, idsIn(detail, settledText(settled, operation))),
  );
}

/** Returns where a step is written, unless it is in the playbook of the run. */
export function placeLines({ file, line }: StepReport): readonly string[] {
  return file === null ? [] : labelled("at", `${file}:${line}`);
}

/** Indents lines below the line of a run or a step. */
export function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${INDENT}${line}`);
}

const PASSED: ReadonlySet<string> = new Set(["ok", "changed", "unchanged", "skipped"]);

// A step with a note below its line must be shown. A refusal that was expected need not be.
function isUneventful({ outcome, warning, problem, comparison, attempts }: StepReport): boolean {
  const isPlain = warning === null && problem === null && comparison === null;
  return PASSED.has(outcome) && isPlain && attempts.length <= 1 && attempts.every(({ settled }) => settled === null);
}

function foldedLines(step: StepReport, steps: number): readonly string[] {
  return within(step, [plainLine(step, "short", count(steps, "step"))]);
}

function isCounted({ kind }: StepReport): boolean {
  return kind === "call" || kind === "check";
}

/** Returns whether a step is in a block or an included playbook, in the same rounds. */
type IsWithin = (address: string, container: string) => boolean;

/** Returns the lines of the steps of a finished run. A block that passed is one line. */
export function rowLines(rows: readonly StepReport[], detail: Detail): readonly string[] {
  if (detail === "summary") return [];
  const ran = rows.filter(({ outcome }) => outcome !== "not-run");
  if (detail === "full") return ran.flatMap((step) => stepLines(step, detail));
  const nesting = new Nesting(rows);
  const hidden = new Set<StepReport>();
  return ran.flatMap((step) => {
    if (hidden.has(step)) return [];
    if (isCounted(step) || !isUneventful(step)) return stepLines(step, detail);
    const inside = ran.filter((other) => nesting.isWithin(other.step, step.step));
    if (inside.length === 0 || !inside.every(isUneventful)) return stepLines(step, detail);
    for (const other of inside) hidden.add(other);
    return foldedLines(step, inside.filter(isCounted).length);
  });
}

/** A block or included playbook that has begun, with the lines of its steps, which are held back while none of them must be shown. */
interface OpenContainer {
  readonly step: StepReport;
  readonly lines: string[];
  steps: number;
  isUnfolded: boolean;
}

/** Prints the lines of a run's steps when they end. A block that passes is one line, but a problem in it is printed at once. */
export class StepLines {
  readonly #detail: Detail;
  readonly #isWithin: IsWithin;
  readonly #open = new Map<string, OpenContainer>();

  constructor(detail: Detail, isWithin: IsWithin) {
    this.#detail = detail;
    this.#isWithin = isWithin;
  }

  /** Takes the beginning of a block or an included playbook. */
  begin(step: StepReport): readonly string[] {
    if (this.#detail === "summary") return [];
    if (this.#detail === "full") return [beginningLine(step)];
    this.#open.set(step.step, { step, lines: [], steps: 0, isUnfolded: false });
    return [];
  }

  /** Takes the end of a step. */
  end(step: StepReport): readonly string[] {
    if (this.#detail === "summary") return [];
    if (this.#detail === "full") return stepLines(step, "full");
    const own = this.#open.get(step.step);
    const isFolded = own !== undefined && !own.isUnfolded && isUneventful(step);
    const unfolded = own === undefined || isFolded ? [] : this.#unfold(own);
    this.#open.delete(step.step);
    const lines = isFolded && own.steps > 0 ? foldedLines(step, own.steps) : stepLines(step, "short");
    const holder = this.#holderOf(step.step);
    if (holder === undefined || holder.isUnfolded) return [...unfolded, ...lines];
    if (!isUneventful(step)) return [...this.#unfold(holder), ...unfolded, ...lines];
    holder.lines.push(...lines);
    holder.steps += isCounted(step) ? 1 : (own?.steps ?? 0);
    return [];
  }

  /** Returns the lines that are still held back, and the lines of steps that have not ended. */
  rest(steps: readonly StepReport[]): readonly string[] {
    if (this.#detail === "summary") return [];
    const held = [...this.#open.values()].flatMap((container) => this.#unfold(container));
    return [...held, ...steps.flatMap((step) => stepLines(step, this.#detail))];
  }

  #unfold(container: OpenContainer): readonly string[] {
    if (container.isUnfolded) return [];
    container.isUnfolded = true;
    const holder = this.#holderOf(container.step.step);
    const before = holder === undefined ? [] : this.#unfold(holder);
    return [...before, beginningLine(container.step), ...container.lines.splice(0)];
  }

  #holderOf(address: string): OpenContainer | undefined {
    const holders = [...this.#open.values()].filter(({ step }) => this.#isWithin(address, step.step));
    return holders.toSorted((one, other) => other.step.depth - one.step.depth)[0];
  }
}
