// Real runs on real workers under fire: processes die or freeze, PostgreSQL dies, and the network loses and delays data. Afterwards the
// sandbox's log of commits must agree with what each run says about itself.
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf } from "../../src/engine/run/plan-steps.ts";
import { removeFolder } from "../../src/files/folder.ts";
import { jobIdOf, type JobResult } from "../../src/fleet/job.ts";
import { RunQueue } from "../../src/fleet/queue.ts";
import type { SubmittedRun } from "../../src/fleet/submitted-run.ts";
import { inProjectOf } from "../../src/cli/project/chosen-project.ts";
import { loadPlaybooks } from "../../src/cli/project/load-playbooks.ts";
import { temporaryFolder } from "../../src/cli/crash/island.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { ServerPlace } from "../../src/sql/place.ts";
import type { Dice } from "../../src/base/numbers/dice.ts";
import { quietShell } from "../crash/ground.ts";
import { FAULTS, Proxy, type Weather } from "../crash/random/proxy.ts";
import { ORDER } from "../playbooks.ts";
import { PostgresServer, stateText } from "../postgres/server.ts";

const COMMAND = fileURLToPath(new URL("../../bin/tokenbook.js", import.meta.url));
const LABEL = "default";
/** How many runs are in the queue or under way at any time. */
const OPEN_RUNS = 24;
/**
 * The share of the harm that kills the database; the next line is the share that kills a worker. The rest freezes a worker. The database dies
 * more often because restarting a worker costs more.
 */
const DATABASE_SHARE = 0.7;
const WORKER_SHARE = 0.2;
const FAULT_SHARE = 0.1;
const LATEST_MS = 200;
const POLL_MS = 250;
/** How often, after the fire, the key of a run that did not pass is submitted again. */
const AGAIN = 2;

/** The results of a fire. */
export interface Toll {
  readonly workerKills: number;
  readonly databaseKills: number;
  readonly freezes: number;
  readonly runs: number;
  readonly passed: number;
  readonly unknown: number;
  /** Everything that happened although it never may, in words. */
  readonly violations: readonly string[];
}

interface Commit {
  readonly operation: string;
  readonly actor: unknown;
  readonly body: unknown;
}

/** Several workers that share a database, under fire. */
export class FleetUnderFire {
  readonly #dice: Dice;
  readonly #size: number;
  readonly #folder: string;
  readonly #server: PostgresServer;
  readonly #sandbox: Sandbox;
  readonly #proxy: Proxy;
  readonly #place: ServerPlace;
  readonly #workers: ChildProcess[] = [];
  readonly #results = new Map<string, JobResult | undefined>();
  readonly #frozen = new Set<ChildProcess>();
  #queue: RunQueue | undefined;
  #databaseBack: Promise<void> = Promise.resolve();
  #isOver = false;
  #workerKills = 0;
  #databaseKills = 0;
  #freezes = 0;

  private constructor(
    dice: Dice,
    parts: { size: number; folder: string; server: PostgresServer; sandbox: Sandbox; proxy: Proxy },
  ) {
    this.#dice = dice;
    this.#size = parts.size;
    this.#folder = parts.folder;
    this.#server = parts.server;
    this.#sandbox = parts.sandbox;
    this.#proxy = parts.proxy;
    this.#place = parts.server.place();
  }

  /** Starts this many workers. */
  static async start(dice: Dice, size: number): Promise<FleetUnderFire> {
    const folder = temporaryFolder(process.env);
    const server = await PostgresServer.start();
    const sandbox = await startSandbox({ path: join(folder, "sandbox.db") });
    const proxy = await Proxy.to(sandbox.ledgerBaseUrl);
    const fleet = new FleetUnderFire(dice, { size, folder, server, sandbox, proxy });
    fleet.#writeProject();
    for (let at = 0; at < size; at++) fleet.#startWorker(at);
    return fleet;
  }

