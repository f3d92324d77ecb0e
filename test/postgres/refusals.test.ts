import { readFileSync, writeFileSync } from "node:fs";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { Secret } from "../../src/base/secret.ts";
import { lookAtState } from "../../src/cli/doctor/state.ts";
import { JOURNAL } from "../../src/journal/format.ts";
import { jobIdOf, NotNow } from "../../src/fleet/job.ts";
import { RunQueue } from "../../src/fleet/queue.ts";
import { PostgresDatabase } from "../../src/postgres/database.ts";
import { systemClock } from "../../src/base/ports.ts";
import { JournalStore } from "../../src/journal/store.ts";
import { failureOf } from "../../src/postgres/failure.ts";
import { SHARED_SESSION, WRONG_ENCODING } from "../../src/postgres/messages.ts";
import { mayPass } from "../../src/sql/failure.ts";
import type { ServerPlace } from "../../src/sql/place.ts";
import { opened } from "../unit/protocol/facts.ts";
import { PgBouncer, POOLER } from "./pooler.ts";
import { BINARIES, PostgresServer } from "./server.ts";

if (POOLER === undefined) console.warn("PgBouncer is not installed: the tests of poolers are skipped");

const SUBMITTED = {
  playbook: "p.yaml",
  environment: "here",
  digest: "",
  inputs: "{}",
  env: {},
  confirmed: null,
  submittedBy: "alice",
};

