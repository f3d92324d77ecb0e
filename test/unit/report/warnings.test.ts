import { expect, test } from "vitest";
import { PLAIN_HINT } from "../../../src/base/command-line.ts";
import type { RunRecord, StepCompleted } from "../../../src/protocol/record.ts";
import type { Format } from "../../../src/report/formats/format.ts";
import { reportOf } from "../../../src/report/model.ts";
import { WRITERS } from "../../../src/report/formats/writers.ts";
import { comparePage } from "../../../src/report/html/pages/compare.ts";
import { Records, START } from "./records.ts";

function checked(warning: Pick<StepCompleted, "warning">): readonly RunRecord[] {
  return new Records()
    .opened({ steps: [{ id: "checks.supply", name: "supply", uses: "check", kind: "check", line: 7 }] })
    .add({ kind: "step.completed", step: "checks.supply", outcome: "ok", value: {}, startedAt: START, requests: 1, ...warning })
    .closed("passed").all;
}

const warned = checked({ warning: { code: "expect.failed", message: "this does not hold: supply == 77" } });

const SPELLINGS: readonly (readonly [Format, RegExp])[] = [
  ["html", /<span class="mark" aria-hidden="true">!<\/span> warned/],
  ["md", /^\| ! warned \| `checks\.supply` \|/m],
  ["github", /^::warning file=playbooks\/onboarding\.yaml,line=7,title=warned expect\.failed::/m],
  ["junit", /<system-out><!\[CDATA\[warning:\nexpect\.failed: this does not hold/],
  ["ctrf", /"status":"passed".*"stdout":\["warning:","expect\.failed: this does not hold/],
  ["tap", /^ {4}ok 1 - checks\.supply\n {6}---\n {6}message: "expect\.failed: this does not hold.*\n {6}severity: "warning"$/m],
];

test.for(SPELLINGS)("a warning is green, and the report shows it: %s", async ([format, spelling]) => {
  const write = await WRITERS[format]();
  const runs = [{ report: reportOf(warned), records: () => warned }];
  expect([...write(runs, { cwd: "/here", root: "/here", hint: PLAIN_HINT }, [])].join("")).toMatch(spelling);
});

test("a warning is another outcome when two runs are compared", () => {
  const page = [...comparePage(reportOf(checked({})), reportOf(warned))].join("");
  expect(page).toContain("1 step with another outcome");
  expect(page).toContain('<span class="verdict warned">! warned</span>');
});