  /** Does harm until this many processes have been killed, then lets every run come to its end. Calls `onKill` for each kill. */
  async endure(kills: number, onKill: () => void = () => undefined): Promise<Toll> {
    this.#proxy.weather = { fault: () => this.#fault(), onPass: () => undefined };
    while (this.#workerKills + this.#databaseKills < kills) {
      await this.#refill();
      await pause(this.#dice.span(100, 800));
      await this.#harm();
      onKill();
    }
    this.#proxy.weather = undefined;
    for (const worker of this.#frozen) worker.kill("SIGCONT");
    for (let again = 0; again <= AGAIN; again++) {
      await this.#settle();
      for (const [key, result] of this.#results) if (result?.exit !== 0 && again < AGAIN) await this.#submit(key);
    }
    return this.#toll();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    for (const worker of this.#workers) worker.kill("SIGKILL");
    await this.#queue?.stop(0).catch(() => undefined);
    await this.#proxy.close();
    await this.#sandbox.close();
    await this.#server.remove();
    removeFolder(this.#folder);
  }

  #writeProject(): void {
    const { ledgerApiKey, appId, orgId } = this.#sandbox;
    const { url, schema } = this.#place;
    mkdirSync(join(this.#folder, "logs"));
    writeFileSync(join(this.#folder, ".env"), `LEDGER_KEY=${ledgerApiKey}\nTOKENBOOK_DATABASE=${url.reveal()}\n`, {
      mode: 0o600,
    });
    writeFileSync(
      join(this.#folder, "tokenbook.yaml"),
      `environments:
  here:
    ledger: { baseUrl: "${this.#proxy.url}", appId: ${appId}, orgId: ${orgId}, apiKey: env:LEDGER_KEY }
${stateText(schema)}`,
    );
  }

  #startWorker(at: number): void {
    const { PATH = "", HOME = "", XDG_STATE_HOME = "" } = process.env;
    const env = { PATH, HOME, XDG_STATE_HOME };
    const args = [COMMAND, "worker", "--jobs", "4", "--json"];
    const child = spawn(process.execPath, args, { cwd: this.#folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const log = createWriteStream(join(this.#folder, "logs", `${at}.log`), { flags: "a" });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    // A worker exits by itself if it starts while the database is away. We start it again when the database is back, as its operator would.
    child.once("exit", (code) => {
      if (code === null || code === 0) return;
      const again = (): void => {
        // If another worker has already taken this place, a third one would replace it in the list, and nobody would end the other.
        if (!this.#isOver && this.#workers[at] === child) this.#startWorker(at);
      };
      void this.#databaseBack.then(() => setTimeout(again, POLL_MS));
    });
    this.#workers[at] = child;
  }

  #fault(): ReturnType<Weather["fault"]> {
    if (!this.#dice.chance(FAULT_SHARE)) return { fault: "none", lateMs: 0, reset: false };
    return { fault: this.#dice.pick(FAULTS), lateMs: this.#dice.below(LATEST_MS), reset: this.#dice.chance(0.5) };
  }

  async #harm(): Promise<void> {
    const chance = this.#dice.next();
    const at = this.#dice.below(this.#size);
    const worker = this.#workers[at];
    if (chance < DATABASE_SHARE) {
      this.#databaseKills++;
      this.#databaseBack = this.#restartDatabase();
      await this.#databaseBack;
    } else if (chance < DATABASE_SHARE + WORKER_SHARE) {
      this.#workerKills++;
      worker?.kill("SIGKILL");
      this.#startWorker(at);
    } else if (worker !== undefined && !this.#frozen.has(worker)) {
      this.#freezes++;
      this.#frozen.add(worker);
      worker.kill("SIGSTOP");
      setTimeout(
        () => {
          this.#frozen.delete(worker);
          worker.kill("SIGCONT");
        },
        this.#dice.span(1_000, 12_000),
      );
    }
  }

  async #restartDatabase(): Promise<void> {
    await this.#server.stop("immediate");
    await pause(this.#dice.below(500));
    await this.#server.run();
  }

  async #refill(): Promise<void> {
    await this.#look();
    let open = [...this.#results.values()].filter((result) => result === undefined).length;
    for (; open < OPEN_RUNS; open++) await this.#submit(`O${this.#results.size + 1}`);
  }

  async #submit(key: string): Promise<void> {
    // A run whose write stays unknown would hold back all other runs of its playbook, so each run has its own playbook.
    const file = `${key}.yaml`;
    writeFileSync(join(this.#folder, file), ORDER);
    const [playbook] = loadPlaybooks(inProjectOf(quietShell(this.#folder), [file]), [file]);
    if (playbook === undefined) throw new Error(`${file} is no playbook`);
    const run: SubmittedRun = {
      playbook: file,
      environment: "here",
      key,
      digest: digestOf(playbook),
      inputs: JSON.stringify({ order: key }),
      env: {},
      confirmed: null,
      submittedBy: "fire",
    };
    this.#results.set(key, undefined);
    await this.#asking((queue) => queue.submit(LABEL, run));
  }

  async #settle(): Promise<void> {
    while ([...this.#results.values()].includes(undefined)) {
      await this.#look();
      await pause(POLL_MS);
    }
  }

  async #look(): Promise<void> {
    for (const [key, result] of this.#results)
      if (result === undefined) this.#results.set(key, await this.#asking((queue) => queue.outcome(LABEL, jobIdOf(key))));
  }

  // Asks until an answer comes, because the database may die during the question.
  async #asking<T>(ask: (queue: RunQueue) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        this.#queue ??= await RunQueue.open(this.#place, { takesJobs: false, onError: () => undefined });
        return await ask(this.#queue);
      } catch {
        await pause(POLL_MS);
      }
    }
  }

  async #toll(): Promise<Toll> {
    const results = [...this.#results];
    const commits = await this.#commits();
    const violations = results.flatMap(([key, result]) => violationsOf(key, result, commits));
    const written = commits.map(({ operation, actor, body }) => JSON.stringify([operation, actor, body]));
    const twice = written.filter((write, at) => written.indexOf(write) !== at);
    return {
      workerKills: this.#workerKills,
      databaseKills: this.#databaseKills,
      freezes: this.#freezes,
      runs: results.length,
      passed: results.filter(([, result]) => result?.outcome === "passed").length,
      unknown: results.filter(([, result]) => result?.outcome === "unknown").length,
      violations: [...violations, ...twice.map((write) => `written twice: ${write}`)],
    };
  }

  async #commits(): Promise<readonly Commit[]> {
    const { ledgerBaseUrl, ledgerApiKey } = this.#sandbox;
    const response = await fetch(`${ledgerBaseUrl}/_sandbox/commits`, { headers: { "x-api-key": ledgerApiKey } });
    return ((await response.json()) as { commits: readonly Commit[] }).commits;
  }
}

// A run that passed must have made both of its writes. It may also end unknown. Nothing in this test justifies any other end.
function violationsOf(key: string, result: JobResult | undefined, commits: readonly Commit[]): readonly string[] {
  const own = commits.filter(({ body }) => JSON.stringify(body).includes(`"T${key}"`)).map(({ operation }) => operation);
  if (result?.outcome === "passed")
    return own.join() === "ledger.token.create,ledger.token.mint" ? [] : [`${key} passed, and wrote ${own.join() || "nothing"}`];
  return result?.outcome === "unknown" ? [] : [`${key} ended ${JSON.stringify(result)}`];
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => void setTimeout(done, ms));
}
