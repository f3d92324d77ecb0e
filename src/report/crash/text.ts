import { formatDuration } from "../../base/time/duration.ts";
import { harmlessDocument } from "../../base/text/harmless.ts";
import { count } from "../../base/text/text.ts";
import { foreignLines, oneLine } from "../formats/foreign-text.ts";
import { problemLines } from "../problem.ts";
import type { CrashDocument, CrashReport, CrashTotals, TriedBoundary } from "./shape.ts";

// Plain text for people and logs: it has no escape sequences, and no line begins with foreign text.

const OF_THE_RUN = "the run itself";

/** Describes the result of killing one playbook at every boundary: a table by step, the violations, and the totals. */
export function crashLines(report: CrashReport): readonly string[] {
  const { playbook, problem, boundaries } = report;
  const found =
    problem === null
      ? [...table(boundaries), ...answerLines(boundaries), ...boundaries.flatMap(violationLines), sumLine(report)]
      : ["✗ not tested", ...problemLines(problem).map((line) => `  ${line}`)];
  return [`⚡ ${oneLine(playbook.name)}  (${oneLine(playbook.file)})`, ...found.map((line) => `  ${line}`)];
}

type Column = readonly [heading: string, cell: (tried: readonly TriedBoundary[]) => number];

const COLUMNS: readonly Column[] = [
  ["killed", (tried) => tried.length],
  ["same", (tried) => numberOf(tried, "same")],
  ["unknown", (tried) => numberOf(tried, "unknown")],
  ["took effect", (tried) => tried.filter(({ writes }) => writes.some(({ tookEffect }) => tookEffect)).length],
  ["answer lost", (tried) => numberOf(tried, "answer-lost")],
  ["DIFFERENT", (tried) => numberOf(tried, "different")],
];

function table(boundaries: readonly TriedBoundary[]): readonly string[] {
  const steps = [...Map.groupBy(boundaries, ({ step }) => step)];
  const names = ["step", ...steps.map(([step]) => (step === null ? OF_THE_RUN : oneLine(step)))];
  const width = Math.max(...names.map(({ length }) => length));
  return names.map((name, at) => {
    const tried = steps[at - 1]?.[1];
    const cells = COLUMNS.map(([heading, cell]) =>
      (tried === undefined ? heading : String(cell(tried))).padStart(heading.length),
    );
    return [name.padEnd(width), ...cells].join("  ");
  });
}

function numberOf(tried: readonly TriedBoundary[], verdict: TriedBoundary["verdict"]): number {
  return tried.filter((each) => each.verdict === verdict).length;
}

/** Returns what runs report about lost answers, each text once. */
function answerLines(boundaries: readonly TriedBoundary[]): readonly string[] {
  const said = boundaries.filter(({ verdict }) => verdict === "answer-lost").flatMap(({ differences }) => differences);
  return [...new Set(said)].map((each) => `! answer lost: ${oneLine(each)}`);
}

function violationLines({ point, verdict, differences, replay }: TriedBoundary): readonly string[] {
  if (verdict !== "different") return [];
  return [
    `✗ DIFFERENT  killed at ${oneLine(point)}`,
    ...differences.flatMap((difference) => foreignLines(difference).map((line) => `    · ${line}`)),
    `    replay: ${oneLine(replay)}`,
  ];
}

function sumLine({ totals, durationMs }: CrashReport): string {
  return `${totals.different === 0 ? "✓" : "✗"} ${sumOf(totals)} in ${formatDuration(durationMs)}`;
}

/** Formats the totals: `26 boundaries: 21 same, 5 unknown, no violation`. */
function sumOf({ tried, same, unknown, answerLost, different, missed, setTwice, notTried }: CrashTotals): string {
  const lost = answerLost === 0 ? [] : [`${answerLost} failed because an answer was lost`];
  const verdicts = [
    `${same} same`,
    `${unknown} unknown`,
    ...lost,
    different === 0 ? "no violation" : count(different, "violation"),
  ];
  return [
    `${tried} ${tried === 1 ? "boundary" : "boundaries"}: ${verdicts.join(", ")}`,
    ...(setTwice === 0 ? [] : [`after ${setTwice} a value was set twice, which changes nothing`]),
    ...(missed === 0 ? [] : [`${missed} not reached again, because steps that run side by side have no fixed order`]),
    ...(notTried === 0 ? [] : [`interrupted: ${notTried} not tried`]),
  ].join("; ");
}

/** Returns the output of `test --crash-everywhere --json`. */
export function crashJson(playbooks: readonly CrashReport[]): string {
  const ok = playbooks.every(({ problem, totals }) => problem === null && totals.different === 0 && totals.notTried === 0);
  return harmlessDocument({ format: 1, ok, playbooks } satisfies CrashDocument);
}
