import { expect, test } from "vitest";
import reportSchema from "../../schemas/report.schema.json" with { type: "json" };
import { patternOf } from "../../src/expression/pattern.ts";
import type { NotBegun } from "../../src/report/shape.ts";
import { userValidator } from "../../src/schema/user.ts";
import { elementsOf } from "../unit/report/xml.ts";
import { MINT_ONCE, newProject, type Printed, type Project } from "./world.ts";

const REPORTS = ["--report", "json=report.json", "--report", "junit=report.xml"];

// A run that passed yesterday, and its green reports.
async function yesterday(): Promise<Project> {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  const run = await project.run("run", "mint.yaml", ...REPORTS);
  expect(run.code, run.transcript).toBe(0);
  expect(failuresIn(project)).toEqual([]);
  return project;
}

function failuresIn(project: Project): readonly (string | undefined)[] {
  return elementsOf(project.read("report.xml")).flatMap(({ name, attributes }) =>
    name === "failure" ? [attributes["type"]] : [],
  );
}

function notBegunIn(text: string): readonly NotBegun[] {
  const report = JSON.parse(text) as Printed & { readonly notBegun: readonly NotBegun[] };
  expect(userValidator(reportSchema, patternOf)(report)).toEqual([]);
  expect(report.reports).toEqual([]);
  return report.notBegun;
}

test("a playbook that fails the check replaces the old reports, also for the playbooks beside it", async () => {
  const project = await yesterday();
  project.write("broken.yaml", MINT_ONCE.replace("ledger.token.mint", "ledger.token.mnt"));
  const run = await project.run("run", "broken.yaml", "mint.yaml", "--json", ...REPORTS);
  expect(run.code, run.transcript).toBe(2);
  expect(failuresIn(project)).toEqual(["playbook.unknown-operation", "check.failed"]);
  const [broken, mint] = notBegunIn(project.read("report.json"));
  expect(broken).toMatchObject({
    playbook: { name: "broken.yaml", file: "broken.yaml" },
    problem: { message: expect.stringMatching(/^broken\.yaml:\d+:\d+ there is no operation called "ledger\.token\.mnt"/) },
  });
  expect(mint).toMatchObject({ playbook: { name: "Mint once", file: "mint.yaml" }, problem: { code: "check.failed" } });
  expect(notBegunIn(run.stdout)).toEqual([broken, mint]);
});

test.for([
  ["an input that is missing", "input.invalid", ["run", "asked.yaml"]],
  ["an environment that is not there", "environment.none", ["run", "mint.yaml", "--env", "production"]],
] as const)("a run that cannot begin replaces the reports of the run before: %s", async ([, code, args]) => {
  const project = await yesterday();
  project.write("asked.yaml", MINT_ONCE.replace("playbook: 1\n", "playbook: 1\ninputs: { amount: { type: decimal } }\n"));
  const run = await project.run(...args, ...REPORTS);
  expect(run.code, run.transcript).toBe(2);
  expect(run.stderr).toContain(`error ${code}`);
  expect(failuresIn(project)).toEqual([code]);
  expect(notBegunIn(project.read("report.json"))).toMatchObject([{ playbook: { name: "Mint once" }, problem: { code } }]);
});

test.for([
  ["run", []],
  ["run --each", ["--each", "rows.csv"]],
] as const)("%s of a missing playbook replaces the reports of the run before", async ([, args]) => {
  const project = await yesterday();
  project.write("rows.csv", "id\nA\n");
  const run = await project.run("run", "gone.yaml", ...args, ...REPORTS);
  expect(run.code, run.transcript).toBe(2);
  expect(failuresIn(project)).toEqual(["file.missing"]);
  expect(notBegunIn(project.read("report.json"))).toMatchObject([{ playbook: { file: "gone.yaml" } }]);
});

test("resume without an unfinished run replaces the old reports with empty ones", async () => {
  const project = await yesterday();
  const resumed = await project.run("resume", ...REPORTS);
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout).toContain("nothing to resume");
  expect(elementsOf(project.read("report.xml")).map(({ name }) => name)).toEqual(["testsuites"]);
  expect(notBegunIn(project.read("report.json"))).toEqual([]);
});

test("resume of a run whose playbook is broken writes a report that names the playbook", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  const killed = await project.as({ TOKENBOOK_FAILPOINT: "after:step.completed@token" }).run("run", "mint.yaml");
  expect(killed.transcript).toContain("SIGKILL");
  project.write("mint.yaml", "playbook: 1\nsteps: [");
  const resumed = await project.run("resume", ...REPORTS);
  expect(resumed.code, resumed.transcript).toBe(2);
  expect(notBegunIn(project.read("report.json"))).toMatchObject([{ playbook: { file: "mint.yaml" } }]);
});

test("schedule --once of a broken playbook replaces the reports of the run before", async () => {
  const project = await yesterday();
  project.write("mint.yaml", MINT_ONCE.replace("ledger.token.mint", "ledger.token.mnt"));
  const fired = await project.run("schedule", "mint.yaml", "--once", ...REPORTS);
  expect(fired.code, fired.transcript).toBe(2);
  expect(failuresIn(project)).toEqual(["playbook.unknown-operation"]);
  expect(notBegunIn(project.read("report.json"))).toMatchObject([{ playbook: { file: "mint.yaml" } }]);
});
