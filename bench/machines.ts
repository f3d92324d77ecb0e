// The processes and folders of a fleet, for the benches: one PostgreSQL server, one sandbox, and projects whose state is in a schema.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../src/cli/crash/island.ts";
import { removeFolder } from "../src/files/folder.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";
import type { ServerPlace } from "../src/sql/place.ts";
import { PostgresServer } from "../test/postgres/server.ts";

const COMMAND = fileURLToPath(new URL("../bin/tokenbook.js", import.meta.url));

/** Where a project keeps its state, and the port through which the project reaches the database. */
export interface ProjectState {
  readonly place?: ServerPlace;
  readonly port?: number;
}

/** All processes and folders of one bench. Closing it ends the processes and removes the folders. */
export class Machines {
  readonly server: PostgresServer;
  // In a folder on disk, like the server's files.
  readonly folder: string = temporaryFolder({ TMPDIR: tmpdir() });
  readonly #children = new Set<ChildProcess>();

  private constructor(server: PostgresServer) {
    this.server = server;
  }

  static async start(): Promise<Machines> {
    return new Machines(await PostgresServer.start({}, tmpdir()));
  }

  /** Makes the folder of a project, with these files. */
  project(name: string, { ledgerBaseUrl, ledgerApiKey, appId, orgId }: Sandbox, { place, port }: ProjectState): string {
    const own = join(this.folder, name);
    mkdirSync(own);
    const address = place?.url.reveal().replace(String(this.server.port), String(port ?? this.server.port)) ?? "";
    writeFileSync(join(own, ".env"), `LEDGER_KEY=${ledgerApiKey}\nTOKENBOOK_DATABASE=${address}\n`, { mode: 0o600 });
    const state = place === undefined ? "" : `state: { postgres: env:TOKENBOOK_DATABASE, schema: ${place.schema} }\n`;
    const environment = `environments:\n  here:\n    ledger: { baseUrl: "${ledgerBaseUrl}", appId: ${appId}, orgId: ${orgId}, apiKey: env:LEDGER_KEY }\n`;
    writeFileSync(join(own, "tokenbook.yaml"), environment + state);
    return own;
  }

  /** Starts a command in a folder. */
  start(cwd: string, args: readonly string[]): ChildProcess {
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd, env: { PATH, HOME }, stdio: ["ignore", "pipe", "inherit"] });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return child;
  }

  /** Starts a command that runs until it is stopped, and waits for a line of its log. */
  async startUntil(cwd: string, args: readonly string[], event: string, times = 1): Promise<ChildProcess> {
    const child = this.start(cwd, [...args, "--json"]);
    if (child.stdout === null) throw new Error("a command prints its log");
    let left = times;
    for await (const line of createInterface(child.stdout)) if (line.includes(event) && --left === 0) break;
    child.stdout.resume();
    return child;
  }

  async startSandbox(): Promise<Sandbox> {
    const own = join(this.folder, "sandbox");
    mkdirSync(own);
    const child = this.start(own, ["sandbox", "--port", "0", "--db", "sandbox.db", "--json"]);
    if (child.stdout === null) throw new Error("a sandbox prints where it is");
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    return JSON.parse(line) as Sandbox;
  }

  /** Kills every process of a command. */
  kill(command: string): void {
    for (const child of this.#children) if (child.spawnargs.includes(command)) child.kill("SIGKILL");
  }

  async end(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await this.server.remove();
    removeFolder(this.folder);
  }
}

/** Waits for the end of a process. Rejects when it fails. */
export async function finished(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnargs.join(" ")} ended with ${code}`);
}
