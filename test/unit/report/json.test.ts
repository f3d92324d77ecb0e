import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type JsonObject, parseJson } from "../../../src/base/json/json.ts";
import { firstBroken } from "../../../src/engine/steps/expectations.ts";
import { Expression } from "../../../src/expression/expression.ts";
import { jsonReport as pieces } from "../../../src/report/formats/json.ts";
import { reportOf } from "../../../src/report/model.ts";
import type { RunReport } from "../../../src/report/shape.ts";
import { patternOf } from "../../../src/expression/pattern.ts";
import { userValidator } from "../../../src/schema/user.ts";
import type { Validate } from "../../../src/schema/validator.ts";
import { dangersOf, HOSTILE, hostileRun } from "./hostile.ts";
import { Records, RUNS } from "./records.ts";

const schema = JSON.parse(readFileSync(new URL("../../../schemas/report.schema.json", import.meta.url), "utf8")) as object;
const validate: Validate = userValidator(schema, patternOf);
const reports = Object.values(RUNS).map((records) => reportOf(records().all));

function jsonReport(of: readonly RunReport[]): string {
  return [...pieces(of)].join("");
}

test("a report of every kind of run matches the published schema", () => {
  expect(validate(parseJson(jsonReport(reports)))).toEqual([]);
  expect(validate(parseJson(jsonReport([])))).toEqual([]);
});

test("the schema refuses an unknown field at every level", () => {
  const written = jsonReport(reports);
  for (const [at, path] of [
    ['"format"', []],
    ['"id":"2026', ["reports", "0", "run"]],
    ['"step":"asset"', ["reports", "0", "steps", "0"]],
    ['"attempt":0', ["reports", "0", "steps", "0", "attempts", "0"]],
  ] as const) {
    const problems = validate(parseJson(written.replace(at, `"stray": 1, ${at}`)));
    expect(problems.map(({ path: where, keyword }) => [where, keyword])).toEqual([[path, "additionalProperties"]]);
  }
});

test("a failed expectation in the report matches the schema, which allows no other field", () => {
  const scope = parseJson('{"response":{"status":"X","list":[{"a":1.50},{"a":2}],"o":{"x":1}}}') as JsonObject;
  for (const text of [
    'response.status == "Y" && size(response.list) > 2',
    "response.list.all(i, i.a > 2) || response.o == {'y': 1}",
    "response.nope.x == 1",
  ]) {
    const problem = firstBroken([Expression.parse(text) as Expression], scope)?.problem;
    const written = jsonReport([reportOf(new Records().opened().stopped("mint", "failed", problem).closed("failed").all)]);
    expect(validate(parseJson(written))).toEqual([]);
    const stray = written.replaceAll('"subject":', '"stray":1,"subject":').replaceAll('"tree":{', '"tree":{"stray":1,');
    expect(new Set(validate(parseJson(stray)).map(({ keyword }) => keyword))).toContain("additionalProperties");
  }
});

test("the schema refuses an unknown outcome", () => {
  const other = jsonReport(reports).replace('"outcome":"changed"', '"outcome":"green"');
  expect(validate(parseJson(other)).map(({ keyword }) => keyword)).toEqual(["enum"]);
});

test("numbers keep every digit", () => {
  const text = jsonReport(reports);
  expect(text).toContain('"shares":12345678901234567890.50');
  expect(text).toContain('"value":100.00');
  expect(text).toContain('"supply":9007199254740993');
});

test("each step is a line of its own, and the last line ends with a line break", () => {
  const text = jsonReport(reports);
  const steps = reports.flatMap((report) => report.steps).length;
  expect(text.split("\n").filter((line) => line.startsWith('{"step":'))).toHaveLength(steps);
  expect(text.endsWith("]}\n")).toBe(true);
});

test("JSON keeps hostile texts exact, and contains none that a terminal obeys", () => {
  for (const text of HOSTILE) {
    const written = jsonReport([reportOf(hostileRun(text).all)]);
    expect(dangersOf(written)).toEqual([]);
    const read = parseJson(written) as { reports: [{ run: { playbook: JsonObject }; steps: JsonObject[] }] };
    expect(read.reports[0].run.playbook["name"]).toBe(text);
  }
});
