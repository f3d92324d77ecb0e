import { expect, test } from "vitest";
import { asking, desk } from "./desk.ts";
import { approvalPlaybook } from "../playbooks.ts";
import { approveAsBob, type Ended, operationsOf, type Running } from "./world.ts";

const OPERATIONS = ["ledger.asset.create", "ledger.transfer.request"];

test("a run belongs to one process at a time: a stopped one keeps it, a dead one does not", async () => {
  const at = await desk({ "hand-over.yaml": approvalPlaybook("    timeout: 1h") });
  const { project, proxy, service } = at;
  const { running: holder, goOn } = await asking(at, "hand-over.yaml");

  expectHeld(await project.run("resume"), holder);
  await holder.signal("SIGSTOP");
  expectHeld(await project.run("resume"), holder);
  expect(operationsOf(await service.commits())).toEqual(OPERATIONS);

  await holder.signal("SIGKILL");
  await holder.ended;
  goOn();
  const taken = proxy.next("GET /asset", async (passing) => passing.answer(await passing.forward()), 1);
  const rivals = [project.start("resume"), project.start("resume")];
  await taken;
  // One process holds the run and waits for bob. The other process has been refused.
  const loser = await Promise.race(rivals.map(async (rival) => ({ rival, ended: await rival.ended })));
  const winner = rivals.find((rival) => rival !== loser.rival);
  if (winner === undefined) throw new Error("one of two must be left");
  expectHeld(loser.ended, winner);

  await approveAsBob(service);
  const resumed = await winner.ended;
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout, resumed.transcript).toContain("2 of 3 steps done before");
  expect(operationsOf(await service.commits())).toEqual([...OPERATIONS, "ledger.transfer.approve"]);
});

function expectHeld({ code, stderr, transcript }: Ended, holder: Running): void {
  expect(code, transcript).toBe(6);
  expect(stderr, transcript).toMatch(new RegExp(`is held by process ${holder.pid} on this host$`, "m"));
}