describe.skipIf(BINARIES === undefined)("the state on a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  const open = (place: ServerPlace): void => PostgresDatabase.open(place, JOURNAL).close();

  test("a server that cannot be reached is refused, and its address is not shown", () => {
    const place = { ...server.place(), url: new Secret("state.postgres", "postgres://me:open-sesame@127.0.0.1:1/money") };
    expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.unreachable" }));
    expect(() => open(place)).not.toThrow(/open-sesame|money/);
  });

  test.skipIf(POOLER === undefined).each([
    ["transaction", ""],
    ["transaction", "server_round_robin = 1"],
    ["session", ""],
  ] as const)("a server behind a pooler is refused, unless each connection has its own session: %s %s", async (mode, more) => {
    const pooler = await PgBouncer.start(server, mode, more);
    onTestFinished(() => pooler.stop());
    const place = { ...server.place(), url: new Secret("state.postgres", pooler.address()) };
    if (mode === "session") expect(() => open(place)).not.toThrow();
    else expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.pooler" }));
    const made = await server.query(`SELECT 1 FROM pg_namespace WHERE nspname = '${place.schema}'`);
    expect(made).toHaveLength(mode === "session" ? 1 : 0);
  });

  test.skipIf(POOLER === undefined)(
    "a server behind a pooler that gives two connections two sessions in turn is refused",
    async () => {
      const pooler = await PgBouncer.start(server, "transaction", "server_round_robin = 1\ndefault_pool_size = 2");
      onTestFinished(() => pooler.stop());
      await pooler.keepTwo();
      const place = { ...server.place(), url: new Secret("state.postgres", pooler.address()) };
      expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.pooler" }));
    },
  );

  test.skipIf(POOLER === undefined)(
    "a server behind a pooler that begins to share sessions while they are in use is refused",
    async () => {
      const pooler = await PgBouncer.start(server, "session", "server_check_delay = 0");
      onTestFinished(() => pooler.stop());
      const url = new Secret("state.postgres", pooler.address());
      const places = [server.place(), server.place()].map((place) => ({ ...place, url }));
      const databases = places.map((place) => PostgresDatabase.open(place, JOURNAL));
      await pooler.shareSessions();
      const write = (database: PostgresDatabase): unknown =>
        database.transaction(() => database.run("INSERT INTO approval (plan, who, because, at) VALUES ('p', 'w', 'b', 1)"));
      // Each database keeps its own session until its first transaction has ended.
      expect(() => [...databases, ...databases].forEach(write)).toThrow(/is behind a pooler/);
      for (const database of databases) database.close();
    },
  );

  test("a standby is refused for writes, because its data can be old", async () => {
    const place = server.place();
    open(place);
    await server.follow(true);
    try {
      expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.read-only" }));
      expect(PostgresDatabase.look(place, JOURNAL)?.get("SELECT count(*) AS runs FROM run")).toEqual({ runs: 0 });
      expect(lookAtState(() => place)).toMatchObject([{ grade: "problem", code: "database.read-only" }]);
      const opening = RunQueue.open(place, { takesJobs: false, onError: () => undefined });
      await expect(opening).rejects.toMatchObject({ code: "queue.unusable", next: "give the address of the primary server" });
    } finally {
      await server.follow(false);
    }
    expect(lookAtState(() => place)).not.toContainEqual(expect.objectContaining({ grade: "problem" }));
  });

  test("`tokenbook doctor` reports that the user cannot create the tables or write to them, and changes nothing", async () => {
    await server.query("CREATE ROLE reader LOGIN; GRANT pg_read_all_stats TO reader");
    const [made, missing] = [server.place("reader"), server.place("reader")];
    open({ ...made, url: new Secret("state", server.address()) });
    await server.query(
      `GRANT USAGE ON SCHEMA ${made.schema} TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA ${made.schema} TO reader`,
    );
    for (const place of [made, missing])
      expect(lookAtState(() => place)).toContainEqual(expect.objectContaining({ code: "database.denied" }));
    const own = { ...missing, url: new Secret("state", server.address()) };
    expect(lookAtState(() => own)).not.toContainEqual(expect.objectContaining({ grade: "problem" }));
    expect(await server.query(`SELECT 1 FROM pg_namespace WHERE nspname = '${missing.schema}'`)).toEqual([]);
  });

  test("a server without the database is refused", () => {
    const place = { ...server.place(), url: new Secret("state.postgres", server.address().replace(/postgres$/, "nothing")) };
    expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.missing" }));
  });

  test("a server where the user cannot create a schema is refused", async () => {
    await server.query("CREATE ROLE guest LOGIN");
    expect(() => open(server.place("guest"))).toThrow(expect.objectContaining({ code: "database.denied" }));
  });

  test("a server that needs a password is refused if the address has none", async () => {
    const hba = String((await server.query("SHOW hba_file"))[0]?.["hba_file"]);
    const text = readFileSync(hba, "utf8");
    await server.query("CREATE ROLE careful LOGIN PASSWORD 'a-password'");
    writeFileSync(hba, `host all careful all scram-sha-256\n${text}`);
    await server.stop();
    await server.run();
    const place = { ...server.place(), url: new Secret("state", server.address("careful").replace(":a-password", "")) };
    expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.denied" }));
  });

  test("an error of a stopping, busy or full server can pass, and an error of its disk or data cannot", () => {
    const database = PostgresDatabase.open(server.place(), JOURNAL);
    const said = (state: string): unknown => {
      try {
        database.exec(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END $$`);
        return undefined;
      } catch (error) {
        return [error instanceof Failure ? error.code : "a bug", mayPass(error)];
      }
    };
    const away = ["database.unreachable", true];
    for (const state of ["08006", "08P01", "25P03", "25P04", "57P01", "57P02", "57P03", "57P04", "57P05"])
      expect([state, said(state)]).toEqual([state, away]);
    for (const state of ["40001", "40P01", "55P03", "57014"])
      expect([state, said(state)]).toEqual([state, ["database.busy", true]]);
    for (const state of ["53100", "53200", "53300"]) expect([state, said(state)]).toEqual([state, ["database.full", true]]);
    for (const state of ["XX001", "XX002"]) expect([state, said(state)]).toEqual([state, ["database.damaged", false]]);
    expect(said("58030")).toEqual(["database.unusable", false]);
    for (const state of ["P0001", "23505", "54000", "XX000", "42601"])
      expect([state, said(state)]).toEqual([state, ["database.refused", false]]);
    expect(() => database.get("SELECT 1 / 0")).toThrow(/was moved to another place/);
    database.close();
  });

  test("an error code from elsewhere is known by its whole name, and an error without a code is a bug", () => {
    const failed = (code: string | undefined): unknown =>
      failureOf("it", { message: "why", code, isBroken: false, isUnsent: false });
    expect(failed(SHARED_SESSION)).toMatchObject({ code: "database.pooler" });
    for (const code of ["26000", "42P05"]) expect(failed(code)).toMatchObject({ code: "database.pooler" });
    expect(failed(WRONG_ENCODING)).toMatchObject({ code: "database.encoding" });
    for (const code of [undefined, "ERR_INVALID_ARG_TYPE"]) expect(failed(code)).not.toBeInstanceOf(Failure);
  });

  test.each(["LATIN1", "SQL_ASCII"])("a database with the encoding %s is refused", async (encoding) => {
    const name = encoding.toLowerCase();
    await server.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}'`);
    const place = { ...server.place(), url: new Secret("state", server.address().replace(/postgres$/, name)) };
    expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.encoding" }));
  });

  test("the reason of a server that ended the connection is shown", () => {
    const database = PostgresDatabase.open(server.place(), JOURNAL);
    const dawdle = (): void => {
      database.exec("SET LOCAL idle_in_transaction_session_timeout = 1");
      const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      // A query on an ended connection may make the server's last message unreadable, so we wait before each query.
      for (let pauseMs = 500; pauseMs < 20_000; pauseMs *= 2) {
        Atomics.wait(nothing, 0, 0, pauseMs);
        database.get("SELECT 1");
      }
    };
    expect(() => database.transaction(dawdle)).toThrow(
      /cannot be reached: terminating connection due to idle-in-transaction timeout/,
    );
    database.close();
  });

  test("a submitted job is durable, whatever settings the role has", async () => {
    await server.query(`CREATE ROLE contrary LOGIN SUPERUSER; ALTER ROLE contrary SET default_transaction_read_only = on;
      ALTER ROLE contrary SET standard_conforming_strings = off; ALTER ROLE contrary SET synchronous_commit = off;
      ALTER ROLE contrary SET DateStyle = 'German'; ALTER ROLE contrary SET default_transaction_isolation = serializable`);
    const queue = await RunQueue.open(server.place("contrary"), { takesJobs: false, onError: () => undefined });
    await queue.submit("default", { ...SUBMITTED, key: "k1" });
    await server.stop("immediate");
    await server.run();
    const { runs } = await queue.queued(2);
    expect(runs.map(({ key, submittedAt }) => [key, submittedAt.getTime() > 0])).toEqual([["k1", true]]);
    await queue.stop(0);
  });

  test("a job ends with its problem or is returned with its reason, even if the server cannot keep some characters", async () => {
    const queue = await RunQueue.open(server.place(), { takesJobs: true, onError: () => undefined });
    await queue.submit("later", { ...SUBMITTED, key: "later" });
    const { id } = await queue.submit("now", { ...SUBMITTED, key: "now" });
    const said = "no\0thing, half \ud83d";
    const problem = { code: "service.refused", message: said, next: said };
    await queue.work(["later", "now"], 1, ({ key }) =>
      key === "now" ? Promise.resolve({ run: null, outcome: null, exit: 2, problem }) : Promise.reject(new NotNow(said)),
    );
    const kept = String.raw`no\u0000thing, half \ud83d`;
    await expect.poll(() => queue.outcome("now", id)).toMatchObject({ problem: { message: kept, next: kept } });
    await expect.poll(() => queue.queued(2)).toMatchObject({ runs: [{ key: "later", isTaken: false, returned: kept }] });
    await queue.stop(0);
  });

  test("a schema of ours that this user cannot use is denied, and no other schema is suggested", async () => {
    const place = server.place();
    open(place);
    await server.query("CREATE ROLE outsider LOGIN");
    const denied = { ...place, url: new Secret("state", server.address("outsider")) };
    for (const look of [() => open(denied), () => PostgresDatabase.look(denied, JOURNAL)])
      expect(look).toThrow(/denies this user a right: permission denied for schema/);
  });

  test("a schema with foreign tables is refused, and the tables do not change", async () => {
    const place = server.place();
    await server.query(`CREATE SCHEMA ${place.schema}; CREATE TABLE ${place.schema}.run (id INT)`);
    expect(() => open(place)).toThrow(/it holds the table "run"/);
    expect(() => PostgresDatabase.look(place, JOURNAL)).toThrow(/it holds the table "run"/);
    expect(await server.query(`SELECT tablename FROM pg_tables WHERE schemaname = '${place.schema}'`)).toEqual([
      { tablename: "run" },
    ]);
  });

  test("a schema of a newer tokenbook is refused, even if it becomes newer while it is in use", async () => {
    const place = server.place();
    const database = PostgresDatabase.open(place, JOURNAL);
    await server.query(`UPDATE ${place.schema}.about SET format = 99`);
    expect(() => database.transaction(() => database.run("DELETE FROM lease"))).toThrow(/another format while it was in use/);
    database.close();
    expect(() => open(place)).toThrow(/newer tokenbook \(format 99\)/);
  });

  test.each([
    [
      "a trigger",
      "CREATE FUNCTION SCHEMA.act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER quiet BEFORE INSERT ON SCHEMA.record FOR EACH ROW EXECUTE FUNCTION SCHEMA.act()",
    ],
    ["a rule", "CREATE RULE quiet AS ON INSERT TO SCHEMA.record DO INSTEAD NOTHING"],
    ["a policy", "ALTER TABLE SCHEMA.record ENABLE ROW LEVEL SECURITY; CREATE POLICY quiet ON SCHEMA.record USING (false)"],
    [
      "row security without a policy",
      "ALTER TABLE SCHEMA.archived_run ENABLE ROW LEVEL SECURITY; ALTER TABLE SCHEMA.archived_run FORCE ROW LEVEL SECURITY",
    ],
    ["a table that a crash empties", "ALTER TABLE SCHEMA.approval SET UNLOGGED"],
    ["a missing table", "DROP TABLE SCHEMA.proof"],
  ])("a schema that somebody changed is refused: %s", async (_what, sql) => {
    const place = server.place();
    open(place);
    await server.query(sql.replaceAll("SCHEMA", place.schema));
    expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.changed" }));
  });

  test("row security or a trigger that somebody adds while the tables are in use gives an error, and loses no row silently", async () => {
    await server.query("CREATE ROLE owner LOGIN; GRANT CREATE ON DATABASE postgres TO owner");
    const place = server.place("owner");
    const database = PostgresDatabase.open(place, JOURNAL);
    const note = (): unknown =>
      database.transaction(() => database.run("INSERT INTO approval (plan, who, because, at) VALUES ('p', 'w', 'b', 1)"));
    const security = (is: string): Promise<unknown> =>
      server.query(
        `ALTER TABLE ${place.schema}.run ${is} ROW LEVEL SECURITY; ALTER TABLE ${place.schema}.approval ${is} ROW LEVEL SECURITY`,
      );
    await security("ENABLE");
    await security("FORCE");
    expect(() => database.all("SELECT id FROM run")).toThrow(/denies this user a right: query would be affected by row-level/);
    await security("NO FORCE");
    await server.query(`CREATE FUNCTION ${place.schema}.act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
    await server.query(
      `CREATE TRIGGER quiet BEFORE INSERT ON ${place.schema}.approval FOR EACH ROW EXECUTE FUNCTION ${place.schema}.act()`,
    );
    expect(note).toThrow(expect.objectContaining({ code: "database.changed" }));
    await server.query(`DROP TRIGGER quiet ON ${place.schema}.approval`);
    expect(note).not.toThrow();
    database.close();
  });

  test("if a schema or database is renamed while it is in use, the first advice is to undo that", async () => {
    const place = server.place();
    const database = PostgresDatabase.open(place, JOURNAL);
    await server.query(`ALTER SCHEMA ${place.schema} RENAME TO elsewhere`);
    expect(() => database.all("SELECT id FROM run")).toThrow(
      expect.objectContaining({
        code: "database.removed",
        next: expect.stringMatching(/^find out which, and undo it/) as string,
      }),
    );
    database.close();
    expect(failureOf("it", { message: "no", code: "3D000", isBroken: true, isUnsent: false })).toMatchObject({
      code: "database.missing",
      next: expect.stringMatching(/^correct the address/) as string,
    });
  });

  test("a job that the queue does not keep is not reported as submitted", async () => {
    const place = server.place();
    const queue = await RunQueue.open(place, { takesJobs: false, onError: () => undefined });
    await queue.submit("default", { ...SUBMITTED, key: "k1" });
    await server.query(`CREATE FUNCTION ${place.schema}_queue.act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER quiet BEFORE INSERT ON ${place.schema}_queue.job_common FOR EACH ROW EXECUTE FUNCTION ${place.schema}_queue.act()`);
    await expect(queue.submit("default", { ...SUBMITTED, key: "k2" })).rejects.toMatchObject({ code: "queue.unanswered" });
    await queue.stop(0);
  });

  test("a job is reported as submitted or withdrawn only after the standby confirms the commit", async () => {
    const place = server.place();
    const openQueue = () => RunQueue.open(place, { takesJobs: false, onError: () => undefined });
    const queue = await openQueue();
    await queue.submit("default", { ...SUBMITTED, key: "k1" });
    const withoutStandby = async (change: (asked: RunQueue) => Promise<unknown>, asked = queue): Promise<void> => {
      await server.waitForNobody();
      const failed = change(asked).catch((error: unknown) => error);
      await server.endWaits(failed);
      expect(await failed).toMatchObject({ code: "queue.unanswered", message: expect.stringContaining("standby") });
      await server.query("ALTER SYSTEM RESET synchronous_standby_names");
      await server.query("SELECT pg_reload_conf()");
    };
    const submit = (asked: RunQueue) => asked.submit("default", { ...SUBMITTED, key: "k2" });
    await withoutStandby(submit);
    const other = await openQueue();
    await withoutStandby(submit, other);
    expect(await submit(other)).toEqual({ id: jobIdOf("k2"), isNew: false });
    await withoutStandby((asked) => asked.withdraw("k1"));
    await withoutStandby((asked) => asked.withdraw("k1"));
    expect(await queue.withdraw("k1")).toEqual([]);
    await Promise.all([queue.stop(0), other.stop(0)]);
  });

  test("a queue works although the role has settings that end sessions and statements", async () => {
    await server.query("CREATE ROLE hasty LOGIN; GRANT CREATE ON DATABASE postgres TO hasty");
    const limits = ["statement_timeout", "lock_timeout", "idle_session_timeout", "transaction_timeout"];
    const known = await server.query(`SELECT name FROM pg_settings WHERE name IN ('${limits.join("', '")}')`);
    const place = server.place("hasty");
    const openQueue = (): Promise<RunQueue> => RunQueue.open(place, { takesJobs: true, onError: (why) => said.push(why) });
    const said: string[] = [];
    await (await openQueue()).stop(0);
    for (const { name } of known) await server.query(`ALTER ROLE hasty SET ${String(name)} = '300ms'`);
    // A lock holds up the last statement of the start, as a busy machine would.
    const holder = new Client({ connectionString: server.address() });
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE ${place.schema}_queue.instance IN ACCESS EXCLUSIVE MODE`);
    const opening = openQueue();
    await holder.query("SELECT pg_sleep(1)");
    await holder.query("COMMIT");
    const queue = await opening;
    await holder.end();
    await queue.submit("default", { ...SUBMITTED, key: "k1" });
    expect(said.filter((why) => !why.includes("idle-session"))).toEqual([]);
    await queue.stop(0);
  });

  test.each([
    ["fsync", { fsync: "off" }],
    ["full-page-writes", { full_page_writes: "off" }],
  ] as const)("a server with the risk %s is refused, unless the project accepts it", async (risk, settings) => {
    const place = server.place();
    await server.stop();
    await server.run(settings);
    expect(() => open(place)).toThrow(expect.objectContaining({ code: "database.unsafe" }));
    expect(() => open({ ...place, accepted: [risk] })).not.toThrow();
    await server.stop();
    await server.run();
  });

  test("if a server becomes unsafe while it is in use, no run begins or continues until its settings are safe again", async () => {
    const set = async (is: string): Promise<void> => {
      await server.query(`ALTER SYSTEM SET full_page_writes = ${is}`);
      await server.query("SELECT pg_reload_conf()");
      await expect.poll(() => server.query("SHOW full_page_writes")).toEqual([{ full_page_writes: is }]);
    };
    const store = JournalStore.open(server.place(), { clock: systemClock, redact: (text) => text });
    const { journal } = await store.begin({ ...opened, runId: "run1" });
    await set("off");
    for (const acts of [() => store.begin({ ...opened, runId: "run2" }), () => store.claim("run1", journal.claim)])
      await expect(acts()).rejects.toMatchObject({ code: "database.unsafe" });
    expect(store.runs.ids()).toEqual(["run1"]);
    await set("on");
    await store.begin({ ...opened, runId: "run2" });
    store.close();
  });

  test("each commit is synced and an idle session is kept, whatever the server's settings are", async () => {
    await server.stop();
    await server.run({ synchronous_commit: "off", idle_session_timeout: "60s" });
    const database = PostgresDatabase.open(server.place(), JOURNAL);
    expect(database.get("SHOW synchronous_commit")).toEqual({ synchronous_commit: "on" });
    expect(database.get("SHOW idle_session_timeout")).toEqual({ idle_session_timeout: "0" });
    database.close();
    await server.stop();
    await server.run();
  });
});
