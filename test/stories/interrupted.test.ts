import { describe, expect, test } from "vitest";
import { gate, proxyTo } from "./proxy.ts";
import {
  approvalPlaybook,
  approveAsBob,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  reached,
  type Running,
  sandboxProcess,
  type Service,
} from "./world.ts";

describe("a run is interrupted while it waits for a person", () => {
  test.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s: it closes, and is resumed", async ([signal, code]) => {
    const service = await sandboxProcess();
    const proxy = await proxyTo(service.url);
    const project = newProject();
    project.serviceAt(proxy.url);
    project.write("hand-over.yaml", approvalPlaybook("    timeout: 1h"));
    const polled = proxy.next("GET /asset", async (passing) => passing.answer(await passing.forward()), 1);
    const running = project.start("run", "hand-over.yaml");
    await reached(running, polled);
    await running.signal(signal);
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.told).toBe(code);
    expect(interrupted.stdout, interrupted.told).toMatch(
      /^! interrupted {2}Hand over a property: 3 steps: 2 changed, 1 not run /m,
    );
    const { data } = await project.json("runs");
    expect(data.runs.map(({ outcome }) => outcome)).toEqual(["interrupted"]);

    await approveAsBob(service);
    const resumed = await project.run(...(/to go on: tokenbook (resume \S+)/.exec(interrupted.stdout)?.[1]?.split(" ") ?? []));
    expect(resumed.code, resumed.told).toBe(0);
    expect(resumed.stdout, resumed.told).toContain("2 of 3 steps done before");
    expect(operationsOf(await service.commits())).toEqual([
      "ledger.asset.create",
      "ledger.transfer.request",
      "ledger.transfer.approve",
    ]);
  });
});

describe("a run is interrupted while its mint is on its way", () => {
  test("one signal: the answer is waited for and kept, nothing more is sent, and the run is resumed", async () => {
    const { service, project, running, held, over } = await mintOnItsWay();
    await reached(running, held);
    await running.signal("SIGINT");
    over();
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.told).toBe(130);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.told).toBe(0);
    expect(resumed.stdout, resumed.told).toMatch(/^✓ changed {2}mint /m);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("a second signal: it ends at once, and what became of the mint is looked up when the run is resumed", async () => {
    const { service, project, running, held, over } = await mintOnItsWay();
    await reached(running, held);
    await running.signal("SIGINT");
    await running.signal("SIGINT");
    const interrupted = await running.ended; // the mint's answer is still held back
    expect(interrupted.code, interrupted.told).toBe(130);
    over();
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.told).toBe(0);
    expect(resumed.stdout, resumed.told).toContain("attempt 1: applied, as read back");
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });
});

interface Scene {
  readonly service: Service;
  readonly project: Project;
  readonly running: Running;
  /** The service has minted, and its answer is held back. */
  readonly held: Promise<void>;
  /** Lets the answer go. */
  readonly over: () => void;
}

async function mintOnItsWay(): Promise<Scene> {
  const service = await sandboxProcess();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  const [held, over] = [gate(), gate()];
  void proxy.next("POST /token/mint", async (passing) => {
    const answer = await passing.forward();
    held.open();
    await over.passed;
    passing.answer(answer);
  });
  const running = project.start("run", "mint.yaml");
  return { service, project, running, held: held.passed, over: over.open };
}
