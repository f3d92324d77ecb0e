import junit, { type Builder, type TestCase, type TestSuite } from "junit-report-builder";
import { oneLine } from "./foreign.ts";
import { problemLines } from "./problem.ts";
import type { ReportedOutcome, RowOutcome, RunReport, StepReport } from "./shape.ts";
import { placeLines } from "./text.ts";
import { RUN_WORDS } from "./words.ts";

// The module is the builder itself; its types take it for a module that has it as `default`.
const junitBuilder = junit as unknown as Builder;

/**
 * The reports as JUnit XML: a suite for each run, a case for each row. Green is only what happened as it was to: `unknown` is
 * an error; what was skipped, waits, or never ran is skipped. A run that ended badly though no step did has a case of its own.
 */
export function junitReport(reports: readonly RunReport[]): string {
  const builder = junitBuilder.newBuilder();
  for (const report of reports) addSuite(builder, report);
  return `${builder.build()}\n`;
}

function addSuite(builder: Builder, { run, steps }: RunReport): void {
  const suite = builder.testSuite().name(attribute(run.playbook.name)).timestamp(run.startedAt);
  suite.time((run.durationMs ?? 0) / 1_000);
  suite
    .property("run", attribute(run.id))
    .property("environment", attribute(run.target.environment))
    .property("outcome", run.outcome);
  for (const step of steps) if (isCase(step)) addCase(suite, step, run.playbook.file);
  if (!isTold(run.outcome, steps)) addRunCase(suite, run);
}

// What holds steps is told by them, unless it failed by itself.
function isCase({ kind, problem }: StepReport): boolean {
  return kind === "call" || kind === "check" || (problem !== null && problem.code !== "block.failed");
}

// Whether the rows alone let a reader of the file know how the run ended.
function isTold(outcome: ReportedOutcome, steps: readonly StepReport[]): boolean {
  if (outcome === "passed") return true;
  return steps.some((step) => TELLS.has(step.outcome) || step.outcome === outcome);
}

const TELLS: ReadonlySet<string> = new Set<RowOutcome>(["failed", "unknown", "conflict", "drift"]);

function addCase(suite: TestSuite, step: StepReport, file: string): void {
  const testCase = suite
    .testCase()
    .className(attribute(file))
    .name(attribute(`${step.step}: ${step.name}`));
  testCase.time((step.durationMs ?? 0) / 1_000);
  const lines = step.problem === null ? [] : [...problemLines(step.problem), ...placeLines(step)];
  const message = lines[0] ?? NO_PROBLEM[step.outcome];
  const type = step.problem?.code ?? step.outcome;
  if (step.outcome === "failed" || step.outcome === "drift")
    testCase.failure(attribute(message), attribute(type)).stacktrace(legal(lines.join("\n")));
  if (step.outcome === "unknown" || step.outcome === "conflict")
    testCase.error(attribute(message), attribute(type), legal(lines.join("\n")));
  if (step.outcome === "rescued" || step.outcome === "skipped" || step.outcome === "pending" || step.outcome === "not-run")
    skip(testCase, step.outcome === "rescued" && lines.length > 0 ? `rescued: ${message}` : message);
  const output = outputOf(step);
  if (output !== "") testCase.standardOutput(legal(output));
}

const NO_PROBLEM: Readonly<Record<RowOutcome, string>> = {
  ok: "",
  changed: "",
  unchanged: "",
  rescued: "failed, and was rescued",
  skipped: "its condition did not hold",
  failed: "failed",
  pending: "pending: the run ended while this step was under way",
  unknown: "unknown: the run ended before the answer of its write was recorded",
  conflict: "conflict: what can be seen contradicts the write",
  drift: "drift: two sides that are to say the same do not",
  "not-run": "not run",
};

function addRunCase(suite: TestSuite, { playbook, outcome, problem }: RunReport["run"]): void {
  const testCase = suite.testCase().className(attribute(playbook.file)).name("the run itself");
  const lines = problem === null ? [RUN_WORDS[outcome].word] : problemLines(problem);
  testCase.failure(attribute(lines[0] ?? outcome), attribute(problem?.code ?? outcome)).stacktrace(legal(lines.join("\n")));
}

// The library knows no message for a skipped case, so it is set on the element once that stands.
function skip(testCase: TestCase, message: string): void {
  const build = testCase.skipped().build.bind(testCase);
  testCase.build = (parent) => {
    const element = build(parent);
    const skipped = element.children.find((child) => "name" in child && child.name === "skipped");
    skipped?.att("message", attribute(message));
    return element;
  };
}

function outputOf(step: StepReport): string {
  const { transactionId, receipt, warning } = step;
  const named = { transaction: transactionId, receipt: receipt?.receiptId, "receipt status": receipt?.status };
  const told = Object.entries(named).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${name} ${oneLine(value)}`],
  );
  const warned = warning === null ? [] : ["warning:", ...problemLines(warning), ...placeLines(step)];
  return [...told, ...warned].join("\n");
}

// What XML 1.0 cannot carry, not even as a reference.
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

// The library ends a CDATA section properly at the first `]]>` only.
function legal(text: string): string {
  return text.replaceAll(ILLEGAL, "").replaceAll("]]>", "]] >");
}

function attribute(text: string): string {
  return legal(oneLine(text));
}
