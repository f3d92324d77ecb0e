import { expect, test } from "vitest";
import { elementsOf } from "../unit/report/xml.ts";
import { embeddedCommits, MINT_ONCE, newProject, type Printed, type Project } from "./world.ts";

const READS = `playbook: 1
steps: [{ uses: ledger.asset.stats }]
`;
const FAILS = `playbook: 1
steps: [{ uses: ledger.asset.stats, expect: [response.totalCount == 1000] }]
`;
const NAMES = ["a", "b", "c", "d", "e", "f", "g"].map((name) => `playbooks/${name}.yaml`);

function projectWith(text: string): Project {
  const project = newProject();
  for (const name of NAMES) project.write(name, text);
  return project;
}

interface Reported extends Printed {
  readonly notBegun: readonly { readonly playbook: { readonly file: string }; readonly problem: { readonly code: string } }[];
}

async function filesRun(project: Project, ...args: string[]): Promise<readonly string[]> {
  const ended = await project.json("run", ...args);
  expect(ended.code, ended.transcript).toBe(0);
  return ended.data.reports.map(({ run }) => run.playbook.file);
}

test("the shards together are all playbooks, none twice, in whatever order these are named", async () => {
  const project = projectWith(READS);
  const shards = [];
  for (const shard of ["1/3", "2/3", "3/3"]) shards.push(await filesRun(project, "playbooks", "--shard", shard));
  expect(shards.map(({ length }) => length)).toEqual([3, 2, 2]);
  expect(shards.flat().toSorted()).toEqual(NAMES);
  expect((await filesRun(project, ...NAMES.toReversed(), "--shard", "2/3")).toSorted()).toEqual(shards[1]);
});

test("a shard without a playbook passes, and reports nothing", async () => {
  const project = projectWith(READS);
  const run = await project.run("run", "playbooks", "--shard", "8/8", "--report", "junit=report.xml");
  expect([run.code, run.stdout], run.transcript).toEqual([0, ""]);
  expect(run.stderr, run.transcript).toBe("shard 8/8: 0 of 7 playbooks\n");
  expect(elementsOf(project.read("report.xml")).filter(({ name }) => name === "testcase")).toEqual([]);
});

test.for(["0/3", "4/3", "1/0", "2", "a/b", "1/3/5", "-1/3"])("--shard %s is refused", async (shard) => {
  const run = await projectWith(READS).run("run", "playbooks", `--shard=${shard}`);
  expect(run.code, run.transcript).toBe(2);
  expect(run.stderr, run.transcript).toContain("Write it as NUMBER/TOTAL, from 1/TOTAL to TOTAL/TOTAL, as in 2/5.");
});

test("--fail-fast starts nothing after the first that fails, lists the rest, and exits as that one did", async () => {
  const project = projectWith(MINT_ONCE);
  project.write("playbooks/b.yaml", FAILS);
  const reports = ["--report", "junit=report.xml", "--report", "json=report.json"];
  const run = await project.run("run", "playbooks", "--jobs", "1", "--fail-fast", ...reports);
  expect(run.code, run.transcript).toBe(1);
  expect(run.stderr, run.transcript).toBe(
    `--fail-fast: playbooks/b.yaml did not pass; not started: ${NAMES.slice(2).join(", ")}\n`,
  );
  const { reports: made, notBegun } = JSON.parse(project.read("report.json")) as Reported;
  expect(made.map(({ run: { outcome } }) => outcome)).toEqual(["passed", "failed"]);
  expect(notBegun.map(({ playbook, problem }) => [playbook.file, problem.code])).toEqual(
    NAMES.slice(2).map((file) => [file, "run.not-started"]),
  );
  const elements = elementsOf(project.read("report.xml"));
  expect(elements.filter(({ name }) => name === "failure")).toHaveLength(1);
  expect(elements.filter(({ name }) => name === "skipped")).toHaveLength(NAMES.length - 2);
  expect(await embeddedCommits(project)).toHaveLength(2);
});

test("with --fail-fast, runs under way end: no write is left open", async () => {
  const project = projectWith(MINT_ONCE);
  project.write("playbooks/a.yaml", FAILS);
  const run = await project.json("run", "playbooks", "--jobs", "3", "--fail-fast");
  expect(run.code, run.transcript).toBe(1);
  const outcomes = run.data.reports.map(({ run: { playbook, outcome } }) => [playbook.file, outcome]);
  expect(outcomes).toContainEqual(["playbooks/a.yaml", "failed"]);
  expect(
    outcomes.slice(1).every(([, outcome]) => outcome === "passed"),
    run.transcript,
  ).toBe(true);
  expect(await embeddedCommits(project)).toHaveLength(2 * (outcomes.length - 1));
});
