import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Harm } from "./proxy-thread.ts";

/** A proxy in front of a server that can lose the answer to a commit, cut all connections, or let them hang. */
export class Proxy {
  readonly port: number;
  readonly #thread: Worker;

  private constructor(thread: Worker, port: number) {
    this.#thread = thread;
    this.port = port;
  }

  /** Opens a proxy to a port of this machine. */
  static async open(port: number): Promise<Proxy> {
    const thread = new Worker(new URL("proxy-thread.ts", import.meta.url), { workerData: { port } });
    const [own] = (await once(thread, "message")) as [number];
    return new Proxy(thread, own);
  }

  /** Lets the next transaction end on the server, but loses the answer. */
  loseCommit(): Promise<void> {
    return this.#arm({ loseCommit: true });
  }

  /** Does the same to the next transaction that makes the server parse this text. */
  loseCommitOf(text: string): Promise<void> {
    return this.#arm({ loseCommitOf: text });
  }

  /** Ends all connections right after the answer to the next transaction that makes the server parse this text, and refuses new ones. */
  goneAfter(text: string): Promise<void> {
    return this.#arm({ goneAfter: text });
  }

  /** Cuts the connection of the next client that is answered. The server does not notice, and continues with what it has received. */
  abandon(): Promise<void> {
    return this.#arm({ abandon: true });
  }

  /** Cuts all connections once, after this many more answers. Later connections work. */
  cutAfter(answers: number): Promise<void> {
    return this.#arm({ cutAfter: answers });
  }

  /** Lets no data pass on the connections that are open now, and notifies neither side. Later connections work. */
  hang(): Promise<void> {
    return this.#arm({ hang: true });
  }

  /** Sets whether new connections are refused. Open connections continue to work. */
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
