// Runs PgBouncer in front of a server, if it is installed.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { freePort, NOBODY, type PostgresServer } from "./server.ts";

/** The path of the binary; undefined if PgBouncer is not installed. */
export const POOLER: string | undefined = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => existsSync(path));

/** A running pooler. */
export class PgBouncer {
  readonly #folder: string;
  readonly #settings: string;
  readonly #process: ChildProcess;
  readonly #port: number;
  readonly #server: PostgresServer;

  private constructor(server: PostgresServer, port: number, folder: string, settings: string) {
    this.#server = server;
    this.#port = port;
    this.#folder = folder;
    this.#settings = settings;
    this.#process = spawn(POOLER ?? "", [join(folder, "pgbouncer.ini")], { ...NOBODY, stdio: "ignore" });
  }

  /** Starts a pooler that assigns a session of the server to each connection, or to each transaction. */
  static async start(server: PostgresServer, mode: "session" | "transaction", more = ""): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), "tokenbook-pooler-"));
    chmodSync(folder, 0o755);
    const port = await freePort();
    const listen = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\nadmin_users = tester`;
    const database = `postgres = user=tester host=127.0.0.1 port=${server.port}`;
    const settings = `[databases]\n${database}\n[pgbouncer]\n${listen}\n${more}\n`;
    writeMode(folder, settings, mode);
    const pooler = new PgBouncer(server, port, folder, settings);
    await server.reached(pooler.address());
    return pooler;
  }

  /** Makes the pooler keep two sessions of the server that nobody uses. */
  async keepTwo(): Promise<void> {
    const clients = [1, 2].map(() => new Client({ connectionString: this.address() }));
    for (const client of clients) {
      await client.connect();
      await client.query("BEGIN");
    }
    for (const client of clients) {
      await client.query("COMMIT");
      await client.end();
    }
  }

  /** Assigns sessions to single transactions from now on, also for connections that are already open. */
  async shareSessions(): Promise<void> {
    writeMode(this.#folder, this.#settings, "transaction");
    const admin = new Client({ connectionString: this.address().replace(/postgres$/, "pgbouncer") });
    await admin.connect();
    await admin.query("RELOAD");
    await admin.end();
  }

  /** The address by which clients reach the server through the pooler. */
  address(): string {
    return this.#server.address().replace(String(this.#server.port), String(this.#port));
  }

  stop(): void {
    this.#process.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

function writeMode(folder: string, settings: string, mode: "session" | "transaction"): void {
  writeFileSync(join(folder, "pgbouncer.ini"), `${settings}pool_mode = ${mode}\n`);
}
