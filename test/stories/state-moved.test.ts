import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Proxy as DatabaseWay } from "../postgres/proxy.ts";
import { BINARIES, PostgresServer, stateText } from "../postgres/server.ts";
import { approvalPlaybook } from "../playbooks.ts";
import { systemClock } from "../../src/base/ports.ts";
import { moved as moveState, openMoving } from "../../src/cli/runs/move.ts";
import { JOURNAL } from "../../src/journal/format.ts";
import type { NamedPlace } from "../../src/journal/moving.ts";
import { JournalStore } from "../../src/journal/store.ts";
import { ScheduleStore } from "../../src/schedule/store.ts";
import type { ServerPlace } from "../../src/sql/place.ts";
import { Database as SqliteDatabase } from "../../src/sqlite/database.ts";
import { insertRow, replaceTables } from "../../src/state/copy.ts";
import {
  approveAsBob,
  environmentAt,
  type Ended,
  KEYS,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  servedSandbox,
  type Service,
} from "./world.ts";

test("a state with many records is copied in small pieces, because a server ends a transaction that it hears nothing of for seconds", () => {
  using from = SqliteDatabase.open(":memory:", JOURNAL);
  using to = SqliteDatabase.open(":memory:", JOURNAL);
  for (const each of [from, to]) JOURNAL.bringUp(each);
  for (let at = 0; at < 1_000; at++) {
    const [id, opened_at] = [`run${at}`, at];
    insertRow(from, "run", { id, playbook: "a.yaml", environment: "here", opened_at });
    insertRow(from, "record", {
      run_id: "run0",
      sequence: at,
      epoch: 1,
      at,
      kind: "step.stopped",
      body: "{}",
      previous: "",
      hash: `${at}`,
    });
  }
  let [waiting, most] = [0, 0];
  const watched = new Proxy(to, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (...args: unknown[]): unknown => {
        waiting = name === "run" ? waiting + 1 : 0;
        most = Math.max(most, waiting);
        return Reflect.apply(own, target, args);
      };
    },
  });
  replaceTables(from, watched, JOURNAL);
  expect(to.get("SELECT COUNT(*) AS records FROM record")).toEqual({ records: 1_000 });
  expect(most).toBeLessThan(200);
});

