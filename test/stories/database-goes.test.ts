// The database of runs and workers becomes unreachable at any moment, and comes back. Each command that asked it either ends and says what to do, or
// continues. No process stays, and no run is submitted twice.
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Dice } from "../../src/base/numbers/dice.ts";
import { isoDay } from "../../src/base/time/date.ts";
import { ORDER } from "../playbooks.ts";
import { Proxy as DatabaseWay } from "../postgres/proxy.ts";
import { BINARIES, PostgresServer, stateText } from "../postgres/server.ts";
import { isNightly } from "../sizes.ts";
import { gate, holdNext, proxyTo, type Proxy } from "./proxy.ts";
import { logged } from "./schedule.ts";
import {
  environmentAt,
  KEYS,
  lineOf,
  newProject,
  operationsOf,
  type Project,
  reached,
  type Running,
  servedSandbox,
  type Service,
} from "./world.ts";

/** More answers than a worker receives before it works, and more than `submit` receives before it ends. */
const ANSWERS_AT_START = 80;
const ANSWERS_OF_SUBMIT = 36;
/** The additional answers if the run is already in the queue. */
const MORE_WITH_A_KEY = 14;
const SEED = Number(process.env["SEED"] ?? randomInt(1_000_000));

const DAY_MS = 86_400_000;
const DIFFERING = `playbook: 1
mode: read-only
inputs:
  ones: { type: list, default: [{ id: a, v: 1 }] }
  others: { type: list, default: [{ id: a, v: 2 }] }
reconcile:
  - id: rows
    left: { name: one, rows: inputs.ones, key: { id: row.id }, value: row.v }
    right: { name: other, rows: inputs.others, key: { id: row.id }, value: row.v }
`;

/** Returns after which answers the connections are cut: after a few random ones, or after each of them in the nightly tests. */
function cuts(answers: number, few: number): readonly number[] {
  if (isNightly) return Array.from({ length: answers }, (_, at) => at);
  const dice = new Dice(SEED);
  return Array.from({ length: few }, () => dice.below(answers));
}

