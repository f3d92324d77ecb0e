import { describe, expect, test } from "vitest";
import { elementsOf } from "../unit/report/xml.ts";
import { gate, type Proxy, proxyTo } from "./proxy.ts";
import { type Line, loggedLines } from "./schedule.ts";
import { approvalPlaybook } from "../playbooks.ts";
import {
  approveAsBob,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  reached,
  runIn,
  type Running,
  servedSandbox,
  type Service,
  stepIn,
} from "./world.ts";

describe("a run is interrupted while it waits for a person", () => {
  test.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("the run closes at %s, and resumes", async ([signal, code]) => {
    const service = await servedSandbox();
    const proxy = await proxyTo(service.url);
    const project = newProject();
    project.serviceAt(proxy.url);
    project.write("hand-over.yaml", approvalPlaybook("    timeout: 1h"));
    const polled = proxy.next("GET /asset", async (passing) => passing.answer(await passing.forward()), 1);
    const running = project.start("run", "hand-over.yaml");
    await reached(running, polled);
    await running.signal(signal);
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.transcript).toBe(code);
    expect(interrupted.stdout, interrupted.transcript).toMatch(
      /^! interrupted {2}Hand over a property: 3 steps: 2 changed, 1 not run /m,
    );
    const { data } = await project.json("runs");
    expect(data.runs.map(({ outcome }) => outcome)).toEqual(["interrupted"]);

    await approveAsBob(service);
    const resumed = await project.run(...(/to continue: tokenbook (resume \S+)/.exec(interrupted.stdout)?.[1]?.split(" ") ?? []));
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(resumed.stdout, resumed.transcript).toContain("2 of 3 steps done before");
    expect(operationsOf(await service.commits())).toEqual([
      "ledger.asset.create",
      "ledger.transfer.request",
      "ledger.transfer.approve",
    ]);
  });
});

test("drift list names a comparison that an interrupted run did not reach", async () => {
  const proxy = await proxyTo((await servedSandbox()).url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write(
    "compared.yaml",
    `playbook: 1
mode: read-only
inputs: { go: { type: boolean } }
steps: [{ uses: ledger.token.list, as: { ledger: "userId:alice" }, until: inputs.go, wait: { timeout: 1h } }]
reconcile: [{ id: same, left: { rows: "['a']", key: row }, right: { rows: "['a']", key: row } }]
`,
  );
  const passed = await project.run("run", "compared.yaml", "--input", "go=true");
  expect(passed.code, passed.transcript).toBe(0);
  expect((await project.json("drift", "list")).data).toMatchObject({ comparisons: 1, unfinished: 0 });
  const polled = proxy.next("GET /token/all", async (passing) => passing.answer(await passing.forward()), 1);
  const running = project.start("run", "compared.yaml", "--input", "go=false");
  await reached(running, polled);
  await running.signal("SIGINT");
  const { code, transcript } = await running.ended;
  expect(code, transcript).toBe(130);
  expect((await project.json("drift", "list")).data).toMatchObject({ comparisons: 1, unfinished: 1 });
});

test("playbooks that an interrupt keeps from beginning are listed, and fail in the JUnit report", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("1.yaml", approvalPlaybook("    timeout: 1h"));
  for (const file of ["2.yaml", "3.yaml"]) project.write(file, "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n");
  const polled = proxy.next("GET /asset", async (passing) => passing.answer(await passing.forward()), 1);
  const running = project.start("run", "1.yaml", "2.yaml", "3.yaml", "--jobs", "1", "--report", "junit=report.xml");
  await reached(running, polled);
  await running.signal("SIGINT");
  const { code, stderr, transcript } = await running.ended;
  expect(code, transcript).toBe(130);
  expect(stderr, transcript).toContain("interrupted, and not begun: 2.yaml, 3.yaml\n");
  const red = elementsOf(project.read("report.xml")).filter(({ name }) => name === "failure");
  expect(red.map(({ attributes }) => attributes["type"])).toEqual(["interrupted", "run.interrupted", "run.interrupted"]);
});

