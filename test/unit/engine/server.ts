// Serves over TCP whatever answers a test wants, and runs playbooks against them with the real transport and journal.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Clock } from "../../../src/base/ports.ts";
import { systemRandom } from "../../../src/base/ports.ts";
import { newRunName } from "../../../src/engine/run/run-names.ts";
import { resumeRun, startRun } from "../../../src/engine/run/start-run.ts";
import type { Target } from "../../../src/environment/target.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { DriftBook } from "../../../src/reconcile/drift-book.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { openSecrets } from "../../../src/playbook/settings/open-secrets.ts";
import type { RunEvent, RunOutcome, StepCompleted, StepStopped } from "../../../src/protocol/record.ts";
import type { EnginePorts } from "../../../src/engine/engine-ports.ts";
import { resolveInputs } from "../../../src/playbook/inputs/given-inputs.ts";
import { type Exchanged, type Outgoing, Transport } from "../../../src/transport/exchange.ts";
import { clockWithoutWaiting } from "../../engine-parts.ts";

/** A request as the service sees it. */
export interface Came {
  readonly method: string;
  /** The path below the interface's root, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Given {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface Served {
  readonly url: string;
  readonly came: readonly Came[];
}

/** Serves over TCP for one test. `answer` may return something else for each request. */
export async function serve(answer: (came: Came) => Given): Promise<Served> {
  const came: Came[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "", "http://service");
    const path = url.pathname.replace(/^\/(?:tokenize\/[^/]+|api\/v\/1)/, "");
    const { method = "", headers: sent } = request;
    const one = { method, path, query: url.searchParams, headers: sent, body: await bodyOf(request) };
    came.push(one);
    const { status = 200, headers = { "content-type": "application/json" }, body: text } = answer(one);
    response.writeHead(status, headers).end(status === 204 ? undefined : text);
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** The signal for a caller that nobody ever asks to stop. */
export const NOT_STOPPING: AbortSignal = new AbortController().signal;

/** Makes a transport for one test. */
export function transportForTest(): Transport {
  const transport = new Transport();
  onTestFinished(() => transport.close());
  return transport;
}

export interface Ran {
  readonly runId: string;
  readonly outcome: RunOutcome;
  readonly completed: readonly StepCompleted[];
  readonly stopped: StepStopped | undefined;
}

/** What a test may change about a run: its inputs, a worse network, and observers that may stop it. */
export interface Otherwise {
  /** The run to resume, instead of starting a new one. */
  readonly resumes?: string;
  /** The playbook's file. */
  readonly file?: string;
  readonly exchange?: (outgoing: Outgoing, send: EnginePorts["exchange"]) => Promise<Exchanged>;
  readonly observe?: (event: RunEvent) => void;
  readonly hold?: NonNullable<EnginePorts["hold"]>;
  readonly stopping?: AbortSignal;
  /** The environment variables, for secrets. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Makes a folder for the journal of one test. */
export function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-engine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns a function that runs playbooks against targets. All runs share one journal. */
export function runnerForTest(
  folder: string = folderForTest(),
  clock: Clock = clockWithoutWaiting(),
): (text: string, target: Target, otherwise?: Otherwise) => Promise<Ran> {
  const store = JournalStore.open(folder, { clock, redact: (text) => text });
  const transport = transportForTest();
  onTestFinished(() => store.close());
  return async (
    text,
    target,
    { exchange, observe, hold, resumes, file = "test.yaml", stopping = NOT_STOPPING, variables = {} } = {},
  ) => {
    const { playbook, diagnostics } = checkPlaybook(file, text);
    expect(
      diagnostics.filter(({ severity }) => severity === "error"),
      text,
    ).toEqual([]);
    if (playbook === undefined) throw new Error("the playbook does not pass the check");
    const events: RunEvent[] = [];
    const send = transport.exchange.bind(transport);
    const ports = {
      clock,
      cwd: folder,
      exchange: exchange === undefined ? send : (outgoing: Outgoing) => exchange(outgoing, send),
      secrets: openSecrets([playbook], { variables, files: { read: () => undefined } }),
      drifts: () => DriftBook.open(folder),
      observe: (event: RunEvent) => {
        events.push(event);
        observe?.(event);
      },
      ...(hold === undefined ? {} : { hold }),
      stopping,
    };
    const given = { inputs: resolveInputs(playbook, {}), env: {} };
    const parts = { playbook, target, store, ports };
    const name = newRunName(clock.now(), systemRandom);
    const outcome = await (resumes === undefined ? startRun(parts, given, name) : resumeRun(parts, resumes));
    return {
      runId: resumes ?? name.runId,
      outcome,
      completed: events.filter((event) => event.kind === "step.completed"),
      stopped: events.find((event) => event.kind === "step.stopped"),
    };
  };
}