describe.skipIf(BINARIES === undefined)("the state is moved", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  interface Place {
    readonly service: Service;
    readonly project: Project;
    /** Runs a command with the state in the folder, whatever tokenbook.yaml names. */
    readonly inFolder: (...args: string[]) => Promise<Ended>;
    /** Both places, in the form in which `state move` prints them. */
    readonly folder: NamedPlace;
    readonly database: NamedPlace;
  }

  async function place(): Promise<Place> {
    const service = await servedSandbox();
    const here: ServerPlace = server.place();
    const { schema, url } = here;
    const project = newProject({ ...KEYS, TOKENBOOK_DATABASE: url.reveal() });
    project.write("tokenbook.yaml", environmentAt(service.url) + stateText(schema));
    project.write("approval.yaml", approvalPlaybook("    timeout: 300ms\n    on_timeout: pending"));
    project.write("mint.yaml", MINT_ONCE);
    const folder = join(project.folder, ".tokenbook");
    return {
      service,
      project,
      inFolder: (...args) => project.run(...args, "--state", ".tokenbook"),
      folder: { place: folder, name: folder },
      database: { place: here, name: "database" },
    };
  }

  const move = (from: NamedPlace, to: NamedPlace) => moveState({ from, to, assertNoJobs: () => Promise.resolve() });

  async function refused(ended: Promise<Ended>, code: string): Promise<void> {
    const { code: exit, stderr, transcript } = await ended;
    expect([exit, stderr], transcript).toEqual([2, expect.stringContaining(code)]);
  }

  /** A move that is killed right after some of its steps. */
  function killedAfter(steps: 1 | 2 | 3 | 4, from: NamedPlace, to: NamedPlace): void {
    const [source, copy] = [openMoving(from), openMoving(to)];
    source.beginSource("m1", to.name);
    if (steps > 1) copy.beginTarget("m1", from.name);
    if (steps > 2) copy.copyFrom(source, "m1");
    if (steps > 3) source.finishSource("m1");
    copy.close();
    source.close();
  }

  const BEGINNING = [
    "run mint.yaml --key M1",
    "schedule --once mint.yaml",
    "submit mint.yaml --key M1",
    "worker",
    "doctor",
  ] as const;
  const COMMANDS = ["runs", "run mint.yaml --key M1", "schedule list", "drift list"] as const;

  const SHOWN = ["runs", "drift list", "schedule list", "schedule history", "runs verify"] as const;

  async function all(run: (...args: string[]) => Promise<Ended>): Promise<readonly string[]> {
    const shown: string[] = [];
    for (const each of SHOWN) shown.push((await run(...each.split(" "), "--json")).stdout);
    return shown;
  }

  test("no run begins in the database that tokenbook.yaml names while the runs of the folder are not moved", async () => {
    const { service, project, inFolder } = await place();
    expect((await inFolder("run", "mint.yaml", "--key", "M1")).code).toBe(0);
    for (const command of BEGINNING) {
      const { code, transcript } = await project.run(...command.split(" "));
      expect(code, transcript).not.toBe(0);
      expect(transcript).toContain("and the database that tokenbook.yaml names does not know them");
      expect(transcript).toContain("tokenbook state move .tokenbook database");
    }
    expect((await project.run("state", "move", ".tokenbook", "database")).code).toBe(0);
    const again = await project.run("run", "mint.yaml", "--key", "M1");
    expect(again.code, again.transcript).toBe(0);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(1);
  });

  test("a database that remembers no run is reported before the first write, and not again", async () => {
    const { project } = await place();
    const noted = "of the database has no runs; if you made runs with another state";
    const [first, second] = [await project.run("run", "mint.yaml"), await project.run("run", "mint.yaml")];
    expect([first.code, second.code], first.transcript).toEqual([0, 0]);
    expect(first.stderr).toContain(noted);
    expect(first.stderr).toContain("tokenbook state move FOLDER database");
    expect(second.stderr).not.toContain(noted);
  });

  test("state move takes runs from a folder into a database, where a waiting run continues, and back", async () => {
    const { service, project, inFolder } = await place();
    await inFolder("run", "mint.yaml", "--key", "M1");
    await inFolder("schedule", "--once", "mint.yaml");
    const parked = await inFolder("run", "approval.yaml");
    expect(parked.code, parked.transcript).toBe(4);
    const before = await all(inFolder);

    const there = await project.run("state", "move", ".tokenbook", "database");
    expect(there.code, there.transcript).toBe(0);
    expect(there.stdout).toMatch(
      /^moved 3 runs with \d+ records to database; every record is verified there\n\.tokenbook keeps its copy, which commands refuse from now on\n$/,
    );
    for (const command of COMMANDS) await refused(inFolder(...command.split(" ")), "state.moved-away");
    expect(await all(project.run)).toEqual(before);

    await approveAsBob(service);
    const resumed = await project.run("resume", "latest");
    expect(resumed.code, resumed.transcript).toBe(0);
    const again = await project.run("run", "mint.yaml", "--key", "M1");
    expect(again.code, again.transcript).toBe(0);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(2);

    const now = await all(project.run);
    const back = await project.run("state", "move", "database", ".tokenbook");
    expect(back.code, back.transcript).toBe(0);
    expect(await all(inFolder)).toEqual(now);
    expect(back.stdout, back.transcript).toContain('next: remove "state:" from tokenbook.yaml\n');
    // A process that still uses the database, on this machine or another one, would begin without any records.
    for (const command of ["runs", "run mint.yaml --key M1", "schedule list", "drift list", "submit mint.yaml"]) {
      const answer = await project.run(...command.split(" "));
      expect([answer.code, answer.stderr], answer.transcript).toEqual([2, expect.stringContaining("state.moved-away")]);
    }
    project.write("tokenbook.yaml", environmentAt(service.url));
    expect((await project.run("run", "mint.yaml", "--key", "M1")).code).toBe(0);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(2);
    const kept = await inFolder("runs", "verify");
    expect(kept.code, kept.transcript).toBe(0);
  });

  test("state move works repeatedly between the same two places, and twice in one direction", async () => {
    const { service, project, inFolder, folder, database } = await place();
    await inFolder("run", "mint.yaml", "--key", "M1");
    await inFolder("schedule", "--once", "mint.yaml");
    expect(await move(folder, database)).toMatchObject({ runs: 2 });
    expect((await project.run("run", "mint.yaml", "--key", "M1")).code).toBe(0);
    expect((await project.run("run", "mint.yaml", "--key", "M2")).code).toBe(0);
    // A repetition of the same command only verifies both places.
    expect(await move(folder, database)).toMatchObject({ runs: 2 });
    expect(await project.run("run", "mint.yaml", "--key", "M2")).toMatchObject({ code: 0 });

    expect(await move(database, folder)).toMatchObject({ runs: 3 });
    expect(await move(folder, database)).toMatchObject({ runs: 3 });
    expect(await move(database, folder)).toMatchObject({ runs: 3 });
    for (const command of [...COMMANDS, "submit mint.yaml"])
      await refused(project.run(...command.split(" ")), "state.moved-away");
    expect((await inFolder("run", "mint.yaml", "--key", "M2")).code).toBe(0);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(3);
  });

  test.for([1, 2, 3, 4] as const)("a move that is killed after step %i leaves no place live, and is repeated", async (steps) => {
    const { service, project, inFolder, folder, database } = await place();
    await inFolder("run", "mint.yaml", "--key", "M1");
    killedAfter(steps, folder, database);
    for (const command of COMMANDS) {
      await refused(inFolder(...command.split(" ")), steps < 4 ? "state.moving" : "state.moved-away");
      if (steps > 1) await refused(project.run(...command.split(" ")), "state.incomplete");
    }
    const ended = await project.run("state", "move", ".tokenbook", "database");
    expect([ended.code, ended.stdout], ended.transcript).toEqual([0, expect.stringContaining("moved 1 run with")]);
    expect((await project.run("run", "mint.yaml", "--key", "M1")).code).toBe(0);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(1);

    killedAfter(steps, database, folder);
    for (const command of COMMANDS)
      await refused(project.run(...command.split(" ")), steps < 4 ? "state.moving" : "state.moved-away");
    const back = await project.run("state", "move", "database", ".tokenbook");
    expect(back.code, back.transcript).toBe(0);
    expect((await inFolder("run", "mint.yaml", "--key", "M1")).code).toBe(0);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(1);
  });

  test("a move whose database goes away says to repeat it, and the repetition ends it", async () => {
    const { project, inFolder } = await place();
    const way = await DatabaseWay.open(server.port);
    onTestFinished(() => way.close());
    const url = project.variables["TOKENBOOK_DATABASE"]?.replace(String(server.port), String(way.port)) ?? "";
    const away = project.as({ ...project.variables, TOKENBOOK_DATABASE: url });
    await project.run("run", "mint.yaml", "--key", "M1");
    await way.loseCommitOf("INSERT INTO move");
    const lost = await away.run("state", "move", "database", ".tokenbook");
    expect([lost.code, lost.stderr], lost.transcript).toEqual([2, expect.stringContaining("then repeat the move:")]);
    const command = /tokenbook (state move database \S+)$/m.exec(lost.stderr)?.[1] ?? "";
    await refused(project.run("run", "mint.yaml", "--key", "M1"), "state.moving");
    const again = await project.run(...command.split(" "));
    expect([again.code, again.stdout], again.transcript).toEqual([0, expect.stringContaining("moved 1 run with")]);
    expect((await inFolder("runs", "verify")).code).toBe(0);
  });

  test("a process that has the state open during a move begins nothing more in it", async () => {
    const { inFolder, project, folder, database } = await place();
    await inFolder("run", "mint.yaml");
    for (const [from, to, why] of [
      [folder, database, "was moved to the database"],
      [database, folder, "or was moved to another place"],
    ] as const) {
      const open = JournalStore.open(from.place, { clock: systemClock, redact: (text) => text });
      const schedules = ScheduleStore.open(from.place, { redact: (text) => text });
      await move(from, to);
      expect(() => open.take(open.runs.latest(1)[0]?.id ?? "")).toThrow(why);
      expect(() => schedules.transaction(() => undefined)).toThrow(why);
      open.close();
      schedules.close();
    }
    expect((await inFolder("runs", "verify")).code).toBe(0);
    await refused(project.run("runs"), "state.moved-away");
  });

  test("state move refuses to move while a submitted run waits", async () => {
    const { project } = await place();
    const submitted = await project.run("submit", "mint.yaml", "--key", "J1");
    expect(submitted.code, submitted.transcript).toBe(0);
    const answer = await project.run("state", "move", "database", ".tokenbook");
    expect([answer.code, answer.stderr], answer.transcript).toEqual([2, expect.stringContaining("state.jobs-left")]);
    expect(answer.stderr).toContain("1 submitted run has not ended");
    expect(existsSync(join(project.folder, ".tokenbook", "journal.db"))).toBe(false);
  });

  test("a run that is submitted while the state moves away is not left in a queue that no worker asks", async () => {
    const { service, project, folder, database } = await place();
    const { schema } = database.place as ServerPlace;
    await project.run("run", "mint.yaml", "--key", "M1");
    await project.run("submit", "mint.yaml", "--key", "J1");
    await project.run("runs", "withdraw", "J1");
    const lock = new Client({ connectionString: server.address() });
    await lock.connect();
    await lock.query(`BEGIN; LOCK TABLE ${schema}_queue.job IN EXCLUSIVE MODE`); // the submission waits after its look at the state
    const submitting = project.start("submit", "mint.yaml", "--key", "J2");
    await expect.poll(() => server.query("SELECT 1 FROM pg_locks WHERE NOT granted")).toHaveLength(1);
    await move(database, folder);
    await lock.query("COMMIT");
    await lock.end();
    await refused(submitting.ended, "state.moved-away");
    expect(await server.query(`SELECT 1 FROM ${schema}_queue.job`)).toEqual([]);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(1);
  });

  test("state move refuses a target that holds runs, a target equal to the source, and a missing source", async () => {
    const { project, inFolder } = await place();
    await project.run("run", "mint.yaml");
    await inFolder("run", "mint.yaml");
    const tries = [
      [["database", ".tokenbook"], "state.not-empty"],
      [[".tokenbook", "database"], "state.not-empty"],
      [["database", "database"], "state.places"],
      [[".tokenbook", "databse"], "did you mean database?"],
      [[".tokenbook", "other"], "state.places"],
      [["elsewhere", "database"], "state.not-found"],
    ] as const;
    for (const [places, code] of tries) {
      const ended = await project.run("state", "move", ...places);
      expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining(code)]);
    }
    expect(existsSync(join(project.folder, ".tokenbook"))).toBe(true);
  });
});
