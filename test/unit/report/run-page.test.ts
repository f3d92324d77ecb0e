import { expect, test } from "vitest";
import { PLAIN_HINT } from "../../../src/base/command-line.ts";
import type { RunRecord } from "../../../src/protocol/record.ts";
import { htmlReport, runPage } from "../../../src/report/html/pages/page.ts";
import { WRITERS } from "../../../src/report/formats/writers.ts";
import { reportOf } from "../../../src/report/model.ts";
import { exchangesOf, RUNS, TRANSACTION, uncommitted } from "./records.ts";

async function pageOf(records: readonly RunRecord[] = []): Promise<string> {
  const run = { report: reportOf(records), records: () => records, exchanges: () => exchangesOf(records) };
  return [...(await WRITERS.html())([run], { cwd: "/here", root: "/here", hint: PLAIN_HINT }, [])].join("");
}

test("a page shows an attempt that the ledger did not commit as refused", async () => {
  const html = await pageOf(uncommitted().all);
  expect(html).toContain("2 attempts: 1 refused, 1 unknown");
  expect(html).toContain("receipt FAILED rc1 “endorsement failure”");
  expect(html).not.toContain("no receipt was read");
});

test("a page shows the evidence of each write", async () => {
  const html = await pageOf(RUNS["resumed"]?.().all);
  expect(html).toContain("not sent");
  expect(html).toContain("applied, as read back");
  expect(html).toContain(TRANSACTION);
  expect(await pageOf(RUNS["killed"]?.().all)).toContain("no answer was recorded");
});

test("a write without an answer needs attention only once no process runs it", () => {
  const report = reportOf(RUNS["killed"]?.().all ?? []);
  const served = (heldBy: string | null): string =>
    [...runPage(report, { events: 9, heldBy })].join("").replaceAll(/<(style|script)>[^]*?<\/\1>/g, "");
  const alive = served("process 1 on here");
  expect(alive).not.toContain("Needs attention");
  expect(alive).not.toMatch(/unknown/);
  expect(alive).toContain("1 acknowledged, 1 under way");
  expect(alive).toContain("no answer yet");
  expect(alive).not.toContain("no end of this step is recorded");
  const dead = served(null);
  expect(dead).toContain("Needs attention");
  expect(dead).toContain("no answer was recorded");
});

test("the index shows the file of each run, because two playbooks may have the same name", () => {
  const report = reportOf(RUNS["passed"]?.().all ?? []);
  const { run } = report;
  const copy = { ...report, run: { ...run, playbook: { ...run.playbook, file: "copy.yaml" } } };
  const html = [...htmlReport([report, copy])].join("");
  const index = html.slice(html.indexOf("The runs of this page"), html.indexOf("</table>"));
  expect(index).toContain('<span class="name">copy.yaml</span>');
});
