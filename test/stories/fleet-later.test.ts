// Work that a worker cannot do now is done later by any worker. No run is given up silently.
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { approvalPlaybook, ORDER } from "../playbooks.ts";
import { Proxy as DatabaseWay } from "../postgres/proxy.ts";
import { BINARIES, PostgresServer, stateText } from "../postgres/server.ts";
import { holdNext, proxyTo, type Proxy } from "./proxy.ts";
import { connectionsTo, isStopped } from "./proc.ts";
import { hook, logged, loggedLines, parsedMetrics, recordProperty, waiting } from "./schedule.ts";
import {
  environmentAt,
  KEYS,
  newProject,
  operationsOf,
  type Project,
  reached,
  runIn,
  type Running,
  servedSandbox,
  type Service,
} from "./world.ts";

const OF_BOB = `playbook: 1
inputs: { who: { type: entity } }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: "House\${{ run.key }}" } } }
  - { id: look, uses: ledger.asset.list, pages: first, expect: ["inputs.who.userId == 'bob'"] }
`;

/** Creates an asset for each row of its data file. */
const MANY = `playbook: 1
inputs: { flats: { type: file, default: flats.csv, format: csv } }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: assets
    foreach: { flat: "\${{ inputs.flats }}", key: flat.id }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ flat.id }}" } }
`;

interface Fleet {
  readonly service: Service;
  readonly proxy: Proxy;
  readonly schema: string;
  readonly machine: () => Project;
  /** The messages that the channel has received. */
  readonly said: () => readonly string[];
}

