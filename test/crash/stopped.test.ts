// A process is stopped after its intent is durable and before its request is sent. Meanwhile other processes look for runs to take over.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { inJournal } from "../stories/desk.ts";
import { below, isStopped } from "../stories/proc.ts";
import {
  type Ended,
  launch,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  reached,
  type Running,
  runIn,
  servedSandbox,
  type Service,
  until,
  COMMAND_LINE,
} from "../stories/world.ts";

const STOP_AT_INTENT = { TOKENBOOK_FAILPOINT: "stop after:attempt.intended@mint" };
const CREATED = ["ledger.token.create"];
const MINTED = [...CREATED, "ledger.token.mint"];

// The shell must stay as the parent, because the first process of a namespace cannot be stopped from within.
const CONTAINER = ["--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", '"$@"; exit $?', "sh"];
const RENAMED = [
  "--uts",
  "--pid",
  "--fork",
  "--mount-proc",
  "--kill-child",
  "sh",
  "-c",
  'hostname elsewhere; "$@"; exit $?',
  "sh",
];
const canUnshare = spawnSync("unshare", [...RENAMED, "true"]).status === 0;

const TIMEOUT = "    timeout: 2m\n";

async function desk(settings = TIMEOUT): Promise<{ readonly service: Service; readonly project: Project }> {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace(TIMEOUT, settings));
  project.write("mint.yaml", MINT_ONCE);
  return { service, project };
}

function inContainer({ folder, variables }: Project, container: readonly string[], ...args: readonly string[]): Running {
  return launch([...container, ...COMMAND_LINE, ...args], { cwd: folder, variables, program: "unshare" });
}

function stoppedBelow(pid: number): number | undefined {
  return [pid, ...below(pid)].find(isStopped);
}

async function stopped(running: Running): Promise<number> {
  return reached(
    running,
    until(() => stoppedBelow(running.pid)),
  );
}

function expectRefused({ code, stderr, transcript }: Ended, exit: number, why: string): void {
  expect([code, stderr], transcript).toEqual([exit, expect.stringContaining(why)]);
}

test.runIf(canUnshare).each([
  ["the same host name", CONTAINER],
  ["another host name", RENAMED],
] as const)(
  "with two containers on one state directory and %s, a stopped holder keeps its run, and each step happens once",
  async (_, other) => {
    const { service, project } = await desk();
    const holder = inContainer(project.as({ ...project.variables, ...STOP_AT_INTENT }), CONTAINER, "run", "mint.yaml");
    const pid = await stopped(holder);
    expect(operationsOf(await service.commits())).toEqual(CREATED);
    const [run] = inJournal(project, (database) => database.prepare("SELECT id FROM run").all());
    const id = String(run?.["id"]);
    for (const args of [["resume"], ["runs", "release", id, "--because", "it is gone"]]) {
      expectRefused(await inContainer(project, other, ...args).ended, 6, `the run ${id} is held by process`);
      expectRefused(await project.run(...args), 6, `the run ${id} is held by process`);
    }
    process.kill(pid, "SIGCONT");
    const ended = await holder.ended;
    expect(ended.code, ended.transcript).toBe(0);
    expect(operationsOf(await service.commits()), ended.transcript).toEqual(MINTED);
  },
);

test.runIf(canUnshare)("another container takes over a run at once when its container is gone", async () => {
  const { service, project } = await desk();
  const armed = project.as({ ...project.variables, TOKENBOOK_FAILPOINT: "before:attempt.intended@mint" });
  const killed = await inContainer(armed, RENAMED, "run", "mint.yaml").ended;
  const resumed = await inContainer(project, CONTAINER, "resume").ended;
  expect(resumed.code, killed.transcript + resumed.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toEqual(MINTED);
});

/** Stops a run at its intent and makes it seem to be held on another machine. Then a person releases it by mistake. */
async function releasedAlive(settings = TIMEOUT): Promise<{
  readonly service: Service;
  readonly project: Project;
  readonly holder: Running;
  readonly run: string;
}> {
  const { service, project } = await desk(settings);
  const holder = project.as({ ...project.variables, ...STOP_AT_INTENT }).start("run", "mint.yaml");
  await stopped(holder);
  const [row] = inJournal(project, (database) => {
    const text = String(database.prepare("SELECT holder FROM lease WHERE kind = 'run'").get()?.["holder"]);
    const elsewhere = { ...(JSON.parse(text) as object), host: "elsewhere", bootId: "another", lock: undefined };
    database.prepare("UPDATE lease SET holder = ?").run(JSON.stringify(elsewhere));
    return database.prepare("SELECT id FROM run").all();
  });
  const run = String(row?.["id"]);
  expectRefused(await project.run("resume"), 6, "on elsewhere");
  const released = await project.run("runs", "release", run, "--because", "the machine is gone");
  expect(released.code, released.transcript).toBe(0);
  return { service, project, holder, run };
}

test("a holder that was released while it lives sends nothing more, and reports the reason", async () => {
  const { service, project, holder, run } = await releasedAlive();
  const shown = await project.run("runs", "show", run);
  expect(shown.stdout, shown.transcript).toContain("the machine is gone (if it is alive, it may still send attempt 1 of mint)");
  await project.run("resolve", run, "--step", "mint", "--as", "absent", "--because", "it is not there");
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toEqual(MINTED);
  await holder.signal("SIGCONT");
  expectRefused(await holder.ended, 6, "journal.claim-lost");
  expect(operationsOf(await service.commits())).toEqual(MINTED);
});

test("a write that a released holder could still send stays unknown, however much time passes", async () => {
  const { service, project } = await releasedAlive("    timeout: 10s\n    settleWithin: 1ms\n    readLag: 0s\n");
  const past = inJournal(project, (database) => database.prepare("SELECT max(at) AS at FROM record").get());
  await until(() => (Date.now() > Number(past?.["at"]) + 11_000 ? true : undefined)); // the longest time that an intent may wait
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(5);
  expect(resumed.stdout, resumed.transcript).toContain("may be alive on its machine and still send it");
  expect(operationsOf(await service.commits())).toEqual(CREATED);
});

test("a run that was stopped for too long does not send its old intent, and the step happens once", async () => {
  const { service, project } = await desk();
  const holder = project.as({ ...project.variables, ...STOP_AT_INTENT }).start("run", "mint.yaml");
  await stopped(holder);
  const since = Date.now();
  await until(() => (Date.now() > since + 11_000 ? true : undefined));
  await holder.signal("SIGCONT");
  const ended = await holder.ended;
  expect(ended.code, ended.transcript).toBe(0);
  expect(operationsOf(await service.commits()), ended.transcript).toEqual(MINTED);
  const shown = await project.run("runs", "show", runIn(ended));
  expect(shown.stdout, shown.transcript).toMatch(
    /answer: not-sent: this process was paused: it decided to send the write .* ago/,
  );
});
