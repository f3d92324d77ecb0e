import { once } from "node:events";
import { createRequire } from "node:module";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { LIMITS } from "../base/limits.ts";
import { embeddedFile } from "../files/embedded.ts";
import type { ThreadReply, ThreadRequest, ServerError, StatementResult } from "./messages.ts";
import type { ThreadData } from "./thread.ts";

const load = createRequire(import.meta.url);

/** The thread of this process that talks to servers. The first request starts it. */
let thread: Thread | undefined;

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly replies: Int32Array;
  requests: number;
}

/** Asks the thread that talks to servers, and blocks until the answer. */
export function ask(request: ThreadRequest): readonly StatementResult[] | { readonly error: ServerError } {
  thread ??= start();
  const number = ++thread.requests;
  thread.port.postMessage({ ...request, request: number });
  const deadline = performance.now() + LIMITS.databaseAnswerMs;
  for (;;) {
    const seen = Atomics.load(thread.replies, 0);
    const reply = receiveMessageOnPort(thread.port)?.message as ThreadReply | undefined;
    if (reply?.request === number) return reply.error === undefined ? (reply.results ?? []) : { error: reply.error };
    if (reply !== undefined) continue; // the answer to an earlier request, which came too late
    const leftMs = deadline - performance.now();
    if (leftMs <= 0)
      return {
        error: {
          message: `no answer within ${LIMITS.databaseAnswerMs / 1_000} s`,
          code: undefined,
          isBroken: true,
          isUnsent: false,
        },
      };
    Atomics.wait(thread.replies, 0, seen, leftMs);
  }
}

function start(): Thread {
  const { port1: port, port2 } = new MessageChannel();
  const replies = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const workerData: ThreadData = { port: port2, replies };
  // The thread gets no variables of this process: the address is complete, and PGHOST must not send the state elsewhere.
  const embedded = embeddedFile("postgres.cjs")?.toString("latin1");
  const worker = new Worker(embedded ?? load.resolve("#postgres"), {
    eval: embedded !== undefined,
    workerData,
    transferList: [port2],
    env: {},
    execArgv: [],
  });
  worker.unref();
  port.unref();
  return { worker, port, replies: new Int32Array(replies), requests: 0 };
}

/** A separate thread for slow requests, so that this thread can do other things in the meantime. */
export class OwnThread {
  readonly #thread = start();

  /** Returns the answer. Throws the signal's reason if it is aborted, and any error that ends the thread. */
  async ask(request: ThreadRequest, signal: AbortSignal): Promise<readonly StatementResult[] | { readonly error: ServerError }> {
    const { port, worker } = this.#thread;
    const listening = new AbortController();
    const answer = once(port, "message", { signal: AbortSignal.any([signal, listening.signal]) });
    const failed = once(worker, "exit", { signal: listening.signal }).then(() => Promise.reject(new Error("its thread ended")));
    port.postMessage({ ...request, request: ++this.#thread.requests });
    try {
      const [reply] = (await Promise.race([answer, failed])) as [ThreadReply];
      return reply.error === undefined ? (reply.results ?? []) : { error: reply.error };
    } finally {
      listening.abort();
    }
  }

  /** Ends the thread and its connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.worker.terminate();
  }
}
