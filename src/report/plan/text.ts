import { completedAdvice, type Hint, PLAIN_HINT } from "../../base/command-line.ts";
import { count } from "../../base/text/text.ts";
import { oneLine } from "../formats/foreign-text.ts";
import { hintedProblem } from "../hinted.ts";
import { nextLines, problemLines } from "../problem.ts";
import type { PlannedProblem, PlannedRun, PlannedStep, PlannedVerdict } from "./shape.ts";
import type { TargetHeading } from "../../protocol/heading.ts";
import { environmentWords } from "../words.ts";

// Plain text for people and logs: it has no escape sequences, and no line begins with foreign text.

const WORDS: Readonly<Record<PlannedVerdict, readonly [mark: string, word: string]>> = {
  "will-create": ["+", "will create"],
  "will-change": ["~", "will change"],
  "will-be-refused": ["!", "will be refused"],
  "already-so": ["=", "already done"],
  reads: ["✓", "reads"],
  holds: ["✓", "holds"],
  opens: ["▾", ""],
  skipped: ["–", "skipped"],
  "would-wait": ["…", "would wait"],
  "would-warn": ["!", "would warn"],
  "would-fail": ["✗", "would fail"],
  "cannot-know": ["?", "cannot predict"],
};

/** Returns the verdict on a step in the words of a plan, such as `will create`. */
export function verdictWords(verdict: PlannedVerdict): string {
  return WORDS[verdict][1] || "opens";
}

const WORD_WIDTH = "will be refused".length;
const STEP_WIDTH = 40;

/** Describes what a run of a playbook would do: a line for each step, the reasons for what cannot be predicted, and totals. */
export function planLines(
  { playbook, refused, steps, problem, notReached }: PlannedRun,
  target: TargetHeading,
  hint: Hint = PLAIN_HINT,
): readonly string[] {
  const width = Math.min(STEP_WIDTH, Math.max(0, ...steps.map(({ step, depth }) => oneLine(step).length + 2 * depth)));
  const shown = new Set<string>();
  return [
    `▷ ${oneLine(playbook.name)}  (${oneLine(playbook.file)})  environment ${oneLine(environmentWords(target))}`,
    ...(refused === null ? [] : refusedLines(refused, hint)),
    ...steps.flatMap((step) => stepLines(step, { width, shown, hint })),
    ...(problem === null ? [] : failureLines(problem, hint).map((line) => `  ${line}`)),
    ...(notReached.length === 0
      ? []
      : [
          `  · not reached: ${notReached
            .slice(0, 10)
            .map((step) => oneLine(step))
            .join(", ")}${more(notReached)}`,
        ]),
    ...totalLines(steps).map((line) => `  ${line}`),
  ];
}

// Prints the failure in the same words as `run` would.
function refusedLines(problem: PlannedProblem, hint: Hint): readonly string[] {
  const lines = problemLines(hintedProblem(problem, hint));
  return ["  ✗ a run would not begin (exit 6)", ...lines.map((line) => `    ${line}`)];
}

function more(steps: readonly string[]): string {
  return steps.length > 10 ? ` and ${steps.length - 10} more` : "";
}

interface PlannedLines {
  readonly width: number;
  /** The notes that were already printed. */
  readonly shown: Set<string>;
  readonly hint: Hint;
}

function stepLines(step: PlannedStep, { width, shown, hint }: PlannedLines): readonly string[] {
  const [mark, word] = WORDS[step.verdict];
  const parts = [
    `${mark} ${word.padEnd(WORD_WIDTH)}`,
    `${"  ".repeat(step.depth)}${oneLine(step.step)}`.padEnd(width),
    step.kind === "foreach" ? "for each" : oneLine(step.uses),
    step.actor === null ? "" : `as ${oneLine(step.actor)}`,
  ];
  const indent = `${" ".repeat(WORD_WIDTH + 6)}${"  ".repeat(step.depth)}`;
  return [
    `  ${parts.filter((part) => part !== "").join("  ")}`.trimEnd(),
    ...beneath(step, shown, hint).map((line) => `${indent}${line}`),
  ];
}

// A note that many rows share is printed only below the first of them.
function beneath({ why, unknown, problem }: PlannedStep, shown: Set<string>, hint: Hint): readonly string[] {
  const notes = [...why.map((each) => [each, ""] as const), ...unknown.map((part) => [part.why, `${part.path}: `] as const)];
  const isNew = ([text]: readonly [string, string]): boolean => !shown.has(text) && shown.add(text) === shown;
  return [
    ...notes.filter(isNew).map(([text, path]) => `· ${oneLine(path)}${oneLine(text)}`),
    ...(problem === null ? [] : failureLines(problem, hint)),
  ];
}

function failureLines({ code, message, next }: PlannedProblem, hint: Hint): readonly string[] {
  return [`${oneLine(code)}: ${oneLine(message)}`, ...(next === null ? [] : nextLines(completedAdvice(next, hint)))];
}

/**
 * Returns the totals: `3 steps would create something; 1 step is already done`, then `2 steps cannot be predicted, because …`. If there are several reasons,
 * each has its own line.
 */
export function totalLines(steps: readonly PlannedStep[]): readonly string[] {
  const rows = (verdict: PlannedVerdict): readonly PlannedStep[] => steps.filter((step) => step.verdict === verdict);
  const unpredicted = rows("cannot-know");
  // We count steps, because one step may create several things, or change a thing that another step also changes.
  const parts = [
    ...countedSteps(rows("will-create"), "would create something"),
    ...countedSteps(rows("will-change"), "would change something"),
    ...countedSteps(rows("already-so"), "is already done", "are already done"),
    ...countedSteps(rows("would-fail"), "is sure to fail", "are sure to fail"),
  ];
  const certain = parts.length === 0 && !unpredicted.some(({ writes }) => writes !== null) ? ["nothing would be written"] : parts;
  return [...(certain.length === 0 ? [] : [certain.join("; ")]), ...unpredictedLines(unpredicted)];
}

function unpredictedLines(steps: readonly PlannedStep[]): readonly string[] {
  if (steps.length === 0) return [];
  const reasons = reasonsOf(steps);
  const what = `${count(steps.length, "step")} cannot be predicted, because`;
  return reasons.length > 1 ? [what, ...reasons.map((reason) => `  ${reason}`)] : [`${what} ${reasons.join("")}`];
}

function countedSteps({ length }: readonly PlannedStep[], one: string, several = one): readonly string[] {
  return length === 0 ? [] : [`${count(length, "step")} ${length === 1 ? one : several}`];
}

const REASONS_SHOWN = 2;

function reasonsOf(steps: readonly PlannedStep[]): readonly string[] {
  const reasons = steps.flatMap(({ why, unknown }) => [...new Set([...why, ...unknown.map((part) => part.why)])]);
  const common = [...Map.groupBy(reasons, (reason) => reason)].toSorted(([, one], [, other]) => other.length - one.length);
  const shown = common.slice(0, REASONS_SHOWN).map(([reason]) => oneLine(reason));
  return common.length > REASONS_SHOWN ? [...shown, `and ${count(common.length - REASONS_SHOWN, "other reason")}`] : shown;
}
