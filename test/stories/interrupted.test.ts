import { describe, expect, test } from "vitest";
import { elementsOf } from "../unit/report/xml.ts";
import { gate, type Proxy, proxyTo } from "./proxy.ts";
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

test("what an interrupt keeps from beginning is named, and is red in the report", async () => {
  const service = await sandboxProcess();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("1.yaml", approvalPlaybook("    timeout: 1h"));
  for (const file of ["2.yaml", "3.yaml"]) project.write(file, "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n");
  const polled = proxy.next("GET /asset", async (passing) => passing.answer(await passing.forward()), 1);
  const running = project.start("run", "1.yaml", "2.yaml", "3.yaml", "--jobs", "1", "--report", "junit=report.xml");
  await reached(running, polled);
  await running.signal("SIGINT");
  const { code, stderr, told } = await running.ended;
  expect(code, told).toBe(130);
  expect(stderr, told).toContain("interrupted, and not begun: 2.yaml, 3.yaml\n");
  const red = elementsOf(project.read("report.xml")).filter(({ name }) => name === "failure");
  expect(red.map(({ attributes }) => attributes["type"])).toEqual(["interrupted", "run.interrupted", "run.interrupted"]);
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

  test.for([
    ["SIGINT", "SIGINT", 130],
    ["SIGTERM", "SIGTERM", 143],
    ["SIGINT", "SIGTERM", 143],
  ] as const)("%s, then %s: it ends at once, and the mint is looked for when it is resumed", async ([first, second, code]) => {
    const { service, project, running, held, over } = await mintOnItsWay();
    await reached(running, held);
    await running.signal(first);
    await running.signal(second);
    const interrupted = await running.ended; // the mint's answer is still held back
    expect(interrupted.code, interrupted.told).toBe(code);
    over();
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.told).toBe(0);
    expect(resumed.stdout, resumed.told).toContain("attempt 1: applied, as read back");
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });
});

describe("a run is interrupted", () => {
  test.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s while it waits for the receipt of its mint: it is read when the run goes on", async ([signal, code]) => {
    const { service, project, proxy } = await minting();
    const [asked, over] = [gate(), gate()];
    void proxy.next(
      "GET /asset/receipt",
      async (passing) => {
        const { status } = await passing.forward();
        asked.open();
        await over.passed;
        passing.answer({ status, headers: { "content-type": "application/json" }, body: '{"status":"PROCESSING"}' });
      },
      1,
    );
    const running = project.start("run", "mint.yaml");
    await reached(running, asked.passed);
    await running.signal(signal);
    over.open();
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.told).toBe(code);
    expect(interrupted.stdout, interrupted.told).toMatch(
      /^! interrupted {2}Mint once: 3 steps: 1 changed, 1 pending, 1 not run /m,
    );
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.told).toBe(0);
    expect(resumed.stdout, resumed.told).toMatch(/^✓ changed {2}mint .*receipt COMMITTED/m);
    expect(proxy.seen.filter((name) => name === "POST /token/mint")).toHaveLength(1);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("while others of the same command wait for their turn: they do not begin", async () => {
    const { service, project, proxy } = await minting();
    project.write("second.yaml", MINT_ONCE);
    const [held, over] = [gate(), gate()];
    void proxy.next("POST /token", async (passing) => {
      held.open();
      await over.passed;
      passing.answer(await passing.forward());
    });
    const running = project.start("run", "mint.yaml", "second.yaml", "--jobs", "1");
    await reached(running, held.passed);
    const seen = proxy.seen.length;
    await running.signal("SIGTERM");
    over.open();
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.told).toBe(143);
    expect(proxy.seen).toHaveLength(seen);
    expect((await project.json("runs")).data.runs.map(({ playbook }) => playbook)).toEqual(["mint.yaml"]);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
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

async function minting(): Promise<Pick<Scene, "service" | "project"> & { readonly proxy: Proxy }> {
  const service = await sandboxProcess();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  return { service, project, proxy };
}

async function mintOnItsWay(): Promise<Scene> {
  const { service, project, proxy } = await minting();
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