describe.skipIf(BINARIES === undefined)("the database is away", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  interface Desk {
    readonly service: Service;
    readonly proxy: Proxy;
    readonly way: DatabaseWay;
    /** The project reaches the database through `way`; `direct` reaches it without. */
    readonly project: Project;
    readonly direct: Project;
    /** The schema of its state. */
    readonly schema: string;
  }

  async function desk(): Promise<Desk> {
    const service = await servedSandbox();
    const proxy = await proxyTo(service.url);
    const way = await DatabaseWay.open(server.port);
    onTestFinished(() => way.close());
    const { schema, url } = server.place();
    const at = (port: number): Project => {
      const project = newProject({ ...KEYS, TOKENBOOK_DATABASE: url.reveal().replace(String(server.port), String(port)) });
      project.write("tokenbook.yaml", environmentAt(proxy.url) + stateText(schema));
      project.write("order.yaml", ORDER);
      return project;
    };
    return { service, proxy, way, project: at(way.port), direct: at(server.port), schema };
  }

  /** Runs a comparison whose sides differ, and returns the id of its drift. */
  async function foundDrift(project: Project): Promise<string> {
    project.write("compare.yaml", DIFFERING);
    await project.run("run", "compare.yaml");
    const { stdout } = await project.run("drift", "list", "--json");
    return (JSON.parse(stdout) as { drifts: { id: string }[] }).drifts[0]?.id ?? "";
  }

  /** Stops the database while a request is held, and restarts it once the run waits for it. The run passes and has minted once. */
  async function mintedOnce(service: Service, run: Running, release: () => void): Promise<string> {
    await server.stop("immediate");
    release();
    await run.printed("waiting for it"); // or the run has ended
    await server.run();
    const { code, stdout, transcript } = await run.ended;
    expect(code, transcript).toBe(0);
    expect(operationsOf(await service.commits()), transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
    return stdout;
  }

  test("a run whose write is under way waits for the database, and records the answer", async () => {
    const { service, proxy, direct } = await desk();
    const { arrived, release } = holdNext(proxy, "POST /token/mint");
    const run = direct.start("run", "order.yaml", "--input", "order=1");
    await reached(run, arrived);
    expect(await mintedOnce(service, run, release)).toMatch(lineOf("✓ changed", "mint", "tx [0-9a-f]+"));
  });

  test("a run that looks for the effect of a lost answer waits for the database, and looks again", async () => {
    const { service, proxy, direct } = await desk();
    const { passed, open } = gate();
    let release = open;
    void proxy.next("POST /token/mint", async (passing) => {
      await passing.forward();
      const held = holdNext(proxy, "GET /token");
      ({ release } = held);
      void held.arrived.then(open);
      passing.cut();
    });
    const run = direct.start("run", "order.yaml", "--input", "order=1");
    await reached(run, passed);
    expect(await mintedOnce(service, run, release)).toMatch(/attempt 1: applied, as read back/);
  });

  test("a run that found a drift waits for the database at its end, and ends with the drift", async () => {
    const { way, project } = await desk();
    project.write("compare.yaml", DIFFERING);
    await way.loseCommitOf("FROM comparison WHERE environment = $1 AND playbook = $2\0");
    const { code, stdout, transcript } = await project.run("run", "compare.yaml");
    expect([code, stdout], transcript).toEqual([3, expect.stringContaining("1 drift")]);
  });

  test("a command whose record may be lost says that it may be recorded, and repeating it does no harm", async () => {
    const { way, project } = await desk();
    const id = await foundDrift(project);
    await project.run("plan", "order.yaml", "--input", "order=1", "--out", "order.plan.json");
    const day = isoDay(Date.now() + DAY_MS);
    const words = [
      ["INSERT INTO acknowledgement", ["drift", "ack", id, "--until", day], 0],
      ["INSERT INTO acknowledgement", ["drift", "close", id], 2],
      ["INSERT INTO approval", ["approve", "order.plan.json"], 0],
    ] as const;
    for (const [kept, args, again] of words) {
      await way.loseCommitOf(kept);
      const command = [...args, "--because", "it is known"];
      const lost = await project.run(...command);
      expect([lost.code, lost.stderr], lost.transcript).toEqual([2, expect.stringMatching(/may be recorded all the same/)]);
      const repeated = await project.run(...command);
      expect(repeated.code, repeated.transcript).toBe(again);
      if (again === 2) expect(repeated.stderr).toContain("drift.cleared");
    }
  });

  test("right after a person's word is kept: the command says that it is", async () => {
    const { way, project } = await desk();
    const id = await foundDrift(project);
    await project.run("submit", "order.yaml", "--input", "order=1", "--key", "O1");
    const because = ["--because", "it is known"];
    const words = [
      ["INSERT INTO acknowledgement", ["drift", "ack", id, "--until", isoDay(Date.now() + DAY_MS), ...because]],
      ["INSERT INTO acknowledgement", ["drift", "close", id, ...because]],
      ["DELETE FROM", ["runs", "withdraw", "O1"]],
    ] as const;
    for (const [kept, args] of words) {
      await way.goneAfter(kept);
      const { code, transcript } = await project.run(...args);
      expect(code, transcript).toBe(0);
      await way.refuse(false);
    }
  });

  test("a run of an approved plan that cannot begin leaves the approval, and its reports say why", async () => {
    const { service, way, project } = await desk();
    const text = project.read("tokenbook.yaml");
    project.write("tokenbook.yaml", text.replace(/^( +)exclusive:.*$/m, "$&\n$1protected: true"));
    const order = ["order.yaml", "--input", "order=1"];
    await project.run("plan", ...order, "--out", "order.plan");
    const pavel = project.as({ ...project.variables, USER: "pavel" });
    expect((await pavel.run("approve", "order.plan", "--because", "reviewed")).code).toBe(0);
    const run = ["run", ...order, "--plan", "order.plan"];
    project.write("report.json", "of yesterday");
    await way.goneAfter("SELECT * FROM approval");
    const away = await project.run(...run, "--report", "json=report.json");
    expect([away.code, away.stderr], away.transcript).toEqual([2, expect.stringContaining("database.unreachable")]);
    expect(JSON.parse(project.read("report.json"))).toMatchObject({ notBegun: [{ problem: { code: "database.unreachable" } }] });
    await way.refuse(false);
    const passed = await project.run(...run);
    expect(passed.code, passed.transcript).toBe(0);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("a worker that cannot serve its page ends, and does not count as alive", async () => {
    const { service, direct } = await desk();
    const { port: taken } = new URL(service.url);
    const { code, stderr, transcript } = await direct.start("worker", "--listen", taken).ended;
    expect([code, stderr], transcript).toEqual([2, expect.stringContaining("--listen another HOST:PORT")]);
    const worker = direct.start("worker", "--listen", "0");
    const [{ url = "" } = {}] = await logged(worker, "worker.listening");
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^tokenbook_workers 1$/m);
  });

  test(`a worker that is starting ends with what to do, or takes work (SEED=${SEED})`, async () => {
    const { way, project } = await desk();
    for (const answers of cuts(ANSWERS_AT_START, 5)) {
      await way.cutAfter(answers);
      const worker = project.start("worker");
      await worker.printed('"worker.started"'); // or the run has ended
      await worker.signal("SIGTERM");
      const { code, stdout, stderr, transcript } = await worker.ended;
      const what = `cut after ${answers} answers\n${transcript}`;
      if (stdout.includes('"worker.started"')) expect(code, what).toBe(0);
      else expect([code, stderr], what).toEqual([2, expect.stringMatching(/^error (database|queue)\.\w+[^]*next: make sure/)]);
    }
  });

  test(`the command that a failed submit prints puts the run into the queue exactly once (SEED=${SEED})`, async () => {
    const { way, project, direct, schema } = await desk();
    const at = cuts(ANSWERS_OF_SUBMIT, 10);
    let lost = 0;
    for (const [order, answers] of at.entries()) {
      await way.cutAfter(answers);
      const args = ["submit", "order.yaml", "--input", `order=${order}`];
      const { code, stdout, stderr, transcript } = await project.run(...args);
      const what = `cut after ${answers} answers\n${transcript}`;
      await way.cutAfter(Infinity);
      if (code === 0) continue;
      expect([code, stdout], what).toEqual([2, ""]);
      const key = /next: submit order\.yaml with the same options and --key (\S+)/.exec(stderr)?.[1];
      if (key === undefined) expect(stderr, what).toMatch(/^error (database|queue)\.\w+[^]*next: make sure/m);
      else lost++;
      const again = await direct.run(...args, ...(key === undefined ? [] : ["--key", key]));
      expect(again.code, `${what}\n${again.transcript}`).toBe(0);
    }
    const jobs = await server.query(`SELECT data->'inputs' AS inputs FROM ${schema}_queue.job`);
    const inputs = jobs.map((job) => String(job["inputs"]));
    expect(new Set(inputs).size, `${lost} answers were lost`).toBe(inputs.length);
    expect(inputs).toHaveLength(at.length);
    if (isNightly) expect(lost).toBeGreaterThan(0);
  });

  test("a worker is not ready while connections are refused, and takes work again after one that hung", async () => {
    const { service, way, project, direct } = await desk();
    const worker = project.start("worker", "--listen", "0");
    const [{ url = "" } = {}] = await logged(worker, "worker.listening");
    await logged(worker, "worker.started");
    const ready = async (): Promise<number> => (await fetch(`${url}/readyz`)).status;
    await way.refuse(true);
    await way.cutAfter(0);
    await expect.poll(ready).toBe(503);
    await way.refuse(false);
    await expect.poll(ready).toBe(200);
    await way.hang();
    const { code, transcript } = await direct.start("submit", "order.yaml", "--input", "order=1", "--wait").ended;
    expect(code, transcript).toBe(0);
    expect(operationsOf(await service.commits()), transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
    if (isNightly) await way.hang(); // then it takes a minute to end
    await worker.signal("SIGTERM");
    const ended = await worker.ended;
    expect(ended.code, ended.transcript).toBe(0);
  });

  test("a worker is not ready while its address leads to a standby, or while its state is gone", async () => {
    const { direct, schema } = await desk();
    const worker = direct.start("worker", "--listen", "0");
    const [{ url = "" } = {}] = await logged(worker, "worker.listening");
    await logged(worker, "worker.started");
    const ready = async (): Promise<number> => (await fetch(`${url}/readyz`)).status;
    await expect.poll(ready).toBe(200);
    await server.follow(true);
    await expect.poll(ready).toBe(503);
    await server.follow(false);
    await expect.poll(ready).toBe(200);
    await server.query(`ALTER SCHEMA ${schema} RENAME TO ${schema}_elsewhere`);
    await expect.poll(ready).toBe(503);
    await server.query(`ALTER SCHEMA ${schema}_elsewhere RENAME TO ${schema}`);
    await expect.poll(ready).toBe(200);
  });

  test("a worker whose database has lost a run that it had made, as an older copy has, does not make it again", async () => {
    const { service, direct, schema } = await desk();
    await direct.run("submit", "order.yaml", "--input", "order=1", "--key", "O1");
    const worker = direct.start("worker", "--listen", "0");
    const [{ url = "" } = {}] = await logged(worker, "worker.listening");
    await logged(worker, "run.ended");
    const job = `${schema}_queue.job`;
    await expect.poll(() => server.query(`SELECT 1 FROM ${job} WHERE state = 'completed'`)).toHaveLength(1);
    await server.query(`SET search_path TO ${schema}; DELETE FROM proof; DELETE FROM record; DELETE FROM lease; DELETE FROM run;
      UPDATE ${job} SET state = 'created', output = NULL, started_on = NULL, completed_on = NULL`);
    const [, again] = await logged(worker, "run.ended", 2);
    expect(again?.problem).toMatchObject({
      code: "journal.lost",
      message: expect.stringContaining("has lost records") as string,
    });
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
    await worker.signal("SIGTERM");
    const { transcript } = await worker.ended;
    expect(operationsOf(await service.commits()), transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("submit --wait continues when the database is back; interrupted, it prints how to wait again", async () => {
    const { service, proxy, way, project, direct } = await desk();
    const worker = direct.start("worker");
    await logged(worker, "worker.started");
    const { arrived, release } = holdNext(proxy, "POST /token/mint");
    const interrupted = project.start("submit", "order.yaml", "--input", "order=1", "--wait");
    await reached(interrupted, arrived);
    await interrupted.signal("SIGINT");
    const { code, stderr, transcript } = await interrupted.ended;
    expect(code, transcript).toBe(130);
    const key = /^ {2}to wait for order\.yaml: submit it with the same options and --key (\S+)$/m.exec(stderr)?.[1] ?? "";
    await way.cutAfter(ANSWERS_OF_SUBMIT + MORE_WITH_A_KEY);
    const waiting = project.start("submit", "order.yaml", "--input", "order=1", "--key", key, "--wait");
    await waiting.printed("Connection terminated");
    const noticed = waiting.printed("waits until the database answers").then(() => true);
    const cutNext = (): Promise<boolean> => way.cutAfter(0).then(() => false);
    while (!(await Promise.race([noticed, cutNext()]))) {
      // an answer to another question was cut
    }
    await way.cutAfter(Infinity);
    release();
    const ended = await waiting.ended;
    expect([ended.code, ended.stderr], ended.transcript).toEqual([0, expect.stringContaining("the runs stay in the queue")]);
    expect(operationsOf(await service.commits()), ended.transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });
});
