// A PostgreSQL server for one test file, run from the binaries of this machine. It ends with the file. Without binaries, its tests are skipped.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { Secret } from "../../src/base/secret.ts";
import type { ServerPlace } from "../../src/sql/place.ts";
import { PATIENCE_MS } from "../patience.ts";

/** The user that runs the server if the tests run as root, because the server refuses to run as root. */
export const NOBODY: { readonly uid: number; readonly gid: number } | { readonly uid?: never; readonly gid?: never } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const MEMORY = "/dev/shm";
const PAUSE_MS = 50;

/** The folder of the binaries; undefined if PostgreSQL is not installed. */
export const BINARIES: string | undefined = globSync("/usr/lib/postgresql/*/bin")
  .toSorted()
  .findLast((folder) => existsSync(join(folder, "initdb")));

/** The name of the variable for the folder in which one run of the tests keeps the files of a new server. */
export const FILES_OF_NEW = "TOKENBOOK_TEST_SERVER_FILES";

/** A running server. */
export class PostgresServer {
  readonly #folder: string;
  port: number;
  #process: ChildProcess | undefined;
  #schemas = 0;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /** Makes a server below a folder, by default in memory if the machine allows it, and starts it with these settings. */
  static async start(settings: Readonly<Record<string, string>> = {}, below: string = inMemory()): Promise<PostgresServer> {
    const folder = serverFolder(below);
    layFiles(folder);
    const server = new PostgresServer(folder, await freePort());
    await server.run(settings);
    return server;
  }

  /** Makes a server that follows another one, as an asynchronous standby, and has everything that is in it now. */
  static async standbyOf({ port }: PostgresServer): Promise<PostgresServer> {
    const folder = serverFolder(inMemory());
    const from = ["-h", "127.0.0.1", "-p", String(port), "-U", "tester"];
    const args = [...from, "-D", join(folder, "data"), "-R", "-X", "stream", "-c", "fast"];
    execFileSync(join(BINARIES ?? "", "pg_basebackup"), args, { ...NOBODY, cwd: folder, stdio: "ignore" });
    const standby = new PostgresServer(folder, await freePort());
    await standby.run();
    return standby;
  }

  /** Waits until this standby has everything that is in the server that it follows. */
  async follows(primary: PostgresServer): Promise<void> {
    const [{ lsn } = {}] = await primary.query("SELECT pg_current_wal_lsn() AS lsn");
    const caughtUp = `SELECT pg_last_wal_replay_lsn() >= '${String(lsn)}' AS is`;
    for (const since = performance.now(); (await this.query(caughtUp))[0]?.["is"] !== true;) {
      if (performance.now() - since > PATIENCE_MS) throw new Error("the standby does not follow");
      await new Promise((done) => void setTimeout(done, PAUSE_MS));
    }
  }

  /** Kills the server that this standby follows, and promotes the standby, which may lack the last commits, at the address of that server. */
  async takeOver(primary: PostgresServer): Promise<void> {
    await primary.stop("immediate");
    await this.stop();
    this.port = primary.port;
    await this.run();
    await this.query("SELECT pg_promote()");
  }

