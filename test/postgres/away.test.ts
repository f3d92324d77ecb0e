import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EXIT } from "../../src/base/exit.ts";
import { LIMITS } from "../../src/base/limits.ts";
import type { Clock } from "../../src/base/ports.ts";
import { Secret } from "../../src/base/secret.ts";
import { LOOKING, type RunJournal } from "../../src/journal/journal.ts";
import { acceptLoss } from "../../src/journal/loss.ts";
import { changeJournal } from "../../src/cli/runs/open-journal.ts";
import { fenceRun } from "../../src/cli/schedule/run.ts";
import { JournalStore } from "../../src/journal/store.ts";
import type { ServerPlace } from "../../src/sql/place.ts";
import { TestState } from "../state.ts";
import { silentShell } from "../unit/cli/shell.ts";
import { answered, intended, opened } from "../unit/protocol/facts.ts";
import { Desk, schedule } from "../unit/schedule/desk.ts";
import { Proxy } from "./proxy.ts";
import { BINARIES, PostgresServer } from "./server.ts";

const STILL_AWAY = 3;
const BEGUN = ["run.opened", "run.claimed"];

// A commit waits for the standby, which does not exist, until somebody ends the session. The server then has the commit, but no standby does.
const END_WHEN_SOMEBODY_WAITS = `DO $$ BEGIN
  LOOP
    PERFORM pg_stat_clear_snapshot();
    EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock');
    PERFORM pg_sleep(0.02);
  END LOOP;
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep';
END $$`;

// Waits until a commit waits for the standby, then ends that wait.
function endOfWait(ends: string): string {
  return `DO $$ DECLARE found INT; BEGIN
  LOOP
    PERFORM pg_stat_clear_snapshot();
    SELECT pid INTO found FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT';
    EXIT WHEN found IS NOT NULL;
    PERFORM pg_sleep(0.02);
  END LOOP;
  PERFORM ${ends}(found);
  LOOP
    PERFORM pg_stat_clear_snapshot();
    EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = found AND wait_event = 'SyncRep');
    PERFORM pg_sleep(0.02);
  END LOOP;
END $$`;
}

