import { expect, test } from "vitest";
import reportSchema from "../../schemas/report.schema.json" with { type: "json" };
import { patternOf } from "../../src/expression/pattern.ts";
import { userValidator } from "../../src/schema/user.ts";
import { type Element, elementsOf } from "../unit/report/xml.ts";
import { embeddedCommits, MINT_ONCE, newProject, type Printed, type Project, servedSandbox } from "./world.ts";

// The second run finds what the first run created.
const FLAKY = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: look, uses: ledger.asset.stats }
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: HOUSE } } }
  - { id: after, uses: ledger.asset.stats }
`;
const BUY = `playbook: 1
actors: { buyer: { investor: BUYER_KEY } }
steps:
  - id: buy
    as: buyer
    uses: investor.sales.buy
    with: { tokenSaleId: saleActive1, userAddress: "0x1", amount: 1, currencyContract: "0x2", timezone: UTC }
`;
const BROKEN = "playbook: 1\nsteps: [{ id: look, uses: ledger.asset.stats, expect: [response.totalCount == 1000] }]\n";
const REPORTS = ["--report", "junit=report.xml", "--report", "ctrf=ctrf.json", "--report", "json=report.json"];

interface Flaky extends Printed {
  readonly flaky?: readonly object[];
}

function casesIn(project: Project): readonly Element[] {
  return elementsOf(project.read("report.xml")).filter(({ name }) => name === "testcase");
}

function childrenOf(element: Element | undefined): readonly string[] {
  return (element?.children ?? []).map(({ name }) => name).filter((name) => name !== "system-out");
}

test("a step that passes in one run and fails in the others is flaky, in every report", async () => {
  const project = newProject();
  project.write("house.yaml", FLAKY);
  const run = await project.run("run", "house.yaml", "--repeat", "3", ...REPORTS);
  expect(run.code, run.transcript).toBe(1);
  expect(run.stderr, run.transcript).toContain("flaky  house.yaml  house: passed in 1 of 3 runs\n");
  expect(run.stderr.match(/^flaky /gm), run.transcript).toHaveLength(1);

  const report = JSON.parse(project.read("report.json")) as Flaky;
  expect(userValidator(reportSchema, patternOf)(report)).toEqual([]);
  expect(report.reports.map(({ repeat }) => repeat)).toEqual([1, 2, 3].map((number) => ({ number, of: 3 })));
  expect(report.flaky).toEqual([{ file: "house.yaml", step: "house", passed: 1, failed: 2 }]);

  const [look, house, after] = casesIn(project);
  expect(casesIn(project)).toHaveLength(3);
  expect([look, house, after].map(childrenOf)).toEqual([[], ["flakyFailure", "flakyFailure"], []]);
  const [first] = (house?.children ?? []).filter(({ name }) => name === "flakyFailure");
  expect([first?.attributes["type"], first?.children.map(({ name }) => name)]).toEqual([
    expect.stringContaining("."),
    ["stackTrace"],
  ]);

  const ctrf = JSON.parse(project.read("ctrf.json")) as {
    readonly results: { readonly tests: readonly { readonly name: string; readonly flaky?: boolean }[] };
  };
  expect(ctrf.results.tests.filter(({ flaky }) => flaky === true).map(({ name }) => name)).toEqual(
    Array(3).fill("house: Create assets"),
  );
});

test("a step that fails in every run is a failure with its repetitions, and not flaky", async () => {
  const project = newProject();
  project.write("broken.yaml", BROKEN);
  const run = await project.run("run", "broken.yaml", "--repeat", "3", ...REPORTS);
  expect(run.code, run.transcript).toBe(1);
  expect(run.stderr, run.transcript).not.toContain("flaky");
  expect(casesIn(project).map(childrenOf)).toEqual([["failure", "rerunFailure", "rerunFailure"]]);
  expect((JSON.parse(project.read("report.json")) as Flaky).flaky).toBeUndefined();
});

test("a write that ended unknown in one of the runs is an error and never flaky, though it passed in another", async () => {
  const service = await servedSandbox({ faults: [{ operation: "investor.sales.buy", nth: 2, fault: "drop-before" }] });
  const project = newProject();
  project.serviceAt(service.url);
  project.write("buy.yaml", BUY);
  const run = await project.run("run", "buy.yaml", "--repeat", "2", ...REPORTS);
  expect(run.code, run.transcript).toBe(5);
  expect(run.stderr, run.transcript).not.toContain("flaky");
  const [suites] = elementsOf(project.read("report.xml"));
  expect(suites?.attributes).toMatchObject({ tests: "1", failures: "0", errors: "1" });
  expect(casesIn(project).map(childrenOf)).toEqual([["error"]]);
  expect((JSON.parse(project.read("report.json")) as Flaky).flaky).toBeUndefined();
  expect(project.read("ctrf.json")).not.toContain("flaky");
});

test("a step that is pending in one of the runs is an error and never flaky, though it passed and failed in others", async () => {
  const project = newProject();
  const until = "until: response.totalCount != 2, timeout: 1s, on_timeout: pending";
  project.write(
    "count.yaml",
    `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: "H\${{ run.key }}" } } }
  - { id: look, uses: ledger.asset.stats, ${until}, expect: [response.totalCount < 3] }