  /** Starts the server again after it was stopped or killed. */
  async run(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const set = Object.entries({ listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings }).flatMap(
      ([name, value]) => ["-c", `${name}=${value}`],
    );
    const args = ["-D", join(this.#folder, "data"), "-p", String(this.port), ...set];
    this.#process = spawn(join(BINARIES ?? "", "postgres"), args, { ...NOBODY, cwd: this.#folder, stdio: "ignore" });
    await this.reached();
  }

  /** Restarts the server as a standby that waits for its primary server, or as an ordinary server. */
  async follow(follows: boolean): Promise<void> {
    await this.stop();
    const signal = join(this.#folder, "data", "standby.signal");
    if (follows) writeFileSync(signal, "");
    else rmSync(signal);
    await this.run();
  }

  /** Waits until the server answers at an address. */
  async reached(address: string = this.address()): Promise<void> {
    for (const since = performance.now(); ;) {
      try {
        await this.query("SELECT 1", address);
        return;
      } catch (error) {
        if (performance.now() - since > PATIENCE_MS) throw error;
        await new Promise((done) => void setTimeout(done, PAUSE_MS));
      }
    }
  }

  /** Lets each commit wait for a standby that does not exist. Returns once a commit has waited, because the server obeys a new setting only after a while. */
  async waitForNobody(): Promise<void> {
    await this.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await this.query("SELECT pg_reload_conf()");
    while (!(await this.endWaits(this.query("SELECT pg_logical_emit_message(true, 'tests', '')")))) continue;
  }

  /** Ends each wait of a commit for a standby while something lasts. Returns whether a commit has waited. */
  async endWaits(lasting: Promise<unknown>): Promise<boolean> {
    const isOver = new AbortController();
    void lasting.finally(() => isOver.abort());
    let hasWaited = false;
    while (!isOver.signal.aborted) hasWaited = (await this.query(CANCEL_WAITS)).length > 0 || hasWaited;
    return hasWaited;
  }

  /** Stops the server: without a clean shutdown (`immediate`), or with one (`fast`). */
  async stop(how: "immediate" | "fast" = "fast"): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined) return;
    const ended = new Promise((done) => running.once("exit", done));
    running.kill(how === "immediate" ? "SIGQUIT" : "SIGINT");
    await ended;
  }

  /** Stops the server and removes its files. */
  async remove(): Promise<void> {
    await this.stop("immediate");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Returns the address for a user. */
  address(user = "tester"): string {
    return `postgres://${user}:a-password@127.0.0.1:${this.port}/postgres`;
  }

  /** Returns a new schema that nobody has used. */
  place(user?: string): ServerPlace {
    return { url: new Secret("state", this.address(user)), schema: `state_${++this.#schemas}`, accepted: [] };
  }

  /** Runs statements as the owner of the server. */
  async query(sql: string, address: string = this.address()): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: address });
    client.on("error", () => {
      // the connection ends with the server
    });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }
}

/** Returns the line of tokenbook.yaml that keeps the state in this schema on the server that TOKENBOOK_DATABASE names. */
export function stateText(schema: string): string {
  return `state: { postgres: env:TOKENBOOK_DATABASE, schema: ${schema} }\n`;
}

const CANCEL_WAITS = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** Makes a folder that belongs to the user who runs the servers. */
export function serverFolder(below: string = inMemory()): string {
  const folder = mkdtempSync(join(below, "tokenbook-pg-"));
  chmodSync(folder, 0o700);
  if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
  return folder;
}

// The files of a new server are always the same, and making them takes ten times as long as copying them.
function layFiles(folder: string): void {
  const shared = process.env[FILES_OF_NEW];
  if (shared === undefined) return makeFiles(folder, "data");
  const files = join(shared, "data");
  if (!existsSync(files)) {
    const mine = `data-of-${process.pid}`;
    makeFiles(shared, mine);
    try {
      renameSync(join(shared, mine), files);
    } catch (error) {
      if (!existsSync(files)) throw error; // otherwise another process was faster
    }
  }
  execFileSync("cp", ["-r", files, folder], { ...NOBODY, cwd: folder });
}

function makeFiles(folder: string, name: string): void {
  const args = ["-D", join(folder, name), "-U", "tester", "--auth=trust", "--no-sync", "--no-locale", "--encoding=UTF8"];
  execFileSync(join(BINARIES ?? "", "initdb"), args, { ...NOBODY, cwd: folder, stdio: "ignore" });
}

// A kill loses nothing that the system has already received. So memory is as safe as a disk here, and it costs less.
function inMemory(): string {
  return existsSync(MEMORY) ? MEMORY : tmpdir();
}

// Linux gives outgoing connections only ports above these.
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const TRIES = 100;

/** Returns a port on which nobody listens, and which no outgoing connection takes before it is used. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = FIRST_PORT + randomInt(PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once("error", () => done(false));
      server.listen(port, "127.0.0.1", () => done(true));
    });
    if (!isFree) continue;
    await new Promise((done) => void server.close(done));
    return port;
  }
  throw new Error(`none of ${TRIES} ports was free`);
}
