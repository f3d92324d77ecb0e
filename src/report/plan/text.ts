import { count } from "../../base/text.ts";
import { services } from "../../services/services.ts";
import { oneLine } from "../formats/foreign-text.ts";
import { labelled, nextLines } from "../problem.ts";
import type { PlannedProblem, PlannedRun, PlannedStep, PlannedTotals, PlannedVerdict } from "./shape.ts";
import type { TargetHeading } from "../../protocol/record.ts";
import { environmentWords } from "../words.ts";

// Plain text for people and logs: no escape sequence, and no line begins with what somebody else wrote.

const WORDS: Readonly<Record<PlannedVerdict, readonly [mark: string, word: string]>> = {
  "will-create": ["+", "will create"],
  "will-change": ["~", "will change"],
  "will-be-refused": ["!", "will be refused"],
  "already-so": ["=", "already so"],
  reads: ["✓", "reads"],
  holds: ["✓", "holds"],
  opens: ["▾", ""],
  skipped: ["–", "skipped"],
  "would-wait": ["…", "would wait"],
  "would-warn": ["!", "would warn"],
  "would-fail": ["✗", "would fail"],
  "cannot-know": ["?", "cannot know"],
};

const WORD_WIDTH = "will be refused".length;
const STEP_WIDTH = 40;

/** What a run of a playbook would do: a line for each step, and beneath it what keeps it from being known. */
export function planLines(
  { playbook, refused, steps, problem, notReached, totals }: PlannedRun,
  target: TargetHeading,
): readonly string[] {
  const width = Math.min(STEP_WIDTH, Math.max(0, ...steps.map(({ step, depth }) => oneLine(step).length + 2 * depth)));
  return [
    `▷ ${oneLine(playbook.name)}  (${oneLine(playbook.file)})  environment ${oneLine(environmentWords(target))}`,
    ...(refused === null ? [] : refusedLines(refused)),
    ...steps.flatMap((step) => stepLines(step, width)),
    ...(problem === null ? [] : problemLines(problem, "  ")),
    ...(notReached.length === 0
      ? []
      : [
          `  · not reached, as things are: ${notReached
            .slice(0, 10)
            .map((step) => oneLine(step))
            .join(", ")}${more(notReached)}`,
        ]),
    `  ${totalsLine(totals)}`,
  ];
}

// As a person would hear it who runs the playbook now.
function refusedLines({ code, message, next }: PlannedProblem): readonly string[] {
  const lines = [...labelled(code, message), ...(next === null ? [] : nextLines(next))];
  return ["  ✗ a run would not begin (exit 6)", ...lines.map((line) => `    ${line}`)];
}

function more(steps: readonly string[]): string {
  return steps.length > 10 ? ` and ${steps.length - 10} more` : "";
}

function stepLines(step: PlannedStep, width: number): readonly string[] {
  const [mark, word] = WORDS[step.verdict];
  const parts = [
    `${mark} ${word.padEnd(WORD_WIDTH)}`,
    `${"  ".repeat(step.depth)}${oneLine(step.step)}`.padEnd(width),
    step.kind === "foreach" ? "for each" : oneLine(step.uses),
    step.actor === null ? "" : `as ${oneLine(step.actor)}`,
  ];
  const indent = `${" ".repeat(WORD_WIDTH + 6)}${"  ".repeat(step.depth)}`;
  return [`  ${parts.filter((part) => part !== "").join("  ")}`.trimEnd(), ...beneath(step).map((line) => `${indent}${line}`)];
}

function beneath({ why, unknown, problem }: PlannedStep): readonly string[] {
  return [
    ...why.map((each) => `· ${oneLine(each)}`),
    ...unknown.map((part) => `· ${oneLine(part.path)}: ${oneLine(part.why)}`),
    ...(problem === null ? [] : problemLines(problem, "")),
  ];
}

function problemLines({ code, message, next }: PlannedProblem, indent: string): readonly string[] {
  return [`${indent}${oneLine(code)}: ${oneLine(message)}`, ...(next === null ? [] : [`${indent}next: ${oneLine(next)}`])];
}

/** `would send 3 ledger transactions (1 cannot be known), 2 steps already so`. */
export function totalsLine(totals: PlannedTotals): string {
  const { cannotKnow, alreadySo, wouldFail } = totals;
  const [sent = "", ...others] = services.flatMap(({ planned: { total, words } }, at) => {
    const writes = totals[total] ?? 0;
    return at === 0 || writes > 0 ? [words(writes)] : [];
  });
  return [
    `would send ${sent} (${cannotKnow} cannot be known)`,
    ...others,
    `${count(alreadySo, "step")} already so`,
    ...(wouldFail === 0 ? [] : [`${count(wouldFail, "step")} would fail`]),
  ].join(", ");
}
