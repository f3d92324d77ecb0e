import { expect, test } from "vitest";
import reportSchema from "../../schemas/report.schema.json" with { type: "json" };
import { patternOf } from "../../src/expression/pattern.ts";
import { userValidator } from "../../src/schema/user.ts";
import type { NotBegun } from "../../src/report/shape.ts";
import { delivered, embeddedCommits, newProject, operationsOf, type Project, type Printed, servedSandbox } from "./world.ts";
import { elementsOf } from "../unit/report/xml.ts";

const COPIES = 20;

function folderOfPlaybooks(): Project {
  const project = newProject();
  for (let at = 1; at <= COPIES; at++)
    project.write(`playbooks/copy-${String(at).padStart(2, "0")}.yaml`, delivered("scenarios/mint-above-cap.yaml"));
  return project;
}

const REPORTS = ["--report", "json=report.json", "--report", "junit=report.xml"];

test("twenty playbooks run eight at a time, and two reports list all of them", async () => {
  const project = folderOfPlaybooks();
  const run = await project.run("run", "playbooks", "--jobs", "8", ...REPORTS);
  expect(run.code, run.transcript).toBe(0);
  expect(run.lines.at(-1), run.transcript).toBe(`${COPIES} runs: ${COPIES} passed`);
  for (const line of run.lines.slice(0, -1)) expect(line, run.transcript).toMatch(/^\[copy-\d\d\.yaml\] /);

  const report = JSON.parse(project.read("report.json")) as Printed;
  expect(userValidator(reportSchema, patternOf)(report)).toEqual([]);
  expect(report.reports.map(({ run: { playbook, outcome } }) => [playbook.file, outcome])).toEqual(
    Array.from({ length: COPIES }, (_, at) => [`playbooks/copy-${String(at + 1).padStart(2, "0")}.yaml`, "passed"]),
  );
  const elements = elementsOf(project.read("report.xml"));
  expect(elements.filter(({ name }) => name === "testsuite")).toHaveLength(COPIES);
  expect(elements.filter(({ name }) => name === "testcase")).toHaveLength(COPIES * 6);
  expect(elements.filter(({ name }) => name === "failure" || name === "error")).toEqual([]);

  const operations = operationsOf(await embeddedCommits(project));
  expect(operations.filter((operation) => operation === "ledger.token.create")).toHaveLength(COPIES);
  expect(operations.filter((operation) => operation === "ledger.token.mint")).toHaveLength(COPIES * 2);
});

test("if one playbook is broken, the message names it and none runs", async () => {
  const project = folderOfPlaybooks();
  project.write(
    "playbooks/broken.yaml",
    delivered("scenarios/mint-above-cap.yaml").replace("ledger.token.get", "ledger.token.got"),
  );
  const run = await project.run("run", "playbooks", ...REPORTS);
  expect(run.code, run.transcript).toBe(2);
  expect(run.stdout, run.transcript).toBe("");
  expect(run.stderr, run.transcript).toMatch(/^playbooks\/broken\.yaml:\d+:\d+ error playbook\.unknown-operation$/m);
  expect(run.stderr, run.transcript).toContain("1 playbook of 21 cannot be run: playbooks/broken.yaml");
  expect(await embeddedCommits(project)).toEqual([]);
});

test("if one playbook cannot begin, the reports list it beside those that passed", async () => {
  const project = newProject();
  project.serviceAt((await servedSandbox()).url);
  project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace(/^ {4}investor:\n(?: {6}.*\n)+/m, ""));
  project.write("playbooks/asked.yaml", "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n");
  project.write(
    "playbooks/sales.yaml",
    "playbook: 1\nactors: { buyer: { investor: BUYER_KEY } }\nsteps: [{ uses: investor.sales.list, as: buyer }]\n",
  );
  const run = await project.run("run", "playbooks", ...REPORTS);
  expect(run.code, run.transcript).toBe(2);
  expect(run.lines.at(-1), run.transcript).toBe("1 run: 1 passed");
  const report = JSON.parse(project.read("report.json")) as Printed & { readonly notBegun: readonly NotBegun[] };
  expect(userValidator(reportSchema, patternOf)(report)).toEqual([]);
  expect(report.reports.map(({ run: { outcome } }) => outcome)).toEqual(["passed"]);
  expect(report.notBegun).toEqual([
    {
      playbook: { name: "playbooks/sales.yaml", file: "playbooks/sales.yaml" },
      problem: expect.objectContaining({ code: expect.stringMatching(/^environment\./) }),
    },
  ]);
  expect(elementsOf(project.read("report.xml")).filter(({ name }) => name === "failure")).toHaveLength(1);
});

test("if one playbook fails, the others pass, and the reports name it", async () => {
  const project = folderOfPlaybooks();
  project.write(
    "playbooks/copy-07.yaml",
    delivered("scenarios/mint-above-cap.yaml").replace("response.totalSupply == 99.99", "response.totalSupply == 99.98"),
  );
  const run = await project.run("run", "playbooks", "--jobs", "8", ...REPORTS);
  expect(run.code, run.transcript).toBe(1);
  expect(run.lines.at(-1), run.transcript).toMatch(/^20 runs: (?:19 passed, 1 failed|1 failed, 19 passed)$/);
  expect(run.stdout, run.transcript).toMatch(/^\[copy-07\.yaml\] ✗ failed {3}after /m);
  const report = JSON.parse(project.read("report.json")) as Printed;
  expect(userValidator(reportSchema, patternOf)(report)).toEqual([]);
  expect(
    report.reports.filter(({ run: { outcome } }) => outcome === "failed").map(({ run: { playbook } }) => playbook.file),
  ).toEqual(["playbooks/copy-07.yaml"]);
  const elements = elementsOf(project.read("report.xml"));
  expect(elements.filter(({ name }) => name === "testsuite")).toHaveLength(COPIES);
  expect(elements.filter(({ name }) => name === "failure")).toHaveLength(1);
});
