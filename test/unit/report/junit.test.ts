import { expect, test } from "vitest";
import { ctrfReport } from "../../../src/report/formats/ctrf.ts";
import { runAnnotations } from "../../../src/report/formats/github.ts";
import { junitReport } from "../../../src/report/formats/junit.ts";
import { tapReport } from "../../../src/report/formats/tap.ts";
import { reportOf } from "../../../src/report/model.ts";
import { NOT_STARTED, type RunReport } from "../../../src/report/shape.ts";
import { dangersOf, HOSTILE, hostileRun } from "./hostile.ts";
import { Records, RUNS, START, STEPS, TRANSACTION } from "./records.ts";
import { type Element, parseXml } from "./xml.ts";

function junitText(reports: readonly RunReport[]): string {
  return [...junitReport(reports)].join("");
}

function suiteOf(name: keyof typeof RUNS): Element {
  const root = parseXml(junitText([reportOf(RUNS[name]?.().all ?? [])]));
  expect(root.children).toHaveLength(1);
  return root.children[0] ?? root;
}

function casesOf(suite: Element): readonly Element[] {
  return suite.children.filter(({ name }) => name === "testcase");
}

function verdicts(suite: Element): readonly (readonly [string, string])[] {
  return casesOf(suite).map(({ attributes, children }) => [
    attributes["name"] ?? "",
    children.find(({ name }) => name !== "system-out")?.name ?? "green",
  ]);
}

