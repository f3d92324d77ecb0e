// PgBouncer in front of a server, where it is installed.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, NOBODY, type PostgresServer } from "./server.ts";

/** The binary; undefined where PgBouncer is not installed. */
export const POOLER: string | undefined = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => existsSync(path));

/** A running pooler. */
export class PgBouncer {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #port: number;
  readonly #server: PostgresServer;

  private constructor(server: PostgresServer, port: number, folder: string) {
    this.#server = server;
    this.#port = port;
    this.#folder = folder;
    this.#process = spawn(POOLER ?? "", [join(folder, "pgbouncer.ini")], { ...NOBODY, stdio: "ignore" });
  }

  /** Starts a pooler that gives a session of the server to a connection, or to each transaction. */
  static async start(server: PostgresServer, mode: "session" | "transaction", more = ""): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), "tokenbook-pooler-"));
    chmodSync(folder, 0o755);
    const port = await freePort();
    const settings = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\n${more}`;
    const database = `postgres = user=tester host=127.0.0.1 port=${server.port}`;
    writeFileSync(join(folder, "pgbouncer.ini"), `[databases]\n${database}\n[pgbouncer]\n${settings}`);
    const pooler = new PgBouncer(server, port, folder);
    await server.reached(pooler.address());
    return pooler;
  }

  /** The address by which the pooler leads to the server. */
  address(): string {
    return this.#server.address().replace(String(this.#server.port), String(this.#port));
  }

  stop(): void {
    this.#process.kill();
    rmSync(this.#folder, { recursive: true });
  }
}
