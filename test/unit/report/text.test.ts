import { expect, test } from "vitest";
import { reportOf } from "../../../src/report/model.ts";
import { doneBeforeLine, headerLine, labelRun, overallLine, reportLines, summaryLines } from "../../../src/report/text.ts";
import { type Detail, plainLine, stepLines } from "../../../src/report/steps/step-lines.ts";
import type { RunReport, StepReport } from "../../../src/report/shape.ts";
import { dangersOf, HOSTILE, hostileRun } from "./hostile.ts";
import { Records, RUNS, TRANSACTION } from "./records.ts";

function reportFor(name: keyof typeof RUNS): RunReport {
  return reportOf(RUNS[name]?.().all ?? []);
}

function linesOf(name: keyof typeof RUNS, step: string, detail: Detail = "full"): readonly string[] {
  return reportFor(name)
    .steps.filter((row: StepReport) => row.step === step)
    .flatMap((row) => stepLines(row, detail));
}

test("the line of a write has its whole transaction id", () => {
  expect(linesOf("passed", "mint")).toEqual([
    `✓ changed  mint  Mint the shares  ledger.token.mint  as carol  tx ${TRANSACTION}  receipt COMMITTED  3.0 s`,
  ]);
  expect(TRANSACTION).toHaveLength(64);
});

test("long ids are cut in lines and evidence, except with --verbose", () => {
  const start = `${TRANSACTION.slice(0, 8)}…`;
  expect(linesOf("passed", "mint", "short")[0]).toContain(`tx ${start}  `);
  const records = new Records().opened().intended("mint");
  const settled = { kind: "attempt.settled", step: "mint", attempt: 0, verdict: "absent" } as const;
  const evidence = { who: "olga", because: `it is not ${TRANSACTION}` };
  const step = reportOf(records.add({ ...settled, evidence }).closed("interrupted").all).steps[1] as StepReport;
  expect(stepLines(step, "short").at(-1)).toBe(`    attempt 1: absent, says olga: it is not ${start}`);
  expect(stepLines(step, "full").at(-1)).toContain(TRANSACTION);
});

test("the line of a read has no transaction, and no actor if none was recorded", () => {
  expect(linesOf("passed", "owned")).toEqual(["✓ ok       owned  See who owns it  ledger.asset.get  400 ms"]);
});

test("a failure shows code, message, reason, evidence and what to do below its line", () => {
  expect(linesOf("failed", "mint")).toEqual([
    "✗ failed   mint  Mint the shares  ledger.token.mint  as carol  2.0 s",
    "    service.refused: cap reached",
    "    why: the cap is 100",
    '    seen: {"asked":100.00}',
    "    next: lower the value",
  ]);
});

test("each outcome has its mark and its word", () => {
  const [row] = reportFor("passed").steps;
  const begins = (["ok", "changed", "skipped", "failed", "pending", "unknown", "not-run"] as const).map((outcome) =>
    row === undefined ? "" : plainLine({ ...row, outcome }).slice(0, 9),
  );
  expect(begins).toEqual(["✓ ok     ", "✓ changed", "– skipped", "✗ failed ", "… pending", "? unknown", "· not run"]);
});

test("a step that was in progress when the run ended is shown as not finished", () => {
  expect(linesOf("killed", "mint")).toEqual([
    "? unknown  mint  Mint the shares  ledger.token.mint  as carol",
    "    not finished: no end of this step is recorded",
  ]);
  expect(linesOf("interrupted", "mint")[0]).toContain(`tx ${TRANSACTION}  receipt rc1 not read`);
});

test("a resolved write that no process has continued shows the verdict, and that it is not finished", () => {
  const records = new Records()
    .opened()
    .intended("mint")
    .add({
      kind: "attempt.settled",
      step: "mint",
      attempt: 0,
      verdict: "absent",
      evidence: { who: "olga", because: "it never arrived" },
    });
  const [, ...lines] = stepLines(reportOf(records.closed("interrupted").all).steps[1] as StepReport, "full");
  expect(lines).toEqual([
    "    not finished: no end of this step is recorded",
    "    attempt 1: absent, says olga: it never arrived",
  ]);
});

test("the lines show an expected refusal, and that a write was sent twice", () => {
  expect(linesOf("refusal", "mint")[1]).toBe("    refused as expected: cap reached");
  expect(linesOf("resumed", "mint")[0]).toContain("  sent 2 times  ");
});