`,
  );
  const run = await project.run("run", "count.yaml", "--repeat", "3", ...REPORTS);
  expect(run.code, run.transcript).toBe(1);
  expect(run.stderr, run.transcript).not.toContain("flaky");
  const { reports, flaky } = JSON.parse(project.read("report.json")) as Flaky;
  expect(reports.map(({ steps }) => steps.at(-1)?.outcome)).toEqual(["ok", "pending", "failed"]);
  expect(flaky).toBeUndefined();
  expect(project.read("ctrf.json")).not.toContain("flaky");
  expect(casesIn(project).map(childrenOf)[1]).toContain("error");
});

test("each repeat is a run with names of its own, one after the other", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  project.write("again.yaml", MINT_ONCE);
  const run = await project.json("run", "mint.yaml", "again.yaml", "--repeat", "4");
  expect(run.code, run.transcript).toBe(0);
  const runs = run.data.reports.map(({ run: each }) => each);
  expect(new Set(runs.map(({ id }) => id)).size).toBe(8);
  expect(await embeddedCommits(project)).toHaveLength(16);
  for (const file of ["mint.yaml", "again.yaml"]) {
    const own = runs.filter(({ playbook }) => playbook.file === file);
    const times = own.flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt ?? ""]);
    expect(times, run.transcript).toEqual(times.toSorted());
  }
});

test("with --fail-fast, the repeats end with the first that does not pass", async () => {
  const project = newProject();
  project.write("house.yaml", FLAKY);
  const run = await project.json("run", "house.yaml", "--repeat", "5", "--fail-fast");
  expect(run.code, run.transcript).toBe(1);
  expect(run.data.reports.map(({ run: { outcome } }) => outcome)).toEqual(["passed", "failed"]);
  expect(run.stderr, run.transcript).toContain("house.yaml did not pass; not started: house.yaml\n");
});

test("writes are not repeated in a protected environment", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("tokenbook.yaml", `${project.read("tokenbook.yaml")}    protected: true\n`);
  project.write("mint.yaml", MINT_ONCE);
  const run = await project.run("run", "mint.yaml", "--repeat", "2", "--yes");
  expect([run.code, run.stdout], run.transcript).toEqual([2, ""]);
  expect(run.stderr, run.transcript).toContain("run.repeat-protected");
  expect(await service.commits()).toEqual([]);
});

test.for([
  ["--key", "ORDER-17"],
  ["--plan", "mint.plan"],
])("%s names one run, and is refused with --repeat", async (option) => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  const run = await project.run("run", "mint.yaml", "--repeat", "2", ...option);
  expect(run.code, run.transcript).toBe(2);
  expect(run.stderr, run.transcript).toMatch(/--(?:key|plan).*cannot be used with.*--repeat/);
});
