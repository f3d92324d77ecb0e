import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { DAY_MS, isoDay } from "../../src/base/time/date.ts";
import { releaseSilent } from "../../src/engine/run/release-run.ts";
import { JOURNAL } from "../../src/journal/format.ts";
import { thisProcess } from "../../src/journal/holder.ts";
import { JournalStore } from "../../src/journal/store.ts";
import { PostgresDatabase } from "../../src/postgres/database.ts";
import { opened } from "../unit/protocol/facts.ts";
import { comparisonIn } from "../stories/comparison.ts";
import { CREATE, playbookOf } from "../stories/planned.ts";
import { type Ended, environmentAt, KEYS, newProject, operationsOf, servedSandbox, temporaryFolder } from "../stories/world.ts";
import { BINARIES, PostgresServer, stateText } from "./server.ts";

const TOTALS = `playbook: 1
mode: read-only
reconcile:
  - id: totals
    left: { rows: '[{"v": 5}]', key: { all: '"all"' }, value: row.v }
    right: { rows: '[{"v": 7}]', key: { all: '"all"' }, value: row.v }
    recheck: 10ms
`;
const HOUR_MS = 3_600_000;
// The server's own clock, under the name that these tests give to it.
const REAL = "pg_catalog.real_clock()";
const NOW = `SELECT CAST(EXTRACT(EPOCH FROM ${REAL}) * 1000 AS BIGINT) AS time`;

describe.skipIf(BINARIES === undefined)("the clock of a server", () => {
  let server: PostgresServer;
  let database: PostgresDatabase;
  let schema: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
    const place = server.place();
    ({ schema } = place);
    database = PostgresDatabase.open(place, JOURNAL);
    await server.query("ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO real_clock");
    await looksAtOwnClock();
  });
  afterAll(() => {
    database.close();
    return server.remove();
  });

  const looksAtClock = (body: string, name = "pg_catalog"): Promise<unknown> =>
    server.query(
      `CREATE OR REPLACE FUNCTION ${name}.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN ${body}; END'`,
    );
  const looksAtOwnClock = (): Promise<unknown> => looksAtClock(`RETURN ${REAL}`);
  const ahead = (): number => database.clock.now() - Number(database.get(NOW)?.["time"]);

  test("is not set by an answer that took long to arrive", async () => {
    await looksAtClock(`PERFORM pg_sleep(2); RETURN ${REAL}`);
    database.clock.now();
    await looksAtOwnClock();
    expect(ahead()).toBeLessThanOrEqual(LIMITS.clocksDifferMs);
  });

  test("is read again on a new connection, which can lead to another server", async () => {
    database.clock.now();
    await looksAtClock(`RETURN ${REAL} + interval ''1 hour''`);
    expect(ahead()).toBeLessThan(HOUR_MS / 2);
    await server.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'tokenbook%'");
    database.get("SELECT 1");
    expect(ahead()).toBeGreaterThan(HOUR_MS / 2);
    await looksAtOwnClock();
  });

  test("is the server's own, even if the schema has a function of the same name", async () => {
    await looksAtClock(`RETURN ${REAL} + interval ''1 hour''`, schema);
    await server.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'tokenbook%'");
    database.get("SELECT 1");
    expect(ahead()).toBeLessThan(HOUR_MS / 2);
    await server.query(`DROP FUNCTION ${schema}.clock_timestamp()`);
  });

  test("is the clock of every command, also on a machine that is three days ahead", async () => {
    const service = await servedSandbox();
    const project = newProject({ ...KEYS, TOKENBOOK_DATABASE: server.address(), XDG_STATE_HOME: temporaryFolder() });
    project.write("tokenbook.yaml", environmentAt(service.url) + stateText(server.place().schema));
    project.write("mint.yaml", playbookOf(CREATE));
    project.write("totals.yaml", TOTALS);
    onTestFinished(async () => void (await looksAtOwnClock()));
    await looksAtClock(`RETURN ${REAL} - interval ''3 days''`);
    const ends = async (code: number, ...args: string[]): Promise<Ended> => {
      const ended = await project.run(...args);
      expect(ended.code, ended.transcript).toBe(code);
      return ended;
    };
    const { id = "" } = comparisonIn((await project.json("run", "totals.yaml")).data, "reconcile.totals").drifts[0] ?? {};
    // Otherwise the plan would seem younger than its run, and be carried out twice.
    await ends(0, "plan", "mint.yaml", "--out", "p.plan");
    await ends(0, "run", "mint.yaml", "--plan", "p.plan", "--keep-exchanges");
    expect((await ends(2, "run", "mint.yaml", "--plan", "p.plan")).stderr).toContain("plan.carried-out");
    expect(operationsOf(await service.commits())).toHaveLength(1);
    await ends(0, "coverage", "--since", "1d");
    expect((await ends(0, "runs", "drop-exchanges", "--older", "1d")).stdout).toBe("removed 0 exchanges\n");

    const today = isoDay(Date.now() - 3 * DAY_MS);
    await ends(0, "drift", "ack", id, "--because", "known", "--until", today);
    expect((await ends(0, "drift", "list")).stdout).toContain("acknowledged");
    await ends(0, "run", "totals.yaml");
    await ends(0, "drift", "close", "--playbook", "totals.yaml", "--because", "over");
    await ends(3, "run", "totals.yaml");
  });

  test("ends a transaction that cannot read it", async () => {
    await looksAtClock("RAISE EXCEPTION USING ERRCODE = ''57014''");
    await server.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'tokenbook%'");
    const noting = (): void => {
      database.run("INSERT INTO loss (at, who, because, what) VALUES (1, 'alice', 'why', 'what')");
      database.clock.now();
    };
    expect(() => database.transaction(noting)).toThrow(expect.objectContaining({ code: "database.busy" }));
    const swallowing = (): void => {
      database.run("INSERT INTO loss (at, who, because, what) VALUES (1, 'alice', 'why', 'what')");
      expect(() => database.get("SELECT 1 FROM nothing")).toThrow("nothing");
    };
    expect(() => database.transaction(swallowing)).toThrow(/a statement of the transaction had failed/);
    expect(database.all("SELECT * FROM loss")).toEqual([]);
    await looksAtOwnClock();
  });

  test("can step back by hours, and the run of a dead holder is free at once", async () => {
    const place = server.place();
    using store = JournalStore.open(place, { redact: (text) => text });
    const { journal } = await store.begin(opened);
    const gone = { ...thisProcess(), host: "elsewhere", bootId: "another", beat: "before" };
    await server.query(`UPDATE ${place.schema}.lease SET holder = '${JSON.stringify(gone)}'`);
    await server.query(`INSERT INTO ${place.schema}.holder (name, seen_at) VALUES ('before', now() + interval '2 hours')`);
    await releaseSilent(store, journal.claim.runId);
    expect(store.leases.holding(journal.claim.runId)).toBeUndefined();
  });
});
