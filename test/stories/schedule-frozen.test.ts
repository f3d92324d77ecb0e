// A scheduler is stopped while it holds a firing, and wakes up after another scheduler has taken its place.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Proxy as DatabaseWay } from "../postgres/proxy.ts";
import { BINARIES, PostgresServer, stateText } from "../postgres/server.ts";
import { Desk, schedule } from "../unit/schedule/desk.ts";
import { isStopped } from "./proc.ts";
import { type Line, logged, loggedLines, reading, recordProperty } from "./schedule.ts";
import { environmentAt, KEYS, newProject, operationsOf, type Project, servedSandbox, type Service } from "./world.ts";

/** The playbook waits for a property, and then writes. */
const WRITES = `playbook: 1
name: Wait, then write
schedule: { cron: '*/20 * * * * *' }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: all
    uses: ledger.asset.list
    with: { assetType: Property }
    until: response.size() > 0
    timeout: 1h
    wait: { every: 100ms, max: 100ms }
  - id: token
    uses: ledger.token.create
    with: { name: W, symbol: W, behaviour: { decimal: 2, maxMintQuantity: "100", transferable: true, burnable: true } }
`;

describe.skipIf(BINARIES === undefined)("a scheduler that another one takes for dead, or that loses its database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  async function place(): Promise<{ readonly service: Service; readonly schema: string; readonly machine: () => Project }> {
    const service = await servedSandbox();
    const { schema, url } = server.place();
    const machine = (): Project => {
      const project = newProject({ ...KEYS, TOKENBOOK_DATABASE: url.reveal() });
      const environment = environmentAt(service.url).replace("    exclusive: true\n", "");
      project.write("tokenbook.yaml", environment + stateText(schema));
      project.write("writes.yaml", WRITES);
      return project;
    };
    return { service, schema, machine };
  }

  /** Resolves when a run has begun. */
  async function runHolds(schema: string): Promise<void> {
    const sql = `SELECT 1 FROM ${schema}.lease WHERE kind = 'run'`;
    await expect.poll(() => server.query(sql)).toHaveLength(1);
  }

  test("the run of a frozen scheduler writes nothing more when it wakes up, and reports its outcome", async () => {
    const { service, schema, machine } = await place();
    const first = machine().start("schedule", "writes.yaml");
    await logged(first, "firing.started");
    await runHolds(schema);
    await first.signal("SIGSTOP");
    const second = machine().start("schedule", "writes.yaml");
    await logged(second, "firing.started");
    await recordProperty(service);
    await logged(second, "firing.ended", 2);
    await first.signal("SIGCONT");
    const [lost] = await logged(first, "firing.lost");
    expect(lost?.message).toContain("another process took this one for dead; its run");
    for (const each of [first, second]) await each.signal("SIGTERM");
    const transcripts = [await first.ended, await second.ended].map(({ transcript }) => transcript).join("\n");
    const states = await server.query(`SELECT state FROM ${schema}.firing ORDER BY tick`);
    expect(states[0], transcripts).toEqual({ state: "died" });
    // The journal keeps that the process may still send a write, so no later run settles it by time alone.
    const records = await server.query(`SELECT body FROM ${schema}.record WHERE kind = 'run.released'`);
    expect(records, transcripts).toEqual([
      { body: expect.stringContaining("took the one that ran its firing for dead") as string },
    ]);
    const passed = states.filter(({ state }) => state === "passed");
    const written = operationsOf(await service.commits()).filter((each) => each === "ledger.token.create");
    expect(written, transcripts).toHaveLength(passed.length);
  });

  test("the run of a frozen scheduler writes nothing more after a person has released its schedule", async () => {
    const { service, schema, machine } = await place();
    await recordProperty(service);
    const project = machine();
    project.write("writes.yaml", WRITES.replace("*/20", "*"));
    const before = await service.commits();
    const frozen = { ...project.variables, TOKENBOOK_FAILPOINT: "stop after:run.opened" };
    const scheduler = project.as(frozen).start("schedule", "writes.yaml");
    await expect.poll(() => isStopped(scheduler.pid)).toBe(true);
    await server.query(`UPDATE ${schema}.holder SET seen_at = 'yesterday'`);
    const released = await project.run("schedule", "release", "writes.yaml", "--because", "it is gone");
    expect(released.code, released.transcript).toBe(0);
    project.write("writes.yaml", WRITES.replace("*/20 * * * * *", "0 0 1 1 *"));
    await scheduler.signal("SIGCONT");
    const [lost] = await logged(scheduler, "firing.lost");
    expect([lost?.message, await service.commits()]).toEqual([expect.stringContaining("ended here as failed"), before]);
    const shown = await project.run("runs", "show", "latest");
    expect(shown.stdout, shown.transcript).toMatch(/released .*it is gone/);
  });

  test("a scheduler whose database has lost a run that it had made, as an older copy has, makes no other one", async () => {
    const { service, schema, machine } = await place();
    await recordProperty(service);
    const project = machine();
    project.write("writes.yaml", WRITES.replace("*/20", "*/4"));
    const scheduler = project.start("schedule", "writes.yaml", "--listen", "0");
    const [{ url = "" } = {}] = await logged(scheduler, "schedule.listening");
    const ready = async (): Promise<readonly [number, string]> => {
      const response = await fetch(`${url}/readyz`);
      return [response.status, await response.text()];
    };
    await logged(scheduler, "firing.ended");
    await expect.poll(ready).toEqual([200, "ok\n"]);
    await server.query(`SET search_path TO ${schema}; DELETE FROM proof; DELETE FROM record; DELETE FROM lease; DELETE FROM run`);
    await expect.poll(ready).toEqual([503, expect.stringContaining("has lost records")]);
    const refused = ({ event, outcome }: Line): boolean => event === "firing.ended" && outcome === "failed";
    const [first] = await loggedLines(scheduler, refused, 2);
    expect(first?.problem?.code).toBe("journal.lost");
    await scheduler.signal("SIGTERM");
    const { code, transcript } = await scheduler.ended;
    expect(code, transcript).toBe(0);
    const passed = await server.query(`SELECT 1 FROM ${schema}.firing WHERE state = 'passed'`);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.create")).toHaveLength(passed.length);
  });

  test("an outage of the database ends no scheduler", async () => {
    const { service, schema, machine } = await place();
    const scheduler = machine().start("schedule", "writes.yaml");
    await runHolds(schema);
    await server.stop("fast");
    await logged(scheduler, "schedule.database");
    await server.run();
    await recordProperty(service);
    await logged(scheduler, "firing.ended");
    await scheduler.signal("SIGTERM");
    const { code, transcript } = await scheduler.ended;
    expect(code, transcript).toBe(0);
    // On a busy machine, the next firings are due before the run has ended.
    const ended = "state NOT IN ('interrupted', 'skipped')";
    const states = await server.query(`SELECT DISTINCT state FROM ${schema}.firing WHERE ${ended}`);
    expect(states, transcript).toEqual([{ state: "passed" }]);
  });

  test("a firing that begins while the database lets nobody in waits for it, and then runs", async () => {
    const { service, schema, machine } = await place();
    await recordProperty(service);
    const way = await DatabaseWay.open(server.port);
    onTestFinished(() => way.close());
    const project = machine();
    project.write("reads.yaml", reading());
    const url = server.place().url.reveal().replace(String(server.port), String(way.port));
    const scheduler = project.as({ ...project.variables, TOKENBOOK_DATABASE: url }).start("schedule", "reads.yaml");
    await logged(scheduler, "firing.ended");
    await way.refuse(true);
    const [waits] = await logged(scheduler, "firing.waits");
    await way.refuse(false);
    const ends = await loggedLines(scheduler, ({ event, tick }) => event === "firing.ended" && tick === waits?.tick);
    expect(ends).toMatchObject([{ outcome: "passed" }]);
    await scheduler.signal("SIGTERM");
    await scheduler.ended;
    expect(await server.query(`SELECT 1 FROM ${schema}.firing WHERE state = 'failed'`)).toEqual([]);
  });

  test("a process that ends waits for its database only for a while, also with a firing that has reached its time limit", async () => {
    const desk = new Desk("2026-01-05T02:59:00+01:00", server.place());
    desk.work = [{ minutes: 60 }];
    const process = desk.serve(schedule("0 3 * * *", { timeLimitMs: 300_000 }));
    await desk.until("2026-01-05T03:01:00+01:00");
    await server.stop("immediate");
    onTestFinished(() => server.run());
    await desk.until("2026-01-05T03:06:00+01:00");
    let why: unknown;
    void process.ended.catch((error: unknown) => void (why = error));
    process.stop();
    await desk.until("2026-01-05T03:08:00+01:00");
    expect(why).toMatchObject({ code: "database.unreachable" });
  });
});
