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