describe.skipIf(BINARIES === undefined)("a worker that cannot finish a run now", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  async function fleet(environment = (url: string) => environmentAt(url)): Promise<Fleet> {
    const service = await servedSandbox();
    const proxy = await proxyTo(service.url);
    const { url: desk, posted } = await hook(200);
    const { schema, url } = server.place();
    const machine = (): Project => {
      const project = newProject({ ...KEYS, TOKENBOOK_DATABASE: url.reveal(), DESK_URL: desk });
      const channels = "notifications:\n  desk: { url: env:DESK_URL }\n";
      project.write("tokenbook.yaml", environment(proxy.url) + stateText(schema) + channels);
      project.write("order.yaml", ORDER);
      project.write("approval.yaml", approvalPlaybook("    timeout: 300ms\n    on_timeout: pending"));
      project.write("waits.yaml", waiting().replace("schedule: { cron: '* * * * * *' }\n", ""));
      return project;
    };
    return { service, proxy, schema, machine, said: () => posted.map(({ notification }) => notification.summary) };
  }

  const started = async (project: Project, ...args: string[]): Promise<Running> => {
    const running = project.start("worker", ...args);
    await logged(running, "worker.started");
    return running;
  };

  const submit = async (project: Project, order: string, ...more: string[]): Promise<void> => {
    const ended = await project.run("submit", "order.yaml", "--input", `order=${order}`, "--key", order, ...more);
    expect(ended.code, ended.transcript).toBe(0);
  };

  const jobs = (schema: string) =>
    server.query(`SELECT state::text, retry_count, retry_limit, output FROM ${schema}_queue.job ORDER BY created_on`);

  const until = async (schema: string, state: string): Promise<void> => {
    await expect.poll(() => jobs(schema), { interval: 200 }).toMatchObject([{ state }]);
  };

  const metrics = async (worker: Running): Promise<ReadonlyMap<string, number>> => {
    const [{ url = "" } = {}] = await logged(worker, "worker.listening");
    return parsedMetrics(await (await fetch(`${url}/metrics`)).text());
  };

  test("a run that must wait for another one goes back to the queue, and is not given up", async () => {
    const { proxy, schema, machine, said } = await fleet();
    void proxy.next("POST /token/mint", (passing) => passing.cut());
    const first = await machine().run("run", "order.yaml", "--input", "order=O1");
    expect(first.code, first.transcript).toBe(5);
    await submit(machine(), "O2");
    await server.query(`UPDATE ${schema}_queue.job SET retry_count = retry_limit - 1, state = 'retry', started_on = now()`);
    const worker = await started(machine());
    await logged(worker, "run.returned");
    await until(schema, "retry");
    expect(said()).toEqual([]);
  });

  test("a run that too many workers died with is given up, and raises one alarm", async () => {
    const { proxy, schema, machine, said } = await fleet();
    const { arrived } = holdNext(proxy, "POST /token/mint");
    await submit(machine(), "O1");
    await server.query(`UPDATE ${schema}_queue.job SET retry_count = retry_limit - 1, state = 'retry', started_on = now()`);
    const dying = await started(machine());
    await reached(dying, arrived);
    await dying.signal("SIGKILL");
    const worker = await started(machine(), "--listen", "0");
    await logged(worker, "run.given-up");
    await expect.poll(said).toEqual([expect.stringContaining("order.yaml was given up after")]);
    expect((await metrics(worker)).get('tokenbook_queue_given_up{label="default"}')).toBe(1);
    expect((await metrics(worker)).get("tokenbook_oldest_unknown_seconds")).toBeGreaterThan(0);
  });

  test("a command that a worker starts gets no secret of a playbook, whichever playbook the worker has run", async () => {
    const { proxy, schema } = await fleet();
    const canaries = { CANARY_PIN: "c4nary-of-the-run", CANARY_BESIDE: "c4nary-of-another" };
    const project = newProject({ ...KEYS, ...canaries, TOKENBOOK_DATABASE: server.place().url.reveal(), GREETING: "hello" });
    const channels = "notifications:\n  desk: { command: [sh, -c, env > notified.txt] }\n";
    project.write("tokenbook.yaml", environmentAt(proxy.url) + stateText(schema) + channels);
    const asking = (variable: string): string =>
      `playbook: 1\nsecrets: { PIN: env:${variable} }\nsteps: [{ uses: ledger.asset.get, as: { ledger: "userId:alice" }, with: { assetType: A, id: "\${{ secrets.PIN }}" } }]\n`;
    project.write("asks.yaml", asking("CANARY_PIN"));
    project.write("parts/beside.yaml", asking("CANARY_BESIDE"));
    const worker = await started(project);
    expect((await project.run("submit", "asks.yaml", "--wait")).code).toBe(1);
    await logged(worker, "notification.delivered");
    await worker.signal("SIGTERM");
    await worker.ended;
    const notified = project.read("notified.txt");
    expect(notified).toContain("GREETING=hello\n");
    for (const value of [...Object.values(canaries), ...Object.values(KEYS)]) expect(notified).not.toContain(value);
  });

  test("a worker that dies before it completes its job sends no second notification; a second submit sends one", async () => {
    const { schema, machine, said } = await fleet();
    const submitted = (): Promise<{ readonly code: number | null }> => machine().run("submit", "approval.yaml", "--key", "P1");
    const ended = async (): Promise<void> => {
      const worker = await started(machine());
      await until(schema, "completed");
      await worker.signal("SIGTERM");
      await worker.ended; // the worker delivers its waiting notifications before it stops
    };
    expect((await submitted()).code).toBe(0);
    await ended();
    // The state of the server after the heartbeats of the dead worker have lapsed.
    await server.query(`UPDATE ${schema}_queue.job SET state = 'retry', completed_on = NULL, output = NULL, start_after = now()`);
    await ended();
    const summary = expect.stringMatching(/^approval\.yaml \(here\): pending: /) as unknown;
    expect(said()).toEqual([summary]);
    expect((await submitted()).code).toBe(0);
    await ended();
    expect(said()).toEqual([summary, summary]);
  });

  test("a run that no worker takes for weeks stays in the queue, also in a queue of an earlier version", async () => {
    const { schema, machine } = await fleet();
    await submit(machine(), "O1", "--label", "reports");
    const table = `${schema}_queue`;
    await server.query(
      `UPDATE ${table}.queue SET retention_seconds = 1209600; UPDATE ${table}.job SET keep_until = created_on + interval '14 days'`,
    );
    const worker = await started(machine(), "--listen", "0");
    const ago = "interval '30 days'";
    await server.query(
      `UPDATE ${table}.job SET created_on = created_on - ${ago}, start_after = start_after - ${ago}, keep_until = keep_until - ${ago}`,
    );
    await server.query(`UPDATE ${table}.queue SET maintain_on = NULL`);
    await expect.poll(() => server.query(`SELECT 1 FROM ${table}.queue WHERE maintain_on IS NULL`)).toEqual([]);
    expect(await jobs(schema)).toMatchObject([{ state: "created" }]);
    const waits = 'tokenbook_queue_waiting{label="reports"}';
    expect((await metrics(worker)).get(waits)).toBe(1);
    await server.query(`DELETE FROM ${table}.job`);
    expect((await metrics(worker)).get(waits)).toBeUndefined();
  });

  test("a run with a wrong label can be withdrawn, and leaves the queue", async () => {
    const { machine, service } = await fleet();
    const desk = machine();
    await submit(desk, "O7", "--label", "reprots");
    const withdrawn = await desk.run("runs", "withdraw", "O7");
    const said = expect.stringMatching(/^withdrawn: label reprots .* order\.yaml {2}key O7\n$/) as string;
    expect([withdrawn.code, withdrawn.stdout], withdrawn.transcript).toEqual([0, said]);
    const again = await desk.run("runs", "withdraw", "O7");
    expect([again.code, again.stderr], again.transcript).toEqual([2, expect.stringContaining("queue.not-waiting")]);
    const left = await desk.run("runs", "--queued");
    expect(left.stdout, left.transcript).toBe("no submitted run waits or is under way\n");
    expect(await service.commits()).toEqual([]);
  });

  // Before its first record, right after it, before it resumes a run, and as if another worker had taken another version under the same key.
  test.for([
    ["stop before:run.opened", "", ""],
    ["stop after:run.opened", "", "has begun and stays as it is"],
    ["stop after:run.opened", "removed", "has begun and stays as it is"],
    ["stop before:run.claimed", "waits", "has begun and stays as it is"],
    ["stop before:run.opened", "other", ""],
  ] as const)("a worker that was frozen (%s %s) does nothing of a withdrawn run", async ([point, how, left]) => {
    const { machine, schema, service } = await fleet();
    const desk = machine();
    if (how === "waits") await desk.run("run", "approval.yaml", "--key", "K1");
    const before = await service.commits();
    await desk.run("submit", ...(how === "waits" ? ["approval.yaml"] : ["order.yaml", "--input", "order=K1"]), "--key", "K1");
    const worker = desk.as({ ...desk.variables, TOKENBOOK_FAILPOINT: point }).start("worker");
    await expect.poll(() => isStopped(worker.pid)).toBe(true);
    await server.query(`UPDATE ${schema}_queue.job SET state = 'retry'; UPDATE ${schema}.holder SET seen_at = 'yesterday'`);
    // A withdrawal that was killed before it took the run from its worker can be repeated.
    if (how === "removed") await server.query(`DELETE FROM ${schema}_queue.job`);
    const withdrawn = await desk.run("runs", "withdraw", "K1");
    expect([withdrawn.code, withdrawn.stdout], withdrawn.transcript).toEqual([0, expect.stringContaining(left)]);
    if (how === "other") {
      await desk.run("submit", "order.yaml", "--input", "order=K2", "--key", "K1");
      await server.query(`UPDATE ${schema}_queue.job SET state = 'active'`);
    }
    await worker.signal("SIGCONT");
    const [end] = await loggedLines(worker, ({ event }) => event === "run.returned" || event === "run.ended");
    expect([end?.event, await service.commits()]).toEqual(["run.returned", before]);
  });

  test("run refuses what is already submitted, and submit notes that it is submitted twice", async () => {
    const { machine, service } = await fleet();
    const desk = machine();
    await submit(desk, "O8");
    const submitAgain = () => desk.run("submit", "order.yaml", "--input", "order=O8");
    const note = "note: this is another run of order.yaml; one with these inputs (key O8) waits for a worker. ";
    const twice = await submitAgain();
    expect(twice.stderr, twice.transcript).toContain(`${note}To remove it from the queue: tokenbook runs withdraw O8\n`);
    const [, second = ""] = /the key of order\.yaml is (\S+)/.exec(twice.stderr) ?? [];
    const run = (order: string, ...more: string[]) => desk.run("run", "order.yaml", "--input", `order=${order}`, ...more);
    const byHand = await run("O8");
    expect([byHand.code, byHand.stderr], byHand.transcript).toEqual([6, expect.stringContaining("run.submitted")]);
    expect(byHand.stderr, byHand.transcript).toContain("next: leave it to a worker, or withdraw it and run the playbook again:");
    expect(await service.commits()).toEqual([]);
    const planned = await desk.run("plan", "order.yaml", "--input", "order=O8");
    const wouldNot = expect.stringMatching(/a run would not begin \(exit 6\)\n {4}run\.submitted: [^]*runs withdraw O8\n/);
    expect([planned.code, planned.stdout], planned.transcript).toEqual([1, wouldNot]);
    const other = await run("O9");
    expect(other.code, other.transcript).toBe(0);
    for (const key of ["O8", second]) expect((await desk.run("runs", "withdraw", key)).code).toBe(0);
    const withdrawn = await run("O8");
    expect(withdrawn.code, withdrawn.transcript).toBe(0);
  });

  test("a run with a key of its own begins beside a submitted run", async () => {
    const { proxy, machine } = await fleet((url) => environmentAt(url).replace("    exclusive: true\n", ""));
    const { arrived, release } = holdNext(proxy, "POST /token/mint");
    await submit(machine(), "O8");
    const worker = await started(machine());
    await reached(worker, arrived);
    const run = (...more: string[]) => machine().run("run", "order.yaml", "--input", "order=O8", ...more);
    const beside = await run();
    expect([beside.code, beside.stderr], beside.transcript).toEqual([6, expect.stringContaining("a worker has it under way")]);
    const named = await run("--key", "second");
    expect(named.stderr, named.transcript).not.toContain("run.submitted");
    release();
  });

  test("a worker that must stop returns a run that waits for an entity or for its first answer", async () => {
    const { proxy, schema, machine, said } = await fleet();
    const { arrived, release } = holdNext(proxy, "POST /token/mint");
    const other = machine().start("run", "order.yaml", "--input", "order=O1");
    await reached(other, arrived);
    const waits = await started(machine());
    await submit(machine(), "O2");
    await logged(waits, "run.started");
    await waits.signal("SIGTERM");
    const stopped = await waits.ended;
    expect(await jobs(schema), stopped.transcript).toMatchObject([{ state: "retry" }]);
    release();
    expect((await other.ended).code).toBe(0);

    const [read = ""] = proxy.seen;
    const first = holdNext(proxy, read);
    const reads = await started(machine());
    await reached(reads, first.arrived);
    await reads.signal("SIGTERM");
    await reads.ended;
    expect(await jobs(schema)).toMatchObject([{ state: "retry" }]);
    first.release();
    await started(machine());
    await until(schema, "completed");
    expect(said()).toEqual([]);
  });

  test("a lock on the database that outlasts the timeout of a statement ends no run", async () => {
    const { service, proxy, schema, machine, said } = await fleet();
    const worker = await started(machine());
    const { arrived, release } = holdNext(proxy, "POST /token/mint");
    await submit(machine(), "O1");
    await reached(worker, arrived);
    const client = new Client({ connectionString: server.address() });
    await client.connect();
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('${schema}'), hashtext('journal'))`);
    release();
    await worker.printed("waiting for it");
    await client.query("COMMIT");
    await client.end();
    await until(schema, "completed");
    expect(await jobs(schema)).toMatchObject([{ output: { outcome: "passed" } }]);
    expect(said()).toEqual([]);
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("a process whose heartbeat connection hangs opens another one, and still counts as alive", async () => {
    const { schema, machine } = await fleet((url) => environmentAt(url).replace("    exclusive: true\n", ""));
    const way = await DatabaseWay.open(server.port);
    const project = machine();
    const behind = project.as({
      ...project.variables,
      TOKENBOOK_DATABASE: server.place().url.reveal().replace(String(server.port), String(way.port)),
    });
    const running = behind.start("run", "waits.yaml");
    const seen = async (): Promise<string> =>
      String((await server.query(`SELECT seen_at::text AS seen FROM ${schema}.holder`))[0]?.["seen"]);
    await expect.poll(seen).not.toBe("undefined");
    const before = connectionsTo(way.port, running.pid);
    await way.hang();
    const last = await seen();
    await expect.poll(seen, { interval: 200 }).not.toBe(last);
    await expect.poll(() => connectionsTo(way.port, running.pid), { interval: 200 }).toBeLessThanOrEqual(before);
    await running.signal("SIGKILL");
    await way.close();
  });

  test("a worker of several labels counts --jobs over all of them together", async () => {
    const { service, machine } = await fleet((url) => environmentAt(url).replace("    exclusive: true\n", ""));
    const worker = await started(machine(), "--jobs", "1", "--labels", "a,b,c");
    for (const label of ["a", "b", "c"]) expect((await machine().run("submit", "waits.yaml", "--label", label)).code).toBe(0);
    await logged(worker, "run.started");
    await recordProperty(service);
    const lines = await loggedLines(worker, ({ event }) => event === "run.started" || event === "run.ended", 6);
    expect(lines.map(({ event }) => event)).toEqual(Array.from({ length: 3 }, () => ["run.started", "run.ended"]).flat());
  });

  test("submit prints the command that resumes a failed run, and notes that another submit begins a new run", async () => {
    const { machine } = await fleet();
    const desk = machine();
    desk.write("order.yaml", ORDER.replace("totalSupply == 10", "totalSupply == 11"));
    await started(desk);
    const submitted = (...args: string[]) => desk.run("submit", "order.yaml", "--input", "order=O1", ...args);
    const failed = await submitted("--wait");
    const [, run = ""] = /: failed; to continue: tokenbook resume (\S+)\n$/.exec(failed.stdout) ?? [];
    expect([failed.code, run], failed.transcript).toEqual([1, expect.stringMatching(/\S/)]);
    expect(failed.stderr, failed.transcript).not.toContain("note:");
    const note = `note: this is a new run of order.yaml; its last one has not passed (failed). To continue that one: tokenbook resume ${run}\n`;
    const named = await submitted("--key", "K", "--wait");
    expect([named.code, named.stderr], named.transcript).toEqual([1, note]);
    const again = await submitted("--key", "K", "--wait");
    expect([again.code, again.stderr], again.transcript).toEqual([1, ""]);
  });

  test("submit recognizes the inputs of a failed run to which the environment added an organization", async () => {
    const { machine } = await fleet();
    const desk = machine();
    desk.write("owner.yaml", OF_BOB);
    const failed = await desk.run("run", "owner.yaml", "--input", "who=userId:carol");
    expect(failed.code, failed.transcript).toBe(1);
    const passed = await desk.run("run", "owner.yaml", "--input", "who=userId:bob");
    expect(passed.code, passed.transcript).toBe(0);
    const submitted = await desk.run("submit", "owner.yaml", "--input", "who=userId:carol", "--key", "K");
    expect(submitted.code, submitted.transcript).toBe(0);
    expect(submitted.stderr, submitted.transcript).toContain(
      `note: this is a new run of owner.yaml; its last one with these inputs has not passed (failed). To continue that one: tokenbook resume ${runIn(failed)}\n`,
    );
  });

  test("a worker with another data file of an included playbook runs nothing until it has the one that was submitted", async () => {
    const { service, machine } = await fleet();
    const [desk, other] = [machine(), machine()];
    for (const each of [desk, other]) {
      each.write("many.yaml", MANY);
      each.write("whole.yaml", "playbook: 1\nname: Whole\nsteps: [{ id: many, uses: ./many.yaml }]\n");
      each.write("flats.csv", "id\nF1\n");
    }
    other.write("flats.csv", "id\nF2\n");
    await started(other);
    const submitted = () => desk.run("submit", "whole.yaml", "--key", "W1", "--wait");
    const refused = await submitted();
    expect([refused.code, refused.stdout], refused.transcript).toEqual([2, expect.stringContaining("worker.other-playbook")]);
    expect(await service.commits()).toEqual([]);
    other.write("flats.csv", "id\nF1\n");
    const passed = await submitted();
    expect(passed.code, passed.transcript).toBe(0);
    expect(operationsOf(await service.commits())).toEqual(["ledger.asset.create"]);
  });

  test.each([
    ["its playbook", (other: Project) => other.write("order.yaml", "playbook: 2\n"), "check.failed"],
    [
      "its environment",
      (other: Project) => other.write("tokenbook.yaml", other.read("tokenbook.yaml").replace("here:", "there:")),
      "environment.unknown",
    ],
    [
      "its key",
      (other: Project) => other.write("tokenbook.yaml", other.read("tokenbook.yaml").replace("LEDGER_KEY", "NO_KEY")),
      "environment.key-missing",
    ],
  ] as const)(
    "a worker that lacks %s reports it to whoever submitted the run, who is on another machine",
    async (_, spoil, code) => {
      const { service, machine } = await fleet();
      const [desk, other] = [machine(), machine()];
      spoil(other);
      await started(other);
      const {
        code: exit,
        stdout,
        transcript,
      } = await desk.run("submit", "order.yaml", "--input", "order=O1", "--key", "K", "--wait");
      const said = expect.stringMatching(
        /not run: (\S+)\n {2}the worker on \S+ cannot run it: [^]*next: correct this in the project of that worker/,
      );
      expect([exit, stdout], transcript).toEqual([2, said]);
      expect(stdout).toContain(`not run: ${code}\n`);
      expect(await service.commits()).toEqual([]);
    },
  );
});
