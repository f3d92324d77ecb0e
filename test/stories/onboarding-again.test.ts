import { expect, test } from "vitest";
import { delivered, embeddedCommits, lineOf, newProject, operationsOf, type Project, runIn, servedSandbox } from "./world.ts";

// The writes of a first run, in order.
const WRITES = [
  "property ledger.asset.create",
  "token/token ledger.token.create",
  "mint/mint ledger.token.mint",
  "handover/request ledger.transfer.request",
  "handover/approvals[bob] ledger.transfer.approve",
  "handover/approvals[dora] ledger.transfer.approve",
  "vault ledger.vault.create",
  "deposit/deposit ledger.vault.deposit",
  "purchase/buy investor.sales.buy",
].map((each) => each.split(" ") as [string, string]);
const STEPS = WRITES.map(([step]) => step);
const OPERATIONS = WRITES.map(([, operation]) => operation);

function onboarding(): Project {
  const project = newProject();
  project.write("property-sale.yaml", delivered("onboarding/property-sale.yaml"));
  project.write("supply.yaml", delivered("reconciliation/supply.yaml"));
  project.write("register.yaml", delivered("reconciliation/register.yaml"));
  project.write("register.csv", delivered("reconciliation/register.csv"));
  return project;
}

test("a second run of the onboarding writes nothing", async () => {
  const project = onboarding();
  const first = await project.run("run", "--verbose", "property-sale.yaml");
  expect(first.code, first.transcript).toBe(0);
  expect(first.stderr, first.transcript).toBe("");
  for (const step of STEPS) expect(first.stdout, first.transcript).toMatch(lineOf("✓ changed", step, " tx [0-9a-f]{64} "));
  expect(first.stdout, first.transcript).toMatch(/^✓ passed .*: 27 steps: 9 changed, 17 ok, 1 skipped in /m);
  const commits = await embeddedCommits(project);
  expect(operationsOf(commits)).toEqual(OPERATIONS);

  const register = await project.run("run", "register.yaml");
  expect(register.code, register.transcript).toBe(0);
  expect(register.stdout).toContain("2 keys compared in 1 look: no drift");
  project.write("register.csv", delivered("reconciliation/register.csv").replace("1000.00", "1000.01"));
  const drifted = await project.run("run", "register.yaml");
  expect(drifted.code, drifted.transcript).toBe(3);
  expect(drifted.stdout, drifted.transcript).toMatch(
    /new +[0-9a-f]{12} +token Loft12Shares, holder alice: register 1000\.01, ledger 1000\b/,
  );

  for (const time of ["second", "third"]) {
    const again = await project.run("run", "--verbose", "property-sale.yaml");
    expect(again.code, `${time}: ${again.transcript}`).toBe(0);
    for (const step of STEPS) expect(again.stdout, again.transcript).toMatch(lineOf("= unchanged", step));
    for (const whole of ["token", "mint", "handover", "deposit", "purchase"])
      expect(again.stdout, again.transcript).toMatch(lineOf("= unchanged", whole));
    expect(again.stdout, again.transcript).not.toMatch(/changed, .*tx |^✓ changed/m);
    expect(again.stdout, again.transcript).toMatch(/^✓ passed .*: 27 steps: 9 unchanged, 17 ok, 1 skipped in /m);
    expect(again.lines.filter((each) => each.includes("output "))).toEqual(
      first.lines.filter((each) => each.includes("output ")),
    );
    expect(await embeddedCommits(project), time).toEqual(commits);
  }
});

