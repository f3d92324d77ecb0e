// npm run bench:fleet [-- --quick]: what many machines cost, beside their targets. Prints ratios within one run: quote those, because times differ
// from machine to machine. Needs the binaries of PostgreSQL.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { systemClock } from "../src/base/ports.ts";
import { temporaryFolder } from "../src/cli/crash/island.ts";
import { removeFolder } from "../src/files/folder.ts";
import { RunQueue, type SubmittedRun } from "../src/fleet/queue.ts";
import { JournalStore } from "../src/journal/store.ts";
import type { StatePlace } from "../src/sql/place.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";
import { answered, intended, opened } from "../test/unit/protocol/facts.ts";
import { approvalPlaybook } from "../test/playbooks.ts";
import { PostgresServer } from "../test/postgres/server.ts";
import { Proxy } from "../test/postgres/proxy.ts";
import { median } from "./measure.ts";

const COMMAND = fileURLToPath(new URL("../bin/tokenbook.js", import.meta.url));
const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const SIZES = options.quick ? { writes: 50, runs: 100, jobs: 2_000 } : { writes: 500, runs: 1_000, jobs: 100_000 };
const SLOTS = 8;
const POLL_MS = 100;
const MEGABYTE = 1_048_576;

const FIVE_STEPS = `playbook: 1
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
name: Five steps
steps:
  - id: token
    uses: ledger.token.create
    with:
      id: "T\${{ run.key }}"
      name: "Token of \${{ run.key }}"
      symbol: ORD
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "100", transferable: true, burnable: true }
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "10.00" }
  - id: after
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.totalSupply == 10]
  - id: more
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "5.00" }
  - id: end
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.totalSupply == 15]
`;
const APPROVAL = approvalPlaybook("    timeout: 1h\n    wait: { every: 200ms, max: 200ms }");

// On the disk, as the server's files are.
const folder = temporaryFolder({ TMPDIR: tmpdir() });
const server = await PostgresServer.start();
const children = new Set<ChildProcess>();
let isOver = false;
try {
  const sandbox = await startSandboxProcess();
  await writes();
  await takeover(sandbox);
  await throughput(sandbox);
  await dispatch();
} finally {
  for (const child of children) child.kill("SIGKILL");
  await server.remove();
  removeFolder(folder);
}
process.exitCode = isOver ? 1 : 0;

function show(what: string, is: string, { target, holds }: { readonly target: string; readonly holds: boolean }): void {
  isOver ||= !holds;
  console.log(`${what.padEnd(58)} ${is.padStart(24)}   target ${target}   ${holds ? "ok" : "over"}`);
}

/** A write is two durable records: before it is sent, and when it is answered. */
async function writes(): Promise<void> {
  const onFile = await msOfWrite(join(folder, "sqlite"));
  const onServer = await msOfWrite(server.place());
  const bare = await msOfBareCommits();
  const more = onServer - onFile;
  show(`a write: ${ms(onServer)} on PostgreSQL, ${ms(onFile)} on a file`, `${ms(more)} beyond`, {
    target: `≤ 2 round trips and 2 commits: ${ms(bare)} bare`,
    holds: more <= bare,
  });
}

async function msOfWrite(place: StatePlace): Promise<number> {
  const store = JournalStore.open(place, { clock: systemClock, redact: (text) => text });
  const { journal } = await store.begin(opened, "bench");
  const took: number[] = [];
  for (let at = 0; at < SIZES.writes; at++) {
    const startedAt = performance.now();
    for (const fact of [intended(`step${at}`), answered(`step${at}`, "acknowledged")]) {
      journal.note(fact);
      await journal.flushed();
    }
    took.push(performance.now() - startedAt);
  }
  store.close();
  return median(took) ?? 0;
}

async function msOfBareCommits(): Promise<number> {
  const client = new Client({ connectionString: server.address() });
  await client.connect();
  await client.query("CREATE TABLE bare (body TEXT)");
  const took: number[] = [];
  for (let at = 0; at < SIZES.writes; at++) {
    const startedAt = performance.now();
    for (let half = 0; half < 2; half++) {
      await client.query("SELECT 1");
      await client.query("INSERT INTO bare VALUES ($1)", ["x".repeat(500)]);
    }
    took.push(performance.now() - startedAt);
  }
  await client.end();
  return median(took) ?? 0;
}

