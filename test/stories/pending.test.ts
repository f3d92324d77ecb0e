import { approvalPlaybook } from "../playbooks.ts";
import { expect, test } from "vitest";
import { approveAsBob, newProject, operationsOf, servedSandbox } from "./world.ts";

test("a run that waits for a person is pending; the person approves, and the run is resumed", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("hand-over.yaml", approvalPlaybook("    timeout: 300ms\n    on_timeout: pending"));

  const run = await project.run("run", "hand-over.yaml");
  expect(run.code, run.transcript).toBe(4);
  expect(run.stdout, run.transcript).toMatch(/^… pending {2}owned /m);
  expect(run.stdout, run.transcript).toMatch(
    /after \S+ m?s this does not hold: response\.owners\.exists\(o, o == actors\.custodian\)/,
  );
  expect(run.stdout, run.transcript).toMatch(/^… pending {2}Hand over a property: 3 steps: 2 changed, 1 pending /m);

  const still = await project.run("resume");
  expect(still.code, still.transcript).toBe(4);

  await approveAsBob(world);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout, resumed.transcript).toContain("2 of 3 steps done before");
  expect(operationsOf(await world.commits())).toEqual([
    "ledger.asset.create",
    "ledger.transfer.request",
    "ledger.transfer.approve",
  ]);
});

const SIGNED = `playbook: 1
name: Wait for a signature
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: Mill3, city: Faro } } }
  - id: signed
    uses: ledger.asset.get
    with: { assetType: Property, id: Mill3 }
    until: response.data.signedBy == "bob"
    timeout: 300ms
    on_timeout: pending
`;

test("while the field that is waited for is missing, it is waited for, and its absence is explained when the time is over", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("signed.yaml", SIGNED);
  const planned = await project.run("plan", "signed.yaml");
  expect(planned.code, planned.transcript).toBe(0);
  const run = await project.run("run", "signed.yaml");
  expect(run.code, run.transcript).toBe(4);
  expect(run.stdout, run.transcript).toMatch(/^… pending {2}signed /m);
  expect(run.stdout, run.transcript).toMatch(
    /until\.timeout: after \S+ m?s this cannot be evaluated: response\.data\.signedBy == "bob": response\.data has no field "signedBy"/,
  );
  await world.call("PUT /asset", "userId:alice", { assetType: "Property", data: { id: "Mill3", signedBy: "bob" } });
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
});

test("a condition to wait for that is neither true nor false fails at once, and the plan foresees it", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("house.yaml", SIGNED.replace(/  - id: signed[^]*/, ""));
  const made = await project.run("run", "house.yaml");
  expect(made.code, made.transcript).toBe(0);
  const text = SIGNED.replace(/  - \{ id: house.*\n/, "")
    .replace(' == "bob"', "")
    .replace("signedBy", "city");
  project.write("city.yaml", text.replace("timeout: 300ms", "timeout: 1h"));
  for (const command of ["plan", "run"]) {
    const refused = await project.run(command, "city.yaml");
    expect(refused.code, refused.transcript).toBe(1);
    expect(refused.stdout, refused.transcript).toContain(
      'until.unclear: this must be true or false, and is "Faro": response.data.city',
    );
  }
});
