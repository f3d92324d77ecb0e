import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Counts } from "./scenario.ts";

/** The requests that the server has received since the last call. */
export interface Asked {
  readonly counts: Counts;
  readonly connections: number;
}

/** The bench's server in a separate process. */
export class BenchService {
  readonly origin: string;
  readonly #child: ChildProcess;

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin;
    this.#child = child;
  }

  static async start(): Promise<BenchService> {
    const script = fileURLToPath(new URL("server.ts", import.meta.url));
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    return new BenchService(`http://127.0.0.1:${port.toString().trim()}`, child);
  }

  /** Returns the requests since the last call, and starts counting again. */
  async asked(): Promise<Asked> {
    const response = await fetch(`${this.origin}/__stats`, { headers: { connection: "close" } });
    return (await response.json()) as Asked;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin?.end();
    await ended;
  }
}