test("the summary counts every outcome, prints outputs, and names the command that continues the run", () => {
  expect(summaryLines(reportFor("passed"))).toEqual([
    "✓ passed  Onboard a property: 5 steps: 4 changed, 1 ok in 20 s",
    "    output token: LFT1",
    "    output supply: 9007199254740993",
  ]);
  expect(summaryLines(reportFor("failed"))).toEqual([
    "✗ failed  Onboard a property: 4 steps: 1 skipped, 1 failed, 2 not run in 6.0 s",
    "    to continue: tokenbook resume 20261121T0930-k3x9q2ab",
  ]);
  expect(summaryLines(reportFor("unknown")).at(-1)).toBe("    to see what was sent: tokenbook runs show 20261121T0930-k3x9q2ab");
  for (const name of ["pending", "interrupted", "killed", "outputless"]) {
    expect(summaryLines(reportFor(name)).at(-1)).toBe("    to continue: tokenbook resume 20261121T0930-k3x9q2ab");
  }
  expect(summaryLines(reportFor("outputless"))[1]).toBe("    output.no-value: an output has no value: steps.token.id");
});

test("the lines of a run begin with a header, and leave out only steps that never ran", () => {
  const lines = reportLines(reportFor("unknown"), "full");
  expect(lines[0]).toBe("▶ Onboard a property  (playbooks/onboarding.yaml)  environment staging  run 20261121T0930-k3x9q2ab");
  expect(lines.filter((line) => !line.startsWith(" ")).map((line) => line.slice(0, 9))).toEqual([
    "▶ Onboard",
    "✓ changed",
    "? unknown",
    "? unknown",
  ]);
});

test("a condition that held has its value: cut to a line, or with every part if everything is shown", () => {
  const [, owned] = reportFor("held").steps;
  expect(stepLines(owned as StepReport, "short").slice(1)).toEqual([
    "    ✓ until has(response.owners)",
    "    ✓ expect response.value == inputs.shares  (12345678901234567890.5)",
    '    ✓ expect response.status != "SOLD"  ("OPEN")',
    "    and 3 more that hold",
  ]);
  expect(stepLines(owned as StepReport, "full").slice(1)).toEqual([
    "    ✓ until has(response.owners)",
    "    ✓ expect response.value == inputs.shares",
    "      | response.value = 12345678901234567890.5",
    "      | inputs.shares = 12345678901234567890.50",
    '    ✓ expect response.status != "SOLD"  (response.status = "OPEN")',
    "    ✓ expect response.history.size() > 1  (response.history = a list of 40 items)",
    "    ✓ expect response.names.all(name, name.startsWith(inputs.prefixOfAllTheNamesThatThereAre))",
    '      | response.names = ["ann","bob"]',
    "    and 1 more that holds",
  ]);
  expect(reportLines(reportFor("held"), "summary").join("")).not.toContain("expect");
});

test("with several runs, each line has a label, and one line sums up all", () => {
  expect(labelRun({ playbook: { file: "a\\b/c.yaml", name: "", digest: "" } }, ["a\\b/c.yaml", "c.json"])).toBe("[c.yaml] ");
  expect(overallLine([reportFor("passed"), reportFor("failed"), reportFor("passed"), reportFor("killed")])).toBe(
    "4 runs: 2 passed, 1 failed, 1 not finished",
  );
  expect(doneBeforeLine(reportFor("unknown").totals)).toEqual(["    1 of 4 steps done before"]);
});

test("evidence is cut at a limit", () => {
  const [row] = reportFor("failed").steps.filter(({ outcome }) => outcome === "failed");
  const lines = stepLines(
    {
      ...(row as StepReport),
      problem: { code: "c", message: "x".repeat(1e6), evidence: "line\n".repeat(1e4) },
    },
    "full",
  );
  expect(lines.length).toBeLessThan(30);
  expect(lines.join("\n").length).toBeLessThan(5_000);
});

test("hostile texts print no escape byte and no log command, and do not begin a line", () => {
  for (const text of HOSTILE) {
    const report = reportOf(hostileRun(text).all);
    const lines = [...reportLines(report, "full"), ...report.steps.map((step) => labelRun(report.run, []) + plainLine(step))];
    expect(dangersOf(lines.join("\n"))).toEqual([]);
    for (const line of lines) expect(line).toMatch(/^(?:[▶✓–✗…?·!] | {4}\S| {6}\| |\[)/);
  }
  expect(HOSTILE).toHaveLength(200);
});

test("the header is one line even with hostile names", () => {
  expect(
    headerLine({
      runId: "\n",
      playbook: { file: "\n::x", name: "::error::\n\n", digest: "" },
      target: reportFor("passed").run.target,
    }).split("\n"),
  ).toHaveLength(1);
});