test("a run with other inputs writes only what is missing, and the supply is reconciled", async () => {
  const project = onboarding();
  const runs = [
    ["--input", "property=Loft12"],
    ["--input", "property=Mill3", "--input", "purchase=20"],
    ["--input", "property=Mill3", "--input", "purchase=20", "--input", "rights=150.00"],
  ];
  const added: (readonly string[])[] = [];
  for (const inputs of runs) {
    const before = (await embeddedCommits(project)).length;
    const run = await project.run("run", "--verbose", "property-sale.yaml", ...inputs);
    expect(run.code, run.transcript).toBe(0);
    const commits = await embeddedCommits(project);
    added.push(operationsOf(commits.slice(before)));
  }
  expect(added).toEqual([OPERATIONS, OPERATIONS, ["ledger.token.mint"]]);
  const values = (await embeddedCommits(project)).flatMap(({ operation, body }) =>
    operation === "ledger.token.mint" ? (body as { value: number }[]).map(({ value }) => value) : [],
  );
  expect(values).toEqual([100, 100, 50]);

  const tokens = ["Loft12", "Mill3"].flatMap((property) => [`${property}Rights`, `${property}Shares`]);
  project.write("tokens.json", JSON.stringify({ tokens }));
  const before = await embeddedCommits(project);
  const supply = await project.run("run", "supply.yaml", "--inputs", "tokens.json");
  expect(supply.code, supply.transcript).toBe(0);
  expect(supply.stdout).toContain("output tokens: 4");
  expect(await embeddedCommits(project)).toEqual(before);

  project.write("too-few.json", JSON.stringify({ tokens: tokens.slice(1) }));
  const missing = await project.run("run", "supply.yaml", "--inputs", "too-few.json");
  expect(missing.code, missing.transcript).toBe(3);
  expect(missing.stdout).toMatch(/new +[0-9a-f]{12} +tokens number of tokens: the list 3, the ledger 4/);
});

test("a run waits for dora's approval, continues when she has approved, and then is unchanged", async () => {
  const world = await servedSandbox();
  const project = onboarding();
  project.serviceAt(world.url);
  // The test should not wait half a minute for a person who never comes.
  project.write("transfer.yaml", delivered("../library/transfer.yaml").replaceAll("timeout: 30s", "timeout: 300ms"));
  const text = delivered("onboarding/property-sale.yaml").replace("uses: tokenbook/transfer.yaml", "uses: ./transfer.yaml");
  project.write("property-sale.yaml", text);
  const votes = ["--input", 'votes=["userId:bob"]'];
  const done = OPERATIONS.slice(0, 5);

  const waiting = await project.run("run", "--verbose", "property-sale.yaml", ...votes);
  expect(waiting.code, waiting.transcript).toBe(4);
  expect(waiting.stdout, waiting.transcript).toMatch(lineOf("… pending", "handover/transferred"));
  expect(waiting.stdout, waiting.transcript).toMatch(/^… pending {2}Onboard .*5 changed, .*1 pending/m);
  expect(operationsOf(await world.commits())).toEqual(done);

  // A separate run does not request approval again, because the request is already waiting.
  const second = await project.run("run", "--verbose", "property-sale.yaml", ...votes);
  expect(second.code, second.transcript).toBe(4);
  for (const step of STEPS.slice(0, 5)) expect(second.stdout, second.transcript).toMatch(lineOf("= unchanged", step));
  expect(operationsOf(await world.commits())).toEqual(done);

  await approveAs(world, "dora");
  const resumed = await project.run("resume", runIn(waiting));
  expect(resumed.code, resumed.transcript).toBe(0);
  const commits = await world.commits();
  expect(operationsOf(commits)).toEqual(OPERATIONS);

  for (const run of [
    await project.run("resume", "--verbose", runIn(second)),
    await project.run("run", "--verbose", "property-sale.yaml", ...votes),
  ]) {
    expect(run.code, run.transcript).toBe(0);
    expect(run.stdout, run.transcript).toMatch(/^✓ passed .*: 26 steps: 8 unchanged, 17 ok, 1 skipped in /m);
    expect(await world.commits()).toEqual(commits);
  }
});

async function approveAs(service: Awaited<ReturnType<typeof servedSandbox>>, user: string): Promise<void> {
  const waiting = await service.call("GET /asset/ownershipTransfer/request/approvals", `userId:${user}`);
  const ids = (waiting as { records: { id: string }[] }).records.map(({ id }) => id);
  expect(ids).toHaveLength(1);
  await service.call("POST /asset/ownershipTransfer/approve", `userId:${user}`, { id: ids });
}
