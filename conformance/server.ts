// A server that answers by a script, and records the requests that it receives.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { canonicalJson, parseJson } from "../src/base/json/json.ts";
import { withoutMarks } from "../src/services/marks.ts";

/** One answer of a script. */
export interface ScriptedAnswer {
  readonly status?: number;
  /** The body, in which the time of the answer replaces {{now}}. */
  readonly body?: string;
  /** Close the connection without an answer. */
  readonly drop?: boolean;
  readonly delayMs?: number;
  /** Wait until this request has arrived. */
  readonly after?: string;
}

/** The answers to each request, such as `GET /token`, in order. The last answer repeats. */
export type ScriptedAnswers = Readonly<Record<string, readonly ScriptedAnswer[]>>;

/** A server for one run of one case. */
export interface ScriptedServer {
  readonly url: string;
  /** Returns the requests of these operations, as `METHOD /path?query body`. */
  readonly requestsOf: (operations: ReadonlySet<string>) => readonly string[];
  readonly close: () => Promise<void>;
}

const NOT_FOUND: ScriptedAnswer = {
  status: 404,
  body: '{"status":"Error","condition":"asset not found","message":"asset not found"}',
};

/** The answers to requests that are not the subject of a case. */
const OTHERWISE: ScriptedAnswers = {
  "GET /status": [{ status: 204 }],
  "GET /asset/receipt": [{ body: '{"transactionId":"t1","status":"COMMITTED","message":"Success"}' }],
};

/** Serves one case on an address of its own. */
export async function serveScript(script: ScriptedAnswers): Promise<ScriptedServer> {
  const came: { readonly operation: string; readonly text: string }[] = [];
  const answerTo = (operation: string): ScriptedAnswer => {
    const answers = script[operation] ?? OTHERWISE[operation] ?? [];
    const open = answers.filter(({ after }) => after === undefined || came.some((each) => each.operation === after));
    const times = came.filter((each) => each.operation === operation).length;
    return open[Math.min(times, open.length) - 1] ?? NOT_FOUND;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "", "http://service");
    const path = url.pathname.replace(/^\/tokenize\/[^/]+/, "");
    const operation = `${request.method ?? ""} ${path}`;
    came.push({ operation, text: operation + queryOf(url) + bodyText(await bodyOf(request)) });
    const { status = 200, body = "", drop = false, delayMs = 0 } = answerTo(operation);
    await setTimeout(delayMs);
    if (drop) response.destroy();
    else
      response
        .writeHead(status, status === 204 ? {} : { "content-type": "application/json" })
        .end(body.replaceAll("{{now}}", () => new Date().toISOString()));
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestsOf: (operations) => came.filter(({ operation }) => operations.has(operation)).map(({ text }) => text),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

// A case does not decide how a runner waits for a commit, or for whom it acts, so these parameters are not compared.
const OWN_PARAMETERS: ReadonlySet<string> = new Set(["async", "actAs"]);

function queryOf({ searchParams }: URL): string {
  const kept = [...searchParams].filter(([name]) => !OWN_PARAMETERS.has(name));
  return kept.length === 0 ? "" : `?${kept.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

// Ignores spaces and the order of fields, and keeps every digit.
function bodyText(text: string): string {
  return text === "" ? "" : ` ${canonicalJson(withoutMarks(parseJson(text)))}`;
}
