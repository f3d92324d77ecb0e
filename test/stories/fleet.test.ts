// Workers on several machines. They are separate processes that share only a real database.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import notificationSchema from "../../schemas/notification.schema.json" with { type: "json" };
import runsSchema from "../../schemas/runs.schema.json" with { type: "json" };
import { SchemaSet } from "../../src/schema/validator.ts";
import { Proxy as DatabaseWay } from "../postgres/proxy.ts";
import { approvalPlaybook, ORDER } from "../playbooks.ts";
import { BINARIES, PostgresServer, stateText } from "../postgres/server.ts";
import { gate, holdNext, type Passing, proxyTo, type Proxy } from "./proxy.ts";
import { hook, logged, parsedMetrics } from "./schedule.ts";
import {
  approveAsBob,
  type Ended,
  environmentAt,
  expectNoneTwice,
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
import { viewing } from "./viewing.ts";

/** A failover takes ten seconds of waiting, and longer on a busy machine. */

const TEN_MINUTES_MS = 600_000;

const describesRuns = new SchemaSet().validator(runsSchema);
const describes = new SchemaSet().validator(notificationSchema);

/** The number of reads before the read of the last step. */
const READS_BEFORE = 2;

/** The output of `submit --json`. */
interface Jobs {
  readonly jobs: readonly {
    readonly id: string;
    readonly run: string | null;
    readonly exit: number;
    readonly outcome: string | null;
    readonly problem: { readonly code: string; readonly message: string } | null;
  }[];
}

function clockAhead(ms: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${new URL("../ahead.mjs", import.meta.url).href}`, CLOCK_AHEAD_MS: String(ms) };
}

interface Fleet {
  readonly service: Service;
  readonly proxy: Proxy;
  /** A separate folder for one machine, with the same playbooks. The machine's clock may be ahead or behind. */
  readonly machine: (port?: string, aheadMs?: number) => Project;
}

describe.skipIf(BINARIES === undefined)("workers that share a database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  async function fleet(more = ""): Promise<Fleet> {
    const service = await servedSandbox();
    const proxy = await proxyTo(service.url);
    const { schema, url } = server.place();
    const machine = (port = String(server.port), aheadMs = 0): Project => {
      const database = { TOKENBOOK_DATABASE: url.reveal().replace(String(server.port), port) };
      const project = newProject({ ...KEYS, ...database, ...(aheadMs === 0 ? {} : clockAhead(aheadMs)) });
      project.write("tokenbook.yaml", environmentAt(proxy.url) + stateText(schema) + more);
      project.write("order.yaml", ORDER);
      project.write("approval.yaml", approvalPlaybook("    timeout: 300ms\n    on_timeout: pending"));
      return project;
    };
    return { service, proxy, machine };
  }

  const started = async (project: Project, ...args: string[]): Promise<Running> => {
    const running = project.start("worker", ...args);
    await logged(running, "worker.started");
    return running;
  };

  const metricOf = async (worker: Running, name: string): Promise<number | undefined> => {
    const [{ url = "" } = {}] = await logged(worker, "worker.listening");
    return parsedMetrics(await (await fetch(`${url}/metrics`)).text()).get(name);
  };

  const outcomeOf = async (running: Running): Promise<Jobs["jobs"][number]> => {
    const ended = await running.ended;
    const [job] = (JSON.parse(ended.stdout) as Jobs).jobs;
    if (job === undefined) throw new Error(ended.transcript);
    expect(ended.code, ended.transcript).toBe(job.exit);
    return job;
  };

  const submitting = (project: Project, order: string): Running =>
    project.start("submit", "order.yaml", "--input", `order=${order}`, "--key", order, "--wait", "--json");

  const queuedIn = async (project: Project): Promise<unknown> => {
    const { stdout, transcript } = await project.run("runs", "--queued", "--json");
    const listed = JSON.parse(stdout) as { readonly queued: unknown };
    expect(describesRuns(listed), transcript).toEqual([]);
    return listed.queued;
  };

  test("two workers take the submitted runs, and no write is made twice", async () => {
    const { service, machine } = await fleet();
    const desk = machine();
    const orders = ["O1", "O2", "O3"];
    for (const order of orders) {
      const twice = await Promise.all(
        [1, 2].map(() => desk.run("submit", "order.yaml", "--input", `order=${order}`, "--key", order)),
      );
      expect(new Set(twice.map(({ stdout }) => stdout)).size, twice.map(({ transcript }) => transcript).join("\n")).toBe(1);
    }
    const workers = await Promise.all([started(machine(), "--jobs", "2"), started(machine(), "--jobs", "2")]);
    for (const order of orders)
      expect(await outcomeOf(submitting(desk, order))).toMatchObject({ exit: 0, outcome: "passed", problem: null });
    for (const worker of workers) await worker.signal("SIGTERM");
    const ended = await Promise.all(workers.map((worker) => worker.ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    const transcript = ended.map((each) => each.transcript).join("\n");
    const commits = await service.commits();
    expectNoneTwice(commits, transcript);
    expect(
      operationsOf(commits).filter((each) => each === "ledger.token.mint"),
      transcript,
    ).toHaveLength(orders.length);
    const runs = await desk.json("runs");
    expect(runs.data.runs, transcript).toHaveLength(orders.length);
    const { get } = await viewing(desk);
    const page = await (await get("runs/")).text();
    for (const { id } of runs.data.runs) expect(page).toContain(id);
    expect((await get("runs/", "POST")).status, "the page over the shared state changes nothing").toBe(405);
  });

  // The proxy holds a read of the first worker. `harm` decides what happens to that worker then.
  async function failOver(
    harm: (first: Running, way: DatabaseWay, machine: Fleet["machine"]) => Promise<void>,
    heal: NodeJS.Signals,
    secondAheadMs = 0,
  ): Promise<void> {
    const { service, proxy, machine } = await fleet();
    const way = await DatabaseWay.open(server.port);
    const first = await started(machine(String(way.port)));
    const [arrived, held] = [gate(), gate()];
    const hold = async (passing: Passing): Promise<void> => {
      arrived.open();
      await held.passed;
      passing.cut();
    };
    void proxy.next("GET /token", hold, READS_BEFORE);
    const submitted = submitting(machine(), "O1");
    await reached(first, arrived.passed);
    await harm(first, way, machine);
    const second = await started(machine(undefined, secondAheadMs));
    const came = await outcomeOf(submitted);
    held.open();
    await first.signal(heal);
    if (heal === "SIGCONT") await logged(first, "run.returned");
    await first.signal("SIGKILL");
    await second.signal("SIGTERM");
    await way.close();
    const transcript = [await first.ended, await second.ended].map((each) => each.transcript).join("\n");
    expect(came, transcript).toMatchObject({ exit: 0, outcome: "passed" });
    expect(operationsOf(await service.commits()), transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  }

  test("a run ends on another worker when its own is killed, frozen or cut off, and no late request is sent", async () => {
    await Promise.all([
      failOver((first) => first.signal("SIGKILL"), "SIGKILL"),
      failOver((first) => first.signal("SIGSTOP"), "SIGCONT"),
      failOver((_first, way) => way.close(), "SIGKILL"),
    ]);
  });

  test("clocks that differ by ten minutes take no run from a living worker, and keep none with a dead one", () =>
    failOver(
      async (first, _way, machine) => {
        const refused = await machine(undefined, TEN_MINUTES_MS).start("resume").ended;
        expect([refused.code, refused.stderr], refused.transcript).toEqual([6, expect.stringContaining("is held by")]);
        await first.signal("SIGKILL");
      },
      "SIGKILL",
      -TEN_MINUTES_MS,
    ));

  test("a machine whose clock is ahead does not count a write of a machine that has just died as old", async () => {
    const { service, proxy, machine } = await fleet();
    const onMachine = (aheadMs: number): Project => {
      const project = machine(undefined, aheadMs);
      const text = project.read("tokenbook.yaml");
      project.write("tokenbook.yaml", text.replace("exclusive:", "settleWithin: 11m\n    readLag: 1s\n    exclusive:"));
      project.write("order.yaml", ORDER.replace('value: "10.00" }', "$&\n    wait: { timeout: 100ms }"));
      return project;
    };
    const { arrived, release } = holdNext(proxy, "POST /token/mint");
    const first = onMachine(0).start("run", "order.yaml", "--input", "order=O1");
    await reached(first, arrived);
    await first.signal("SIGKILL");
    const second = await onMachine(2 * TEN_MINUTES_MS).start("resume").ended;
    expect(second.code, second.transcript).toBe(5);
    release();
    while (!operationsOf(await service.commits()).includes("ledger.token.mint")) {
      // the mint is on its way
    }
    const resumed = await onMachine(0).run("resume");
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(operationsOf(await service.commits()), second.transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("a run whose worker dies during a write is unknown, sends one notification, and resumes by its key", async () => {
    const { url, posted } = await hook(200);
    const { service, proxy, machine } = await fleet("notifications:\n  desk: { url: env:DESK_URL }\n");
    const desk = machine();
    const withDesk = (): Project => {
      const project = machine();
      return project.as({ ...project.variables, DESK_URL: url });
    };
    const first = await started(withDesk());
    const [arrived, late] = [gate(), gate()];
    const delivered = proxy.next("POST /token/mint", async (passing) => {
      arrived.open();
      await late.passed;
      await passing.forward();
      passing.cut();
    });
    const submitted = submitting(desk, "O1");
    await reached(first, arrived.passed);
    await first.signal("SIGKILL");
    const second = await started(withDesk(), "--listen", "0");
    expect(await metricOf(second, "tokenbook_oldest_unknown_seconds")).toBeGreaterThan(0);
    const came = await outcomeOf(submitted);
    expect(came).toMatchObject({ exit: 5, outcome: "unknown" });
    expect(await metricOf(second, "tokenbook_oldest_unknown_seconds")).toBeGreaterThan(0);
    late.open();
    await delivered;
    const again = await outcomeOf(submitting(desk, "O1"));
    expect(again).toMatchObject({ exit: 0, outcome: "passed", run: came.run });
    await second.signal("SIGTERM");
    const { transcript, code } = await second.ended;
    expect(code, transcript).toBe(0);
    expect(posted.map(({ notification }) => notification.event)).toEqual(["unknown"]);
    expect(posted[0]?.notification).toMatchObject({ schedule: { id: "O1", playbook: "order.yaml" }, run: { id: came.run } });
    for (const { notification } of posted) expect(describes(notification)).toEqual([]);
    expect(operationsOf(await service.commits()), transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("a run that waits for an approval ends as pending, and continues when it is submitted again", async () => {
    const { service, machine } = await fleet();
    const desk = machine();
    await started(machine());
    const submit = (): Running => desk.start("submit", "approval.yaml", "--key", "P1", "--wait", "--json");
    const parked = await outcomeOf(submit());
    expect(parked).toMatchObject({ exit: 4, outcome: "pending" });
    await approveAsBob(service);
    expect(await outcomeOf(submit())).toMatchObject({ exit: 0, outcome: "passed", run: parked.run });
  });

  test("a run that waits for people is held by its machine until this releases it; then another one resumes it", async () => {
    const { service, machine } = await fleet();
    const [first, second] = [machine(), machine()];
    for (const each of [first, second]) each.write("waits.yaml", approvalPlaybook("    timeout: 1h"));
    const waiting = first.start("run", "waits.yaml");
    while (!operationsOf(await service.commits()).includes("ledger.transfer.request")) {
      // it is on its way
    }
    const [held] = (await second.json("runs")).data.runs;
    expect(held).toMatchObject({ outcome: "running", heldBy: { pid: waiting.pid } });
    const refused = await second.run("resume");
    expect([refused.code, refused.stderr], refused.transcript).toEqual([6, expect.stringContaining(`${held?.id} is held by`)]);
    await waiting.signal("SIGINT");
    expect((await waiting.ended).code).toBe(130);
    await approveAsBob(service);
    const resumed = await second.run("resume");
    expect([resumed.code, runIn(resumed)], resumed.transcript).toEqual([0, held?.id]);

    const pending = await first.run("run", "approval.yaml");
    expect(pending.code, pending.transcript).toBe(4);
    await approveAsBob(service);
    const approved = await second.run("resume");
    expect([approved.code, runIn(approved)], approved.transcript).toEqual([0, runIn(pending)]);
    expectNoneTwice(await service.commits(), approved.transcript);
  });

  test("a worker that gets SIGTERM is not ready any more, and ends its run before it stops", async () => {
    const { proxy, machine } = await fleet();
    const desk = machine();
    const worker = await started(machine(), "--listen", "0");
    const [{ url = "" } = {}] = await logged(worker, "worker.listening");
    const ready = async (): Promise<readonly [number, string]> => {
      const answer = await fetch(`${url}/readyz`);
      return [answer.status, await answer.text()];
    };
    expect(await ready()).toEqual([200, "ok\n"]);
    const { arrived, release } = holdNext(proxy, "POST /token/mint");
    const submitted = submitting(desk, "O1");
    await reached(worker, arrived);
    expect(await queuedIn(desk)).toMatchObject([
      {
        key: "O1",
        label: "default",
        playbook: "order.yaml",
        state: "under way",
        run: expect.any(String),
        heldBy: { pid: worker.pid },
      },
    ]);
    await worker.signal("SIGTERM");
    await logged(worker, "worker.stopping");
    expect(await ready()).toEqual([503, "stopping\n"]);
    release();
    const { code, transcript } = await worker.ended;
    expect(code, transcript).toBe(0);
    expect(await outcomeOf(submitted)).toMatchObject({ exit: 0, outcome: "passed" });
  });

  test("a worker's page shows what waits under each label, and how many workers are alive", async () => {
    const { machine } = await fleet();
    for (const order of ["O1", "O2"]) {
      const submitted = await machine().run("submit", "order.yaml", "--input", `order=${order}`, "--label", "idle");
      expect(submitted.code, submitted.transcript).toBe(0);
    }
    const worker = await started(machine(), "--listen", "0");
    expect(await metricOf(worker, "tokenbook_workers")).toBe(1);
    expect(await metricOf(worker, 'tokenbook_queue_waiting{label="idle"}')).toBe(2);
    const waits = { label: "idle", state: "waiting", returned: null, run: null, heldBy: null };
    expect(await queuedIn(machine())).toMatchObject([waits, waits]);
    const one = await machine().run("runs", "--queued", "--limit", "1");
    expect(one.stdout, one.transcript).toMatch(
      /^\S+ {2}waiting {4}label idle {2}\S+ {2}order\.yaml {2}key submitted-\S+ {2}submitted by .+\n$/,
    );
    expect(one.stderr, one.transcript).toContain("and 1 more: --limit 2");
    expect(await metricOf(worker, 'tokenbook_queue_active{label="idle"}')).toBe(0);
    expect(await metricOf(worker, 'tokenbook_queue_oldest_seconds{label="idle"}')).toBeGreaterThan(0);
  });

  test("a worker with another version of the playbook runs nothing", async () => {
    const { service, machine } = await fleet();
    const other = machine();
    other.write("order.yaml", ORDER.replace("10.00", "20.00"));
    await started(other);
    const came = await outcomeOf(submitting(machine(), "O1"));
    expect(came).toMatchObject({ exit: 2, run: null, problem: { code: "worker.other-playbook" } });
    expect(await service.commits()).toEqual([]);
  });

  test("a playbook that was corrected is submitted again with the same key, and its run is resumed", async () => {
    const { service, machine } = await fleet();
    const [desk, other] = [machine(), machine()];
    for (const each of [desk, other]) each.write("order.yaml", ORDER.replace("totalSupply == 10", "totalSupply == 11"));
    await started(other);
    const failed = await outcomeOf(submitting(desk, "O1"));
    expect(failed).toMatchObject({ exit: 1, outcome: "failed" });
    desk.write("order.yaml", ORDER);
    const early = await outcomeOf(submitting(desk, "O1"));
    const next = expect.stringContaining("with the same key");
    expect(early).toMatchObject({ exit: 2, run: null, problem: { code: "worker.other-playbook", next } });
    other.write("order.yaml", ORDER);
    expect(await outcomeOf(submitting(desk, "O1"))).toMatchObject({ exit: 0, run: failed.run });
    expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);

    desk.write("order.yaml", `${ORDER}# edited\n`);
    const passed = await desk.run("submit", "order.yaml", "--input", "order=O1", "--key", "O1");
    expect([passed.code, passed.stderr], passed.transcript).toEqual([
      2,
      expect.stringMatching(/queue\.other-playbook[^]* has passed\n/),
    ]);
  });

  test("submit refuses an edited playbook under a key whose run still waits", async () => {
    const desk = (await fleet()).machine();
    const submit = (): Promise<Ended> => desk.run("submit", "order.yaml", "--input", "order=O1", "--key", "O1");
    expect((await submit()).code).toBe(0);
    desk.write("order.yaml", `${ORDER}# edited\n`);
    const { code, stderr, transcript } = await submit();
    expect([code, stderr], transcript).toEqual([2, expect.stringMatching(/queue\.other-playbook[^]* has not ended yet\n/)]);
  });

  test("a worker refuses a run whose input holds the value of a secret", async () => {
    const { service, machine } = await fleet();
    const [desk, other] = [machine(), machine()];
    const text = ORDER.replace("inputs:\n", "secrets: { PIN: env:ORDER_PIN }\ninputs:\n");
    for (const each of [desk, other]) each.write("order.yaml", text);
    await started(other.as({ ...other.variables, ORDER_PIN: "order-pin-1234" }));
    const came = await outcomeOf(submitting(desk, "order-pin-1234"));
    expect(came).toMatchObject({ exit: 2, run: null, problem: { code: "secret.given-twice" } });
    expect(await service.commits()).toEqual([]);
  });

  test("submit takes equal values in another order or spelling for the same run, and refuses other values", async () => {
    const desk = (await fleet()).machine();
    const values = 'env: { FAR_AWAY: "x", NEAR: "y" }\ninputs:\n  amount: { type: decimal }\n';
    desk.write("order.yaml", ORDER.replace("inputs:\n", values));
    const submit = (amount: string): Promise<Ended> =>
      desk.run("submit", "order.yaml", "--input", "order=O1", "--input", `amount=${amount}`, "--key", "K");
    const [first, again] = [await submit("1"), await submit("1.0")];
    expect([again.code, again.stdout], again.transcript).toEqual([0, first.stdout]);
    expect(await submit("2")).toMatchObject({ code: 2, stderr: expect.stringContaining("queue.key-taken") });
  });

  test("a refused submit gives the reason, and puts nothing into the queue", async () => {
    const { machine } = await fleet();
    const desk = machine();
    const submit = (...args: string[]): Promise<Ended> => desk.run("submit", "order.yaml", ...args);
    const taken = [await submit("--input", "order=O1", "--key", "K"), await submit("--input", "order=O2", "--key", "K")];
    expect(taken.map(({ code }) => code)).toEqual([0, 2]);
    expect(taken[1]?.stderr).toContain("queue.key-taken");
    const wrong = await submit("--input", "ordre=O1");
    expect([wrong.code, wrong.stderr], wrong.transcript).toEqual([2, expect.stringContaining("order")]);
    const alone = await newProject().run("submit", "approval.yaml");
    expect(alone.code, alone.transcript).toBe(2);
    const folder = newProject();
    folder.write("order.yaml", ORDER);
    for (const args of [["submit", "order.yaml", "--input", "order=O1"], ["worker"]]) {
      const { code, stderr, transcript } = await folder.run(...args);
      expect([code, stderr], transcript).toEqual([2, expect.stringContaining("queue.no-database")]);
    }
    const away = desk.as({ ...KEYS, TOKENBOOK_DATABASE: "postgres://tester@127.0.0.1:1/postgres" });
    const { code, stderr, transcript } = await away.run("worker");
    expect([code, stderr], transcript).toEqual([2, expect.stringContaining("cannot be reached")]);
    const lost = await away.run("submit", "order.yaml", "--input", "order=O1");
    expect(lost.stderr, lost.transcript).toMatch(/^tokenbook: the key of order\.yaml is submitted-\S+\n[^]*cannot be reached/);
  });
});