describe("a run is interrupted while its mint is on its way", () => {
  test("one signal lets the run record the answer and send nothing more, and the run resumes", async () => {
    const { service, project, running, held, over } = await mintOnItsWay();
    await reached(running, held);
    await running.signal("SIGINT");
    over();
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.transcript).toBe(130);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(resumed.stdout, resumed.transcript).toMatch(/^✓ changed {2}mint /m);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test.for([
    ["SIGINT", "SIGINT", 130],
    ["SIGTERM", "SIGTERM", 143],
    ["SIGINT", "SIGTERM", 143],
  ] as const)(
    "the run ends at once after %s and %s, and looks for the mint when it is resumed",
    async ([first, second, code]) => {
      const { service, project, running, held, over } = await mintOnItsWay();
      await reached(running, held);
      await running.signal(first);
      await running.signal(second);
      const interrupted = await running.ended; // the mint's answer is still held
      expect(interrupted.code, interrupted.transcript).toBe(code);
      over();
      const resumed = await project.run("resume");
      expect(resumed.code, resumed.transcript).toBe(0);
      expect(resumed.stdout, resumed.transcript).toContain("attempt 1: applied, as read back");
      expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
    },
  );
});

const ROWS = "type: list, items: { type: object, properties: { holder: { type: string }, balance: { type: decimal } } }";
const DRIFTING = `playbook: 1
mode: read-only
schedule: { cron: "* * * * *", timeLimit: 4s }
inputs:
  ours: { ${ROWS}, default: [{ holder: a, balance: "1" }] }
  theirs: { ${ROWS}, default: [{ holder: a, balance: "2" }] }
reconcile:
  - id: holdings
    recheck: 10ms
    left: { rows: inputs.ours, key: { holder: row.holder }, value: row.balance }
    right: { rows: inputs.theirs, key: { holder: row.holder }, value: row.balance }
checks:
  - { name: the service counts, read: ledger.asset.stats, that: "true" }
`;

describe("the service never answers", () => {
  // Each command waits for a read that is answered only when the test is over, and the read's timeout is an hour.
  const READING: readonly {
    readonly name: string;
    readonly args: readonly string[];
    readonly held: string;
    readonly skip?: number;
  }[] = [
    { name: "a read", args: ["run", "mint.yaml"], held: "GET /token", skip: 1 },
    { name: "what is read before a mint", args: ["run", "mint.yaml"], held: "GET /token" },
    { name: "a receipt", args: ["run", "mint.yaml"], held: "GET /asset/receipt" },
    { name: "the question before the first write", args: ["run", "mint.yaml"], held: "GET /status" },
    { name: "a read of a plan", args: ["plan", "mint.yaml"], held: "GET /status" },
    { name: "a question of doctor", args: ["doctor"], held: "GET /status" },
  ];

  test.for(READING)("one signal ends the command that waits for $name", async ({ args, held, skip }) => {
    const { project, proxy } = await patiently();
    const asked = heldFor(proxy, held, skip);
    const running = project.start(...args);
    await reached(running, asked);
    await running.signal("SIGTERM");
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.transcript).toBe(143);
  });

  test("a run that waits for the answer to a mint counts it as lost after a grace, and looks for it on resume", async () => {
    const { service, project, proxy } = await patiently();
    const minted = gate();
    void proxy.next("POST /token/mint", async (passing) => {
      await passing.forward();
      minted.open();
      await NEVER;
    });
    const running = project.start("run", "mint.yaml");
    await reached(running, minted.passed);
    await running.signal("SIGTERM");
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.transcript).toBe(143);
    const shown = await project.json("runs", "show", runIn(interrupted));
    expect(stepIn(shown.data, "mint").attempts, shown.transcript).toMatchObject([
      { meaning: "ambiguous", message: expect.stringContaining("the run is stopping") },
    ]);
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(resumed.stdout, resumed.transcript).toContain("attempt 1: applied, as read back");
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("the time limit of a schedule ends a run that waits for a read", async () => {
    const { project, proxy } = await patiently();
    project.write(
      "read.yaml",
      "playbook: 1\nmode: read-only\nschedule: { cron: '* * * * *', timeLimit: 500ms }\nsteps: [{ uses: ledger.asset.stats }]\n",
    );
    void heldFor(proxy, "GET /asset/stats");
    const late = await project.run("schedule", "--once", "read.yaml");
    expect(late.code, late.transcript).toBe(1);
    expect(late.stdout + late.stderr, late.transcript).toContain("schedule.time-limit");
    expect((await project.json("runs")).data.runs).toMatchObject([{ outcome: "interrupted" }]);
  });

  test("a run that found a drift ends with the drift when it is stopped, and resumes", async () => {
    const { project, proxy } = await patiently();
    project.write("two.yaml", DRIFTING);
    const asked = heldFor(proxy, "GET /asset/stats");
    const running = project.start("run", "two.yaml");
    await reached(running, asked);
    await running.signal("SIGTERM");
    const stopped = await running.ended;
    expect(stopped.code, stopped.transcript).toBe(3);
    expect(stopped.stdout, stopped.transcript).toMatch(/≠ drift .*: 2 steps: 1 drift, 1 not run in /);
    const shown = await project.json("runs", "show", runIn(stopped));
    expect(shown.data.reports[0]?.run.history.at(-1)?.text).toBe("drift, and interrupted before its end");
    const resumed = await project.run("resume", runIn(stopped));
    expect(resumed.code, resumed.transcript).toBe(3);
    expect(resumed.stdout, resumed.transcript).toMatch(/≠ drift .*: 2 steps: 1 ok, 1 drift in /);
  });

  test("a scheduled run that found a drift ends at its time limit, and the drift is notified", async () => {
    const { project, proxy } = await patiently();
    project.write("two.yaml", DRIFTING);
    project.write("note.sh", "#!/bin/sh\ncat >> notes.txt\n");
    const environment = project.read("tokenbook.yaml");
    project.write("tokenbook.yaml", `${environment}\nnotifications: { desk: { command: [sh, note.sh], events: [drift] } }\n`);
    void heldFor(proxy, "GET /asset/stats");
    const late = await project.run("schedule", "--once", "two.yaml");
    expect(late.code, late.transcript).toBe(3);
    expect((await project.json("runs")).data.runs).toMatchObject([{ outcome: "drift" }]);
    expect(project.read("notes.txt")).toContain('"event":"drift"');
  });

  test("the next firing cancels a run that waits for a read, and passes", async () => {
    const { project, proxy } = await patiently();
    project.write(
      "read.yaml",
      `playbook: 1\nmode: read-only\nschedule: { cron: '${CRON}', overlap: cancel }\nsteps: [{ uses: ledger.asset.stats }]\n`,
    );
    const asked = heldFor(proxy, "GET /asset/stats");
    const running = project.start("schedule", "read.yaml");
    await reached(running, asked);
    const [next] = await loggedLines(running, hasEnded("passed"));
    const [cancelled] = await loggedLines(running, hasEnded("cancelled"));
    await running.signal("SIGTERM");
    expect((await running.ended).code).toBe(0);
    expect(Date.parse(next?.tick ?? "")).toBeGreaterThan(Date.parse(cancelled?.tick ?? ""));
    const shown = await project.json("runs", "show", cancelled?.run ?? "");
    expect(shown.data.reports[0]?.run.outcome, shown.transcript).toBe("interrupted");
  });

  test("the next firing cancels a run that waits for a mint, and its answer counts as lost", async () => {
    const { service, project, proxy } = await patiently();
    project.write("mint.yaml", MINT_ONCE.replace("steps:", `schedule: { cron: '${CRON}', overlap: cancel }\nsteps:`));
    void proxy.next("POST /token/mint", async (passing) => {
      await passing.forward();
      await NEVER;
    });
    const running = project.start("schedule", "mint.yaml");
    await loggedLines(running, ({ outcome }) => outcome === "blocked");
    const cancelled = (await loggedLines(running, hasEnded("cancelled"))).at(-1);
    await running.signal("SIGTERM");
    await running.ended;
    const shown = await project.json("runs", "show", cancelled?.run ?? "");
    expect(stepIn(shown.data, "mint").attempts, shown.transcript).toMatchObject([
      { meaning: "ambiguous", message: expect.stringContaining("the run is stopping") },
    ]);
    const resumed = await project.run("resume", cancelled?.run ?? "");
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(resumed.stdout, resumed.transcript).toContain("attempt 1: applied, as read back");
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("a signal does not keep the steps of `always` from running", async () => {
    const { service, project, proxy } = await patiently();
    project.write(
      "always.yaml",
      `playbook: 1
name: Clean up
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: whole
    block: [{ id: read, uses: ledger.asset.stats }]
    always: [{ id: note, uses: ledger.asset.create, with: { assetType: Property, data: { id: Cleaned } } }]
`,
    );
    const asked = heldFor(proxy, "GET /asset/stats");
    const running = project.start("run", "always.yaml");
    await reached(running, asked);
    await running.signal("SIGTERM");
    const interrupted = await running.ended;
    expect(interrupted.code, interrupted.transcript).toBe(143);
    expect(operationsOf(await service.commits()), interrupted.transcript).toEqual(["ledger.asset.create"]);
  });
});

const NEVER = new Promise<never>(() => undefined);

async function patiently(): ReturnType<typeof minting> {
  const scene = await minting();
  scene.project.write("tokenbook.yaml", scene.project.read("tokenbook.yaml").replace("timeout: 2m", "timeout: 1h"));
  return scene;
}

/** A run that takes longer is cancelled before it reaches the subject of its test. */
const CRON = "*/3 * * * * *";

function hasEnded(how: string): (line: Line) => boolean {
  return ({ event, outcome }) => event === "firing.ended" && outcome === how;
}

/** Holds the answer to a request for ever. Resolves when the request arrives. */
function heldFor(proxy: Proxy, name: string, skip?: number): Promise<void> {
  const asked = gate();
  void proxy.next(
    name,
    async () => {
      asked.open();
      await NEVER;
    },
    skip,
  );
  return asked.passed;
}

describe("a run is interrupted", () => {
  test.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("a run that gets %s while it waits for a receipt reads it when it is resumed", async ([signal, code]) => {
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
    expect(interrupted.code, interrupted.transcript).toBe(code);
    expect(interrupted.stdout, interrupted.transcript).toMatch(
      /^! interrupted {2}Mint once: 3 steps: 1 changed, 1 pending, 1 not run /m,
    );
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(resumed.stdout, resumed.transcript).toMatch(/^✓ changed {2}mint .*receipt COMMITTED/m);
    expect(proxy.seen.filter((name) => name === "POST /token/mint")).toHaveLength(1);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("playbooks that wait for their turn do not begin after a signal", async () => {
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
    expect(interrupted.code, interrupted.transcript).toBe(143);
    expect(proxy.seen).toHaveLength(seen);
    expect((await project.json("runs")).data.runs.map(({ playbook }) => playbook)).toEqual(["mint.yaml"]);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
  });
});

interface Scene {
  readonly service: Service;
  readonly project: Project;
  readonly running: Running;
  /** The service has minted, and the proxy holds its answer. */
  readonly held: Promise<void>;
  /** Releases the answer. */
  readonly over: () => void;
}

async function minting(): Promise<Pick<Scene, "service" | "project"> & { readonly proxy: Proxy }> {
  const service = await servedSandbox();
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
