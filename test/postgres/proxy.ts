import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Harm } from "./proxy-thread.ts";

/** A way to a server that can lose the answer to a commit, or all connections, or let them hang. */
export class Proxy {
  readonly port: number;
  readonly #thread: Worker;

  private constructor(thread: Worker, port: number) {
    this.#thread = thread;
    this.port = port;
  }

  /** Opens a way to a port of this machine. */
  static async open(port: number): Promise<Proxy> {
    const thread = new Worker(new URL("proxy-thread.ts", import.meta.url), { workerData: { port } });
    const [own] = (await once(thread, "message")) as [number];
    return new Proxy(thread, own);
  }

  /** The next transaction ends on the server, and nobody hears of it. */
  loseCommit(): Promise<void> {
    return this.#arm({ loseCommit: true });
  }

  /** The same of the next transaction that makes the server parse this text. */
  loseCommitOf(text: string): Promise<void> {
    return this.#arm({ loseCommitOf: text });
  }

  /** The next client that is answered loses its connection, and the server does not notice: it continues with what it has received. */
  abandon(): Promise<void> {
    return this.#arm({ abandon: true });
  }

  /** After so many more answers all connections end, once; later ones pass. */
  cutAfter(answers: number): Promise<void> {
    return this.#arm({ cutAfter: answers });
  }

  /** Nothing passes on the connections that are open now, and neither side hears of it; later ones pass. */
  hang(): Promise<void> {
    return this.#arm({ hang: true });
  }

  /** Whether new connections are refused; those that are open pass. */
  refuse(refuses: boolean): Promise<void> {
    return this.#arm({ refuses });
  }

  async #arm(harm: Harm): Promise<void> {
    this.#thread.postMessage(harm);
    await once(this.#thread, "message");
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