function wrap(text: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text}`;
}

function messages(name: keyof typeof RUNS): unknown[] {
  const skipped = casesOf(suiteOf(name)).flatMap(({ children }) => children.filter((child) => child.name === "skipped"));
  return skipped.map(({ attributes }) => attributes["message"]);
}

test("no case of several runs of one playbook, begun or not, has the class and the name of another case", () => {
  const report = reportOf(RUNS.passed?.().all ?? []);
  const again = { ...report, run: { ...report.run, id: "RUN2" } };
  const failed = { ...again, run: { ...again.run, outcome: "interrupted", id: "RUN3" }, steps: [] } as const;
  const notBegun = { playbook: report.run.playbook, problem: { code: NOT_STARTED, message: "not started" } };
  const suites = parseXml([...junitReport([report, again, failed], [notBegun, notBegun])].join("")).children;
  const named = suites.flatMap(casesOf).map(({ attributes: { classname, name } }) => `${classname}: ${name}`);
  expect(new Set(named).size).toBe(named.length);
  expect(named.slice(-3).map((each) => each.replace(/^.*? \[/, "["))).toEqual([
    "[RUN3]: the run itself",
    "[not begun 1]: the run itself",
    "[not begun 2]: the run itself",
  ]);
});

test("the XML parser of these tests refuses XML that is not well-formed", () => {
  expect(parseXml(wrap('<a b="&lt;"><c/><![CDATA[x]]></a>\n'))).toMatchObject({ name: "a", attributes: { b: "<" }, text: "x" });
  for (const bad of [
    "<a>",
    "<a></b>",
    '<a b="<"/>',
    '<a b="1" b="2"/>',
    "<a>&nope;</a>",
    "<a>&#0;</a>",
    "<a>]]></a>",
    "<a>\u0001</a>",
    "<a/>x",
    "<a>& </a>",
    "<a>\ud800</a>",
  ]) {
    expect(() => parseXml(wrap(bad))).toThrow(SyntaxError);
  }
});

test("the output of a case shows the conditions that held, and how long the step waited", () => {
  const [, owned] = casesOf(suiteOf("held"));
  const output = owned?.children.find(({ name }) => name === "system-out")?.text ?? "";
  expect(output.split("\n")).toEqual(
    expect.arrayContaining([
      "waited 700 ms",
      '✓ expect response.status != "SOLD"  (response.status = "OPEN")',
      "and 1 more that holds",
    ]),
  );
});

test("CTRF shows them too, and separates the times of work and of waiting", () => {
  const text = [...ctrfReport([reportOf(RUNS["held"]?.().all ?? [])])].join("");
  const { results } = JSON.parse(text) as { readonly results: { readonly tests: readonly unknown[] } };
  expect(results.tests[1]).toMatchObject({
    duration: 300,
    start: START + 3_000,
    stop: START + 4_000,
    stdout: expect.arrayContaining(["✓ until has(response.owners)"]) as unknown,
    extra: { waitedMs: 700, stoppedMs: 0 },
  });
});

test("each run is a suite, and each row is a case", () => {
  const root = parseXml(junitText(Object.values(RUNS).map((records) => reportOf(records().all))));
  expect(root.children.map(({ name }) => name)).toEqual(Object.keys(RUNS).map(() => "testsuite"));
  const suite = suiteOf("passed");
  expect(suite.attributes).toMatchObject({
    name: "Onboard a property",
    tests: "5",
    failures: "0",
    errors: "0",
    skipped: "0",
    timestamp: "2026-11-21T09:30:00.000Z",
  });
  expect(suite.children[0]?.children.map(({ attributes }) => [attributes["name"], attributes["value"]])).toEqual([
    ["run", "20261121T0930-k3x9q2ab"],
    ["environment", "staging"],
    ["outcome", "passed"],
  ]);
  const [asset] = casesOf(suite);
  expect(asset?.attributes).toEqual({
    classname: "playbooks/onboarding.yaml",
    name: "asset: Record the property",
    file: "playbooks/onboarding.yaml",
    time: "3",
  });
  expect(asset?.children[0]).toMatchObject({
    name: "system-out",
    text: `as carol\ntransaction ${TRANSACTION}\nreceipt rc1\nreceipt status COMMITTED`,
  });
});

test("`failed` is a failure, `unknown` and `pending` are errors, and a step that did not run is skipped", () => {
  expect(verdicts(suiteOf("failed")).map(([, verdict]) => verdict)).toEqual(["skipped", "failure", "skipped", "skipped"]);
  expect(verdicts(suiteOf("unknown")).map(([, verdict]) => verdict)).toEqual(["green", "error", "skipped", "skipped"]);
  expect(verdicts(suiteOf("killed")).map(([, verdict]) => verdict)).toEqual(["green", "error", "skipped", "skipped"]);
  expect(verdicts(suiteOf("pending")).map(([, verdict]) => verdict)).toEqual(["green", "green", "green", "error", "skipped"]);
  expect(suiteOf("failed").attributes).toMatchObject({ tests: "4", failures: "1", skipped: "3" });
});

test("a job that reads a report passes exactly if the exit code is 0", () => {
  const places = { cwd: "/here", root: "/here" };
  for (const records of Object.values(RUNS)) {
    const report = reportOf(records().all);
    const [, failures = "", errors = ""] = /<testsuites [^>]*failures="(\d+)" errors="(\d+)"/.exec(junitText([report])) ?? [];
    const ctrf = JSON.parse([...ctrfReport([report])].join("")) as {
      readonly results: { readonly summary: { readonly failed: number } };
    };
    const isGreen = [
      Number(failures) + Number(errors) === 0,
      ctrf.results.summary.failed === 0,
      /^ok 1/m.test([...tapReport([report])].join("")),
      !/^::(?:error|warning) .*title=(?!warned)/m.test([...runAnnotations([{ report, records: () => [] }], places)].join("")),
    ];
    expect(isGreen, report.run.outcome).toEqual(isGreen.map(() => report.run.outcome === "passed"));
  }
});

test("a failure shows its code, message, reason, evidence and what to do", () => {
  const failure = casesOf(suiteOf("failed"))[1]?.children.find(({ name }) => name === "failure");
  expect(failure?.attributes).toEqual({ message: "service.refused: cap reached", type: "service.refused" });
  expect(failure?.text).toBe('service.refused: cap reached\nwhy: the cap is 100\nseen: {"asked":100.00}\nnext: lower the value');
});

test("a skipped case says why", () => {
  expect(messages("failed")).toEqual(["its condition did not hold, or its list was empty", "not run", "not run"]);
  expect(messages("pending")).toEqual(["not run"]);
});

test("rounds whose keys look the same have different names", () => {
  const long = "k".repeat(400);
  const records = new Records().opened({ steps: STEPS.slice(3) });
  for (const key of ["a\tb", "a  b", `${long}1`, `${long}2`, `${long}3`]) records.read(`owned[${key}]`);
  const report = reportOf(records.all);
  const names = parseXml(junitText([report]))
    .children.flatMap(casesOf)
    .map(({ attributes }) => attributes["name"]);
  expect(new Set(names).size, names.join("\n")).toBe(6); // five rounds, and the run itself, which did not end
  expect(names.slice(0, 2)).toEqual(["owned[a  b]: See who owns it", "owned[a  b]: See who owns it (2)"]);
  const { results } = JSON.parse([...ctrfReport([report])].join("")) as {
    readonly results: { readonly tests: readonly { readonly name: string }[] };
  };
  expect(results.tests.map(({ name }) => name)).toEqual(names);
});

test("a run that ended badly although no step did is not green", () => {
  expect(verdicts(suiteOf("outputless"))).toEqual([
    ["owned: See who owns it", "green"],
    ["the run itself", "failure"],
  ]);
  expect(verdicts(suiteOf("interrupted")).at(-1)).toEqual(["the run itself", "failure"]);
});

test("hostile texts give well-formed XML with every case, and no escape byte or log command", () => {
  for (const text of HOSTILE) {
    const xml = junitText([reportOf(hostileRun(text).all)]);
    expect(dangersOf(xml)).toEqual([]);
    const [suite] = parseXml(xml).children;
    expect(suite === undefined ? [] : verdicts(suite).map(([, verdict]) => verdict)).toEqual([
      "green",
      "green",
      "failure",
      "error",
      "skipped",
    ]);
  }
});
