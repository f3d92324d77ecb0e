import { Ajv } from "ajv";
import DRAFT_6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import formats from "ajv-formats";
import schemas from "har-schema";
import { expect, test } from "vitest";
import { harReport } from "../../../src/report/formats/har.ts";
import { reportOf } from "../../../src/report/model.ts";
import type { ReportedRun } from "../../../src/report/reported-run.ts";
import { exchangeOf, RUNS } from "./records.ts";

const ajv = new Ajv({ strict: false });
formats.default(ajv.addMetaSchema(DRAFT_6)).addSchema(Object.values(schemas));

const lost = { ...exchangeOf("lost"), answer: null };
const plain = Object.values(RUNS).map((records): ReportedRun => ({
  report: reportOf(records().all),
  records: () => records().all,
}));
const every = plain.map((run) => ({ ...run, exchanges: () => [exchangeOf(run.report.run.playbook.name), lost] }));

function written(runs: readonly ReportedRun[]): unknown {
  return JSON.parse([...harReport(runs)].join(""));
}

test("every kind of run matches the published schema", () => {
  for (const runs of [every, [], plain]) expect(ajv.validate("har.json#", written(runs)), ajv.errorsText()).toBe(true);
  expect(ajv.validate("har.json#", { log: { version: "1.2", entries: [{}] } })).toBe(false);
});

test("a run without exchanges gives a page without entries", () => {
  const [run] = plain;
  expect(written([run as ReportedRun])).toMatchObject({ log: { pages: [{ id: run?.report.run.id }], entries: [] } });
});