/** From the moment of harm until another worker has ended the run. */
async function takeover(sandbox: Sandbox): Promise<void> {
  const harms: Readonly<Record<string, (worker: ChildProcess, way: Proxy) => unknown>> = {
    "a worker is killed (SIGKILL)": (worker) => worker.kill("SIGKILL"),
    "a worker is frozen (SIGSTOP)": (worker) => worker.kill("SIGSTOP"),
    "a worker is cut off from the database": (_worker, way) => way.close(),
  };
  const scenes = await Promise.all(
    Object.entries(harms).map(async ([what, harm], at) => {
      const place = server.place();
      const way = await Proxy.open(server.port);
      const first = await startWorker(project(`first${at}`, sandbox, { place, port: way.port }), 1);
      const submitted = submit(project(`desk${at}`, sandbox, { place }), "approval.yaml");
      return { what, harm: () => harm(first, way), way, submitted, second: project(`second${at}`, sandbox, { place }) };
    }),
  );
  // Each run is under way: it waits for an approval.
  while ((await waiting(sandbox)).length < scenes.length) await setTimeout(POLL_MS);
  for (const { second } of scenes) await startWorker(second, 1);
  const harmedAt = performance.now();
  for (const { harm } of scenes) await harm();
  await call(sandbox, "POST", "/asset/ownershipTransfer/approve", { id: (await waiting(sandbox)).map(({ id }) => id) });
  await Promise.all(
    scenes.map(async ({ what, submitted, way }) => {
      await submitted;
      const taken = (performance.now() - harmedAt) / 1_000;
      show(`${what}: its run ends on another`, `${taken.toFixed(1)} s`, { target: "≤ 15 s", holds: taken <= 15 });
      await way.close();
    }),
  );
  for (const child of children) if (child.spawnargs.includes("worker")) child.kill("SIGKILL");
}

async function throughput(sandbox: Sandbox): Promise<void> {
  const alone = project("alone", sandbox, {});
  const place = server.place();
  const desk = project("desk", sandbox, { place });
  const workers = [project("one", sandbox, { place }), project("two", sandbox, { place })];
  for (const each of [alone, desk, ...workers]) {
    mkdirSync(join(each, "runs"));
    for (let at = 0; at < SIZES.runs; at++) writeFileSync(join(each, "runs", `${at}.yaml`), FIVE_STEPS);
  }
  const one = await seconds(() => finished(start(alone, ["run", "runs", "--jobs", String(2 * SLOTS), "--quiet"])));
  for (const each of workers) await startWorker(each, SLOTS);
  const two = await seconds(() => submit(desk, "runs"));
  const ratio = one / two;
  const what = `${SIZES.runs} runs of 5 steps: 2 workers ${two.toFixed(1)} s, one process ${one.toFixed(1)} s`;
  show(what, `${ratio.toFixed(2)} ×`, { target: "≥ 0.8 ×", holds: ratio >= 0.8 });
  for (const child of children) if (child.spawnargs.includes("worker")) child.kill("SIGKILL");
}

