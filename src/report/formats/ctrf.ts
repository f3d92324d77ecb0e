import { harmlessJson } from "../../base/text/harmless.ts";
import { VERSION } from "../../base/version.ts";
import { type Case, casesOf, type CaseVerdict, COUNTED_AS, notBegunCase, warningLines } from "./cases.ts";
import { oneLine } from "./foreign-text.ts";
import { flakySteps } from "../flaky.ts";
import type { NotBegun, RunReport } from "../shape.ts";

const SPEC_VERSION = "0.0.0";

type Status = (typeof COUNTED_AS)[CaseVerdict]["ctrf"];

interface Test {
  readonly name: string;
  readonly status: Status;
  readonly [field: string]: unknown;
}

/**
 * Writes the reports as one document of the Common Test Report Format, with a test for each row of a run. A write with unknown outcome is `failed` with the raw
 * status `unknown`, and a waiting step is `failed` with the raw status `pending`.
 */
export function* ctrfReport(reports: readonly RunReport[], notBegun: readonly NotBegun[] = []): Generator<string> {
  const flaky = new Set(flakySteps(reports).map(({ file, step }) => `${file}\n${step}`));
  const flakyIn = ({ run }: RunReport, { step }: Case): { readonly flaky?: true } =>
    flaky.has(`${run.playbook.file}\n${step?.step ?? ""}`) ? { flaky: true } : {};
  const tests = [
    ...reports.flatMap((report) => casesOf(report).map((each) => ({ ...testOf(each, report.run), ...flakyIn(report, each) }))),
    ...notBegun.map((each) => testOf(notBegunCase(each), { id: null, outcome: "not-begun", playbook: each.playbook })),
  ];
  const head = {
    reportFormat: "CTRF",
    specVersion: SPEC_VERSION,
    generatedBy: "tokenbook",
    results: {
      tool: { name: "tokenbook", version: VERSION },
      summary: summaryOf(tests, reports, reports.length + notBegun.length),
      ...environmentOf(reports),
    },
  };
  yield `${harmlessJson(JSON.stringify(head)).slice(0, -2)},"tests":[`;
  for (const [at, test] of tests.entries()) yield `${at === 0 ? "" : ","}\n${harmlessJson(JSON.stringify(test))}`;
  yield "\n]}}\n";
}

function summaryOf(tests: readonly Test[], reports: readonly RunReport[], suites: number): object {
  const of = (status: Status): number => tests.filter((test) => test.status === status).length;
  const starts = reports.map(({ run }) => Date.parse(run.startedAt));
  const stops = reports.map(({ run }) => Date.parse(run.finishedAt ?? run.startedAt));
  const [start, stop] = [Math.min(...starts, Number.MAX_SAFE_INTEGER), Math.max(...stops, 0)];
  return {
    tests: tests.length,
    passed: of("passed"),
    failed: of("failed"),
    skipped: of("skipped"),
    pending: 0,
    other: of("other"),
    suites,
    start: reports.length === 0 ? 0 : start,
    stop,
  };
}

function environmentOf(reports: readonly RunReport[]): object {
  const names = new Set(reports.map(({ run }) => run.target.environment));
  return names.size === 0 ? {} : { environment: { testEnvironment: [...names].map((name) => oneLine(name)).join(", ") } };
}

/** The run of a test, or the playbook whose run did not begin. */
interface Suite {
  readonly id: string | null;
  readonly outcome: string;
  readonly playbook: { readonly name: string; readonly file: string };
}

function testOf(row: Case, run: Suite): Test {
  const { step, name, verdict, type, message, lines, warning, comparison, held } = row;
  const start = step?.startedAt === null || step === undefined ? undefined : Date.parse(step.startedAt);
  const duration = Math.round(step?.durationMs ?? 0);
  const output = [...warningLines(warning), ...comparison, ...held];
  return {
    name: oneLine(name),
    status: COUNTED_AS[verdict].ctrf,
    duration,
    ...(start === undefined ? {} : { start, stop: start + duration + (step?.waitedMs ?? 0) + (step?.stoppedMs ?? 0) }),
    suite: [oneLine(run.playbook.file), oneLine(run.playbook.name)],
    ...(message === "" ? {} : { message: oneLine(message) }),
    ...(lines.length === 0 ? {} : { trace: lines.join("\n") }),
    ...(output.length === 0 ? {} : { stdout: output }),
    filePath: oneLine(step?.file ?? run.playbook.file),
    ...(step === undefined ? {} : { line: step.line }),
    rawStatus: step?.outcome ?? run.outcome,
    ...(step === undefined || step.attempts.length < 2 ? {} : { retries: step.attempts.length - 1 }),
    extra: {
      run: onOneLine(run.id),
      code: oneLine(type),
      ...(step === undefined
        ? {}
        : {
            uses: oneLine(step.uses),
            actor: onOneLine(step.actor),
            as: onOneLine(step.as),
            transactionId: onOneLine(step.transactionId),
            waitedMs: step.waitedMs,
            stoppedMs: step.stoppedMs,
          }),
      ...(step === undefined || step.receipt === null
        ? {}
        : { receiptId: onOneLine(step.receipt.receiptId), receiptStatus: onOneLine(step.receipt.status) }),
    },
  };
}

function onOneLine(text: string | null): string | null {
  return text === null ? null : oneLine(text);
}