describe.skipIf(BINARIES === undefined)("a server that goes away", () => {
  let server: PostgresServer;
  let place: ServerPlace;
  let store: JournalStore;
  let journal: RunJournal;
  let passedMs: number;
  let pauses: number;
  let away: string[];
  let stop: AbortController;
  /** Runs while the journal pauses. */
  let meanwhile: () => Promise<void>;

  const clock: Clock = {
    now: () => Date.now() + passedMs,
    elapsed: () => passedMs,
    uptime: () => undefined,
    sleep: async (ms) => {
      passedMs += ms;
      pauses += 1;
      await meanwhile();
    },
  };

  beforeEach(async () => {
    server = await PostgresServer.start();
    place = server.place();
    [passedMs, pauses, away, meanwhile] = [0, 0, [], async () => {}];
    stop = new AbortController();
    store = JournalStore.open(place, {
      clock,
      redact: (text) => text,
      onAway: (why) => away.push(why),
      stopping: () => stop.signal,
    });
    ({ journal } = await store.begin(opened));
  });
  afterEach(async () => {
    store.close();
    await server.remove();
  });

  const through = ({ port }: Proxy): ServerPlace => ({
    ...place,
    url: new Secret("state.postgres", server.address().replace(String(server.port), String(port))),
  });
  const kinds = (): readonly string[] => store.read("run1").map(({ kind }) => kind);
  test("is waited for, and nothing is recorded twice or lost when it is back", async () => {
    await server.stop("immediate");
    meanwhile = async () => {
      if (pauses === STILL_AWAY) await server.run();
    };
    journal.note(intended("mint"));
    await journal.flushed();
    expect(away).toEqual([expect.stringContaining("cannot be reached")]);
    expect(pauses).toBeGreaterThanOrEqual(STILL_AWAY);
    expect(kinds()).toEqual([...BEGUN, "attempt.intended"]);
  });

  test("keeps the order of the records that come while it is away", async () => {
    await server.stop("immediate");
    const ends: Promise<void>[] = [];
    meanwhile = async () => {
      if (pauses === 1) {
        journal.note(answered("mint", "acknowledged"));
        ends.push(journal.flushed());
      }
      if (pauses === STILL_AWAY) await server.run();
    };
    journal.note(intended("mint"));
    await journal.flushed();
    await Promise.all(ends);
    expect(kinds()).toEqual([...BEGUN, "attempt.intended", "attempt.answered"]);
  });

  test("is waited for by a question, too, which ends the run when it stays away", async () => {
    await server.stop("immediate");
    const proofs = (): Promise<unknown> => journal.asked(() => journal.provenElsewhere("tx1"));
    await expect(proofs()).rejects.toMatchObject({ code: "journal.cannot-read", next: expect.stringContaining("resume run1") });
    expect(passedMs).toBeGreaterThanOrEqual(LIMITS.databaseAwayMs);
    const before = pauses;
    meanwhile = async () => {
      if (pauses === before + STILL_AWAY) await server.run();
    };
    expect(await proofs()).toEqual([]);
  });

  test("ends the run when it stays away, and the run can be resumed later", async () => {
    await server.stop("immediate");
    journal.note(intended("mint"));
    await expect(journal.flushed()).rejects.toMatchObject({ code: "journal.cannot-write" });
    expect(passedMs).toBeGreaterThanOrEqual(LIMITS.databaseAwayMs);
    await server.run();
    expect(kinds()).toEqual(BEGUN);
    await expect(journal.flushed()).rejects.toMatchObject({ code: "journal.cannot-write" });
    store.leases.release(journal.claim, true);
    const { records } = await store.claim("run1");
    expect(records.map(({ kind }) => kind)).toEqual([...BEGUN, "run.claimed"]);
  });

  test("stays away after a commit whose answer was lost: the message says that it may be recorded, and to a person what to repeat", async () => {
    const proxy = await Proxy.open(server.port);
    const distant = JournalStore.open(through(proxy), { clock, redact: (text) => text });
    const lost = { code: "journal.cannot-write", why: expect.stringContaining("may be recorded all the same") };
    const { journal: other } = await distant.begin({ ...opened, runId: "run2" });
    meanwhile = () => proxy.refuse(true);
    await proxy.loseCommit();
    other.note(intended("mint"));
    await expect(other.flushed()).rejects.toMatchObject({ ...lost, next: expect.stringContaining("resume run2") });
    meanwhile = async () => undefined;
    await proxy.refuse(false);
    distant.leases.release(other.claim, true);

    const shell = { ...silentShell(), cwd: new TestState().folder };
    meanwhile = () => proxy.refuse(true);
    await proxy.loseCommitOf("run.claimed");
    const says = changeJournal(shell, {}, () => distant.claim("run2"));
    await expect(says).rejects.toMatchObject({ ...lost, next: expect.stringContaining("type this command again") });
    await proxy.refuse(false);
    distant.close();
    await proxy.close();
  });

  test("is waited for only a little longer once the run is stopped, as the answer to a write is", async () => {
    await server.stop("immediate");
    meanwhile = async () => {
      if (pauses === 1) stop.abort();
    };
    journal.note(intended("mint"));
    await expect(journal.flushed()).rejects.toMatchObject({ code: "journal.cannot-write" });
    expect(passedMs).toBeGreaterThanOrEqual(LIMITS.writeGraceMs);
    expect(passedMs).toBeLessThan(LIMITS.databaseAwayMs);
  });

  test.for([
    [
      "the last record",
      `DELETE FROM record WHERE kind = 'attempt.intended'; UPDATE run SET last_sequence = 1, last_hash = (SELECT hash FROM record WHERE sequence = 1)`,
      BEGUN,
    ],
    ["the last claim", "UPDATE lease SET epoch = epoch - 1", [...BEGUN, "attempt.intended"]],
    ["the run", "DELETE FROM record; DELETE FROM lease; DELETE FROM run", []],
  ] as const)("comes back without %s, as an older copy does: the run ends, and nothing follows what is there", async (lost) => {
    const [, made, left] = lost;
    journal.note(intended("mint"));
    await journal.flushed();
    await server.query(`SET search_path TO ${place.schema}; ${made}`);
    journal.note(answered("mint", "acknowledged"));
    await expect(journal.flushed()).rejects.toMatchObject({ code: "journal.lost", exit: EXIT.cannotStart });
    const records = await server.query(`SELECT kind FROM ${place.schema}.record ORDER BY sequence`);
    expect(records.map(({ kind }) => kind)).toEqual(left);
    await expect(journal.flushed()).rejects.toMatchObject({ code: "journal.lost" });
  });

  test("comes back without a run that has ended here, as an older copy does: this process begins no other run until the loss is accepted", async () => {
    await store.release(journal, "passed", 0);
    await server.query(`SET search_path TO ${place.schema}; DELETE FROM record; DELETE FROM lease; DELETE FROM run`);
    const lost = { code: "journal.lost", exit: EXIT.cannotStart, message: expect.stringContaining("of run run1") as string };
    await expect(store.begin({ ...opened, runId: "run2" })).rejects.toMatchObject(lost);
    expect(() => JournalStore.open(place, { redact: (text) => text })).toThrow("has lost records");
    expect(await server.query(`SELECT id FROM ${place.schema}.run`)).toEqual([]);
    acceptLoss(place, LOOKING, { who: "olga", because: "I looked" });
    await store.begin({ ...opened, runId: "run2" });
    expect(store.losses()).toMatchObject([{ who: "olga", what: expect.stringContaining("of run run1") }]);
  });

  test("comes back without the last record: a scheduler still takes the run of a dead firing from its holder", async () => {
    journal.note(intended("mint"));
    await journal.flushed();
    await server.query(`DELETE FROM ${place.schema}.record WHERE kind = 'attempt.intended'`);
    fenceRun(place, "run1");
    expect(store.leases.holding("run1")).toBeUndefined();
  });

  test.for([
    ["the claim", "INSERT INTO firing"],
    ["the end", "UPDATE firing SET state"],
  ] as const)("keeps %s of a firing, and does not answer: the firing is run once, and the next one too", async (kept) => {
    const proxy = await Proxy.open(server.port);
    const desk = new Desk("2026-06-01T00:00:00Z", through(proxy));
    const service = desk.serve(schedule("*/10 * * * *"));
    await desk.until("2026-06-01T00:05:00Z");
    await proxy.loseCommitOf(kept[1]);
    await desk.until("2026-06-01T00:25:00Z");
    await desk.end(service);
    expect(desk.table()).toMatch(/^.* 02:10:00 .* passed .*\n.* 02:20:00 .* passed .*$/);
    expect([desk.runs.length, desk.logged.filter((line) => line.startsWith("firing.lost"))]).toEqual([2, []]);
    await proxy.close();
  });

  test("undoes the end of a firing, which is then kept: the end is reported once", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z", place);
    const service = desk.serve(schedule("*/10 * * * *"));
    await desk.until("2026-06-01T00:05:00Z");
    await server.query(`SET search_path TO ${place.schema};
      CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE SQLSTATE ''40001''; END';
      CREATE CONSTRAINT TRIGGER undo AFTER UPDATE ON firing DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.state = 'passed') EXECUTE FUNCTION undo()`);
    await desk.until("2026-06-01T00:15:00Z");
    await server.query(`SET search_path TO ${place.schema}; DROP TRIGGER undo ON firing; DROP FUNCTION undo()`);
    await desk.until("2026-06-01T00:18:00Z");
    const ends = desk.logged.filter((line) => line.startsWith("firing.ended"));
    expect([ends.length, /_firings_total\{\S*"passed"\} (\d+)/.exec(await service.metrics())?.[1]]).toEqual([1, "1"]);
    await desk.end(service);
  });

  test("follows another server for a while: until its next firing, a scheduler is not ready then", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z", place);
    const service = desk.serve(schedule("0 12 * * *"));
    await desk.until("2026-06-01T00:10:00Z");
    expect(service.notReady()).toBeUndefined();
    await server.follow(true);
    await desk.until("2026-06-01T00:20:00Z");
    expect(service.notReady()).toBe("the database cannot be used now");
    await server.follow(false);
    await desk.until("2026-06-01T00:30:00Z");
    expect(service.notReady()).toBeUndefined();
    await desk.end(service);
  });

  test("is not taken for damaged when it goes between a lease and the question whether its holder lives", async () => {
    const proxy = await Proxy.open(server.port);
    using distant = JournalStore.open(through(proxy), { clock, redact: (text) => text });
    const holder = { pid: 1, host: "elsewhere", bootId: "another", startedAt: "0", beat: "a-beat" };
    await server.query(`UPDATE ${place.schema}.lease SET holder = '${JSON.stringify(holder)}'`);
    await proxy.refuse(true);
    await proxy.cutAfter(1);
    expect(() => distant.leases.list()).toThrow(expect.objectContaining({ code: "database.unreachable" }));
    await proxy.refuse(false);
    expect(distant.leases.list()).toMatchObject([{ kind: "run", runId: "run1", life: "silent" }]);
    await proxy.close();
  });

  test("may have committed what it did not acknowledge, which is not recorded a second time", async () => {
    const proxy = await Proxy.open(server.port);
    const distant = JournalStore.open(through(proxy), { clock, redact: (text) => text, onAway: (why) => away.push(why) });
    const { journal: other } = await distant.begin({ ...opened, runId: "run2" });
    await proxy.loseCommit();
    other.note(intended("mint"));
    await other.flushed();
    expect(away).toHaveLength(1);
    other.note(answered("mint", "acknowledged"));
    await other.flushed();
    expect(distant.read("run2").map(({ kind }) => kind)).toEqual([...BEGUN, "attempt.intended", "attempt.answered"]);
    distant.close();
    await proxy.close();
  });

  test("may still be committing when the commit is repeated, which waits for the end of the first one", async () => {
    const proxy = await Proxy.open(server.port);
    const distant = JournalStore.open(through(proxy), { clock, redact: (text) => text, onAway: (why) => away.push(why) });
    const { journal: other } = await distant.begin({ ...opened, runId: "run2" });
    await server.waitForNobody();
    const ender = new Client({ connectionString: server.address(), pipeline: true });
    await ender.connect();
    let end: Promise<unknown> | undefined;
    meanwhile = async () => {
      end ??= Promise.all(
        [END_WHEN_SOMEBODY_WAITS, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"].map((sql) =>
          ender.query(sql),
        ),
      );
    };
    await proxy.abandon();
    other.note(intended("mint"));
    await other.flushed();
    expect(away).toHaveLength(1);
    expect(distant.read("run2").map(({ kind }) => kind)).toEqual([...BEGUN, "attempt.intended"]);
    await end;
    await ender.end();
    distant.close();
    await proxy.close();
  });

  test.each(["pg_cancel_backend", "pg_terminate_backend"])(
    "may have no standby: what %s leaves on it alone is durable only once the standby has it",
    async (ends) => {
      await server.waitForNobody();
      const ender = new Client({ connectionString: server.address(), pipeline: true });
      await ender.connect();
      const reset = ["ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"];
      const steps = [endOfWait(ends), endOfWait("pg_cancel_backend"), ...reset].map((sql) => ender.query(sql));
      const ended = Promise.allSettled(steps);
      journal.note(intended("mint"));
      await journal.flushed();
      expect(await server.query("SHOW synchronous_standby_names")).toEqual([{ synchronous_standby_names: "" }]);
      expect(away).toEqual([expect.stringContaining("has no synchronous standby")]);
      expect(kinds()).toEqual([...BEGUN, "attempt.intended"]);
      await ended;
      await ender.end();
    },
  );
});