/** How long a worker's slot that is free waits for the next job, with very many in the queue. */
async function dispatch(): Promise<void> {
  const place = server.place();
  const queue = await RunQueue.open(place, { supervise: true, onError: () => undefined });
  await queue.submit("bench", jobOf(0));
  await server.query(
    `INSERT INTO ${place.schema}_queue.job (name, data, policy, retry_limit, retry_delay, expire_seconds, heartbeat_seconds)
     SELECT name, data, policy, retry_limit, retry_delay, expire_seconds, heartbeat_seconds
     FROM ${place.schema}_queue.job, generate_series(2, ${SIZES.jobs})`,
  );
  const waits: number[] = [];
  let freeAt = performance.now();
  let done = 0;
  const memory: number[] = [];
  const wanted = Math.min(SIZES.jobs, 5_000);
  await new Promise<void>((resolve, reject) => {
    void queue
      .work(["bench"], 1, async () => {
        waits.push(performance.now() - freeAt);
        if (done % (wanted / 5) === 0) memory.push(process.memoryUsage().rss / MEGABYTE);
        if (++done === wanted) resolve();
        freeAt = performance.now();
        return { run: null, outcome: "passed", exit: 0, problem: null };
      })
      .catch(reject);
  });
  await queue.stop(1_000);
  const p99 = waits.toSorted((a, b) => a - b)[Math.floor(0.99 * waits.length)] ?? 0;
  show(`a queue of ${SIZES.jobs} jobs: dispatch, 99th percentile of ${wanted}`, ms(p99), {
    target: "≤ 250 ms",
    holds: p99 <= 250,
  });
  const [first = 0, last = 0] = [memory[1], memory.at(-1)];
  const growth = last / first;
  show("memory of the worker meanwhile", `${growth.toFixed(2)} ×`, { target: "flat (≤ 1.2 ×)", holds: growth <= 1.2 });
}

function jobOf(at: number): SubmittedRun {
  return {
    playbook: "x.yaml",
    environment: "here",
    key: `job ${at}`,
    digest: "",
    inputs: "{}",
    env: {},
    confirmed: null,
    submittedBy: "bench",
  };
}

interface Of {
  readonly place?: ReturnType<PostgresServer["place"]>;
  readonly port?: number;
}

function project(name: string, { ledgerBaseUrl, ledgerApiKey, appId, orgId }: Sandbox, { place, port }: Of): string {
  const own = join(folder, name);
  mkdirSync(own);
  const address = place?.url.reveal().replace(String(server.port), String(port ?? server.port)) ?? "";
  writeFileSync(join(own, ".env"), `LEDGER_KEY=${ledgerApiKey}\nTOKENBOOK_DATABASE=${address}\n`, { mode: 0o600 });
  const state = place === undefined ? "" : `state: { postgres: env:TOKENBOOK_DATABASE, schema: ${place.schema} }\n`;
  const environment = `environments:\n  here:\n    ledger: { baseUrl: "${ledgerBaseUrl}", appId: ${appId}, orgId: ${orgId}, apiKey: env:LEDGER_KEY }\n`;
  writeFileSync(join(own, "tokenbook.yaml"), environment + state);
  writeFileSync(join(own, "approval.yaml"), APPROVAL);
  return own;
}

function start(cwd: string, args: readonly string[]): ChildProcess {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd, env: { PATH, HOME }, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

async function finished(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnargs.join(" ")} ended with ${code}`);
}

function submit(cwd: string, what: string): Promise<void> {
  return finished(start(cwd, ["submit", what, "--wait"]));
}

async function startWorker(cwd: string, jobs: number): Promise<ChildProcess> {
  const worker = start(cwd, ["worker", "--jobs", String(jobs), "--json"]);
  if (worker.stdout === null) throw new Error("a worker prints its log");
  for await (const line of createInterface(worker.stdout)) if (line.includes("worker.started")) break;
  worker.stdout.resume();
  return worker;
}

async function startSandboxProcess(): Promise<Sandbox> {
  const own = join(folder, "sandbox");
  mkdirSync(own);
  const child = start(own, ["sandbox", "--port", "0", "--db", "sandbox.db", "--json"]);
  if (child.stdout === null) throw new Error("a sandbox prints where it is");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return JSON.parse(line) as Sandbox;
}

interface Waiting {
  readonly records: readonly { readonly id: string }[];
}

async function waiting(sandbox: Sandbox): Promise<Waiting["records"]> {
  return ((await call(sandbox, "GET", "/asset/ownershipTransfer/request/approvals")) as Waiting).records;
}

async function call(
  { ledgerBaseUrl, ledgerApiKey, appId }: Sandbox,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${ledgerBaseUrl}/tokenize/${appId}${path}?actAs=userId:bob`, {
    method,
    headers: { "X-API-KEY": ledgerApiKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
