import { harmlessJson } from "../../base/text/harmless.ts";
import { type Case, casesOf, COUNTED_AS, notBegunCase } from "./cases.ts";
import { oneLine } from "./foreign-text.ts";
import type { NotBegun, RunReport } from "../shape.ts";
import { actedAs, NOT_BEGUN, RUN_WORDS } from "../words.ts";

const INDENT = "    ";

/**
 * Writes the reports as TAP 14, with a subtest for each run and a point for each row. A step that was not done is a `SKIP`. A point that is not ok, or has a
 * warning, explains it in a YAML block.
 */
export function* tapReport(reports: readonly RunReport[], notBegun: readonly NotBegun[] = []): Generator<string> {
  yield `TAP version 14\n1..${reports.length + notBegun.length}\n`;
  for (const [at, report] of reports.entries()) {
    const { run } = report;
    const ended = run.outcome === "passed" ? "" : `: ${RUN_WORDS[run.outcome].word}`;
    yield* subtest({ number: at + 1, name: run.playbook.name, ended }, casesOf(report));
  }
  for (const [at, each] of notBegun.entries()) {
    const number = reports.length + at + 1;
    yield* subtest({ number, name: each.playbook.name, ended: `: ${NOT_BEGUN.word}` }, [notBegunCase(each)]);
  }
}

interface Subtest {
  readonly number: number;
  readonly name: string;
  /** How it ended, after its name. */
  readonly ended: string;
}

function* subtest({ number, name, ended }: Subtest, cases: readonly Case[]): Generator<string> {
  yield `# Subtest: ${description(name)}\n${INDENT}1..${cases.length}\n`;
  for (const [at, each] of cases.entries()) yield pointOf(each, at + 1);
  const isOk = cases.every(({ verdict }) => COUNTED_AS[verdict].tap !== "not ok");
  yield `${isOk ? "ok" : "not ok"} ${number} - ${description(name)}${ended}\n`;
}

function pointOf(row: Case, number: number): string {
  const { step, verdict, name, message, warning } = row;
  const { tap: counted } = COUNTED_AS[verdict];
  const isOk = counted !== "not ok";
  const directive = counted === "ok # SKIP" ? ` # SKIP ${description(message)}` : "";
  const line = `${INDENT}${isOk ? "ok" : "not ok"} ${number} - ${description(name)}${directive}\n`;
  const as = step === undefined ? "" : actedAs(step);
  const acted = as === "" ? "" : `${INDENT}# acted as ${description(as)}\n`;
  return isOk && warning.length === 0 ? `${line}${acted}` : `${line}${yamlOf(row)}${acted}`;
}

// JSON is valid YAML, and a text in JSON is on one line.
function yamlOf({ step, type, message, lines, warning, comparison }: Case): string {
  const seen = [...lines, ...warning];
  const detail = {
    message: warning[0] ?? message,
    severity: warning.length > 0 ? "warning" : "fail",
    code: oneLine(type),
    ...(step === undefined
      ? {}
      : {
          duration_ms: step.durationMs,
          waited_ms: step.waitedMs,
          stopped_ms: step.stoppedMs,
          at: { line: step.line, ...(step.file === null ? {} : { file: oneLine(step.file) }) },
        }),
    ...(seen.length < 2 ? {} : { seen }),
    ...(comparison.length === 0 ? {} : { comparison }),
  };
  const rows = Object.entries(detail).map(([key, value]) => `${INDENT}  ${key}: ${harmlessJson(JSON.stringify(value))}\n`);
  return `${INDENT}  ---\n${rows.join("")}${INDENT}  ...\n`;
}

// TAP gives a backslash and a hash a meaning, so they are escaped.
function description(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\#]/g, String.raw`\$&`)
    .trim();
}
