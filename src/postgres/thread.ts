// The thread that talks to PostgreSQL servers. A caller blocks until the answer, and runs nothing else meanwhile (decision 156).
import { setTimeout } from "node:timers/promises";
import { type MessagePort, workerData } from "node:worker_threads";
import { Client, type ClientConfig, escapeIdentifier, escapeLiteral, types as standardTypes } from "pg";
import { messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { getOrInsert } from "../base/maps.ts";
import {
  type Address,
  BROKEN_PROTOCOL,
  NOT_ADDED,
  NOT_REPLICATED,
  SHARED_SESSION,
  type ThreadReply,
  type ThreadRequest,
  type Statement,
  type StatementResult,
  TOO_LARGE,
  WRONG_ENCODING,
} from "./messages.ts";
import { isUnconfirmed, MARK_OF_SESSION, SESSION } from "./session.ts";

/** The data with which the thread is started. */
export interface ThreadData {
  /** The port for requests and replies. */
  readonly port: MessagePort;
  /** Counts the replies, for the caller that waits. */
  readonly replies: SharedArrayBuffer;
}

const { port, replies } = workerData as ThreadData;
const count = new Int32Array(replies);
const clients = new Map<number, Client>();
const beats = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>();

// The driver throws some faults of an answer where no caller can catch them. We cannot know which server has sent it, so all connections end.
process.on("uncaughtException", (error) => {
  for (const client of present) client.connection.stream.destroy(brokenProtocol(messageOf(error)));
});

port.on("message", (asked: ThreadRequest & { readonly request: number }) => void reply(asked));

async function reply({ request, ...asked }: ThreadRequest & { readonly request: number }): Promise<void> {
  port.postMessage({ ...(await answer(asked)), request } satisfies ThreadReply);
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
}

async function answer(request: ThreadRequest): Promise<Omit<ThreadReply, "request">> {
  try {
    return { results: await done(request) };
  } catch (cause) {
    // The driver takes the parts of an answer as they should be.
    const error = cause instanceof TypeError ? brokenProtocol("a part of it does not fit the parts before it") : cause;
    const { code } = error as { readonly code?: unknown };
    const isBroken = request.kind !== "send" || isGone(clients.get(request.connection));
    const isUnsent = error instanceof NotSent;
    return { error: { message: messageOf(error), code: typeof code === "string" ? code : undefined, isBroken, isUnsent } };
  }
}

async function done(request: ThreadRequest): Promise<readonly StatementResult[]> {
  switch (request.kind) {
    case "open":
      clients.set(request.connection, await connect(request.address, request));
      return [];
    case "query":
      clients.set(request.connection, await connectForQuery(request));
      return [];
    case "fetch":
      return [await nextRows(clients.get(request.connection), request.rows)];
    case "send":
      return send(clients.get(request.connection), request.statements);
    case "close":
      leave(clients.get(request.connection));
      clients.delete(request.connection);
      return [];
    case "beat":
      await beat(request);
      return [];
    case "still":
      beats.get(request.name)?.stop.abort();
      await beats.get(request.name)?.ended;
      beats.delete(request.name);
      return [];
  }
}

// A count fits a JavaScript number, and no amount is in a numeric column.
const BIGINT = standardTypes.builtins.INT8;
const types = {
  getTypeParser: (...[oid, format]: Parameters<typeof standardTypes.getTypeParser>) =>
    oid === BIGINT ? Number : (standardTypes.getTypeParser(oid, format) as (value: string) => unknown),
};

interface ThreadSession {
  readonly readOnly: boolean;
  readonly mark: string;
}

const BEATING: ThreadSession = { readOnly: false, mark: "" };

async function connect({ url, schema }: Address, session: ThreadSession): Promise<Client> {
  const config = { connectionString: url, application_name: `tokenbook ${schema}`, types };
  const prepare = async (client: Client): Promise<void> => {
    await assertOwnSession(client, config);
    await Promise.all([assertAllCharacters(client), client.query(settings(schema, session))]);
  };
  // The caller must still be waiting when the connection is open, because nobody else would close it.
  return connectWith(config, (client) => within(prepare(client), LIMITS.databaseConnectMs));
}

// Settings and prepared statements belong to a session. A pooler invents the session number that it announces. A pooler that gives each
// transaction another session would give our session to another connection, or another session to us. See decision 177.
async function assertOwnSession(client: Client, config: ClientConfig): Promise<void> {
  const own = await sessionOf(client);
  if ("processID" in client && client.processID === own) return;
  const other = await connectWith({ ...config, query_timeout: LIMITS.databaseConnectMs }, () => Promise.resolve());
  try {
    // The last two in a row: a pooler that gives its sessions in turn would give each of two connections the same one again and again.
    for (let left = SESSION_LOOKS; left > 0; left--)
      if ((await sessionOf(other)) === own || (await sessionOf(client)) !== own || (await sessionOf(client)) !== own)
        throw new SharedSession();
  } finally {
    leave(other);
  }
}

const SESSION_LOOKS = 5;

async function sessionOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ readonly pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid;
}

class SharedSession extends Error {
  readonly code = SHARED_SESSION;

  constructor() {
    super("two connections had the same session, or one connection had several");
  }
}

// Otherwise the first text with an unsupported character would end its run, perhaps between a write and its record.
async function assertAllCharacters(client: Client): Promise<void> {
  const { rows } = await client.query<{ readonly server_encoding: string }>("SHOW server_encoding");
  const encoding = rows[0]?.server_encoding;
  if (encoding !== "UTF8") throw Object.assign(new Error(`its encoding is ${encoding}`), { code: WRONG_ENCODING });
}

async function connectWith(config: ClientConfig, begin: (client: Client) => Promise<unknown>): Promise<Client> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: LIMITS.databaseConnectMs,
    keepAlive: true,
    pipeline: true,
  });
  present.add(client);
  client.on("end", () => present.delete(client));
  // The first of several errors gives the reason. The later ones only say that the connection has ended.
  client.on("error", (error) => void getOrInsert(ended, client, () => messageOf(error)));
  client.on("notice", (notice) => void (isUnconfirmed(notice) && unreplicated.add(client)));
  client.on("end", () => void getOrInsert(ended, client, () => "the connection has ended"));
  try {
    await client.connect();
    await begin(client);
  } catch (error) {
    leave(client);
    throw error;
  }
  return client;
}

// If a server stalls in the middle of an answer, an orderly end would wait forever.
function leave(client: Client | undefined): void {
  if (client !== undefined) void within(client.end(), LIMITS.beatAnswerMs).catch(() => client.connection.stream.destroy());
}

/** The connections with a commit that is not on the standbys. */
const unreplicated = new WeakSet<Client>();

/** The connections that have not ended. */
const present = new Set<Client>();

/** The connections that have ended, with the reasons. */
const ended = new WeakMap<Client, string>();

function isGone(client: Client | undefined): boolean {
  return client === undefined || ended.has(client);
}

function assertThere(client: Client | undefined): asserts client is Client {
  const why = client === undefined ? "the connection has ended" : ended.get(client);
  if (why !== undefined) throw new NotSent(why);
}

// A process that is stopped in the middle of a transaction must not block the others, so the server ends the transaction. With pg_catalog in the path, the
// server would find functions that somebody has added to the schema before its own.
function settings(schema: string, { readOnly, mark }: ThreadSession): string {
  return `
SET search_path TO ${escapeIdentifier(schema)};
SET lock_timeout = ${LIMITS.databaseLockMs};
SET statement_timeout = ${LIMITS.databaseStatementMs};
SET idle_in_transaction_session_timeout = ${LIMITS.databaseIdleMs};
${SESSION}
SET ${MARK_OF_SESSION} = ${escapeLiteral(mark)};
${readOnly ? "SET default_transaction_read_only = on" : ""}`;
}

// All statements are sent before the first answer, so they take one round trip.
async function send(client: Client | undefined, statements: readonly Statement[]): Promise<readonly StatementResult[]> {
  assertThere(client);
  const sent = inOnePiece(client, () =>
    statements.map(({ text, values }) =>
      client.query(values === undefined ? text : { name: nameOf(text), text, values: [...values] }),
    ),
  );
  const settled = await Promise.allSettled(sent);
  if (unreplicated.has(client)) throw notReplicated(client);
  return settled.map((each, at) => {
    if (each.status === "rejected") throw each.reason;
    // The server answers COMMIT in this way, without an error, if an earlier statement had failed.
    if (statements[at]?.text === "COMMIT" && each.value.command === "ROLLBACK")
      throw Object.assign(new Error("a statement of the transaction had failed"), { code: "25P02" });
    // The server reports success even if a trigger or a rule that somebody has added removes the row.
    if (each.value.rowCount === 0 && ADDS_ONE.test(statements[at]?.text ?? ""))
      throw Object.assign(new Error("a row that was written is not there"), { code: NOT_ADDED });
    return { rows: each.value.rows as StatementResult["rows"], changes: each.value.rowCount ?? 0 };
  });
}

// The server reports success. The next attempt opens a new connection, and waits for the standbys again.
function notReplicated(client: Client): Error {
  const error = Object.assign(new Error("the standby did not confirm a commit"), { code: NOT_REPLICATED });
  ended.set(client, error.message);
  return error;
}

const ADDS_ONE = /^INSERT INTO (?!.*\b(?:SELECT|ON CONFLICT)\b)/s;

// Each piece would wake the server.
function inOnePiece<T>({ connection: { stream } }: Client, work: () => T): T {
  stream.cork();
  try {
    return work();
  } finally {
    stream.uncork();
  }
}

// A person's query: one snapshot, in a read-only transaction. DECLARE accepts only a query, and a named statement accepts only one
// statement.
async function connectForQuery({ url, query, timeoutMs }: Extract<ThreadRequest, { kind: "query" }>): Promise<Client> {
  return connectWith({ connectionString: url, application_name: "tokenbook", types: AS_TEXT }, async (client) => {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL statement_timeout = ${timeoutMs};
SET LOCAL lock_timeout = ${LIMITS.databaseLockMs};
SET LOCAL cursor_tuple_fraction = 1;
${AS_STORED}`);
    await client.query({ name: "query", text: `DECLARE query NO SCROLL CURSOR FOR ${query}` });
    const { stream } = client.connection;
    stream.on("data", ({ length }: Uint8Array) => {
      const bytes = (received.get(client) ?? 0) + length;
      received.set(client, bytes);
      if (bytes > LIMITS.queryBytes) stream.destroy(tooLarge());
    });
  });
}

/** How many bytes of the present answer have arrived. */
const received = new WeakMap<Client, number>();

function tooLarge(): Error {
  return Object.assign(new Error(`its answer has more than ${LIMITS.queryBytes.toLocaleString("en")} bytes`), {
    code: TOO_LARGE,
  });
}

function brokenProtocol(how: string): Error {
  return Object.assign(new Error(how), { code: BROKEN_PROTOCOL });
}

// A database, a role or the address may set these differently. Then values would be rounded or spelled differently, and rows would silently
// be left out. Settings about the meaning of values are left unchanged, such as the digits that lc_monetary gives to money (decision 198).
const AS_STORED = `
SET LOCAL extra_float_digits = 3;
SET LOCAL row_security = off;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL standard_conforming_strings = on;
SET LOCAL transform_null_equals = off;
SET LOCAL bytea_output = 'hex';
SET LOCAL IntervalStyle = 'postgres';
SET LOCAL DateStyle = 'ISO';
SET LOCAL TimeZone = 'UTC';`;

async function nextRows(client: Client | undefined, rows: number): Promise<StatementResult> {
  assertThere(client);
  received.set(client, 0);
  const result = await client.query(`FETCH FORWARD ${rows} FROM query`);
  // The server ends an answer with the number of its rows. If one was lost on the way, the comparison would lack it.
  if (result.command !== "FETCH" || result.rowCount !== result.rows.length)
    throw brokenProtocol("it does not end with the number of its rows");
  return { rows: result.rows as StatementResult["rows"], changes: 0, columns: result.fields.map(({ name }) => name) };
}

const { BOOL, TIMESTAMP, TIMESTAMPTZ } = standardTypes.builtins;
const SPELT: ReadonlyMap<number, (value: string) => string> = new Map([
  [BOOL, (value: string) => (value === "t" ? "true" : "false")],
  [TIMESTAMP, (value: string) => value.replace(" ", "T")],
  [TIMESTAMPTZ, (value: string) => value.replace(" ", "T").replace(/\+00$/, "Z")],
]);

// Each value is spelled as by the server, so that no number is rounded; booleans and times are spelled as in playbooks.
const AS_TEXT = { getTypeParser: (oid: number) => SPELT.get(oid) ?? ((value: string) => value) };

const names = new Map<string, string>();

// The server keeps the plan of a named statement.
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `tokenbook ${names.size}`));
  return name;
}

const BEAT = `INSERT INTO holder (name, seen_at) VALUES ($1, clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET seen_at = clock_timestamp()`;

// The first heartbeat is recorded before anybody learns the name.
async function beat(asked: Beat): Promise<void> {
  const stop = new AbortController();
  const client = await connect(asked.address, BEATING);
  try {
    await within(client.query(BEAT, [asked.name]), LIMITS.databaseConnectMs);
  } catch (error) {
    leave(client);
    throw error;
  }
  beats.set(asked.name, { stop, ended: keepBeating(client, asked, stop.signal) });
}

type Beat = Extract<ThreadRequest, { kind: "beat" }>;

async function keepBeating(first: Client, { name, address, everyMs }: Beat, stop: AbortSignal): Promise<void> {
  let client = first;
  for (;;) {
    await setTimeout(everyMs, undefined, { signal: stop }).catch(ignore);
    if (stop.aborted) break;
    try {
      if (isGone(client)) client = await connectInTime(address);
      await within(client.query(BEAT, [name]), LIMITS.beatAnswerMs);
    } catch {
      // A connection may hang for minutes although the server is well, so the next heartbeat uses another one.
      ended.set(client, "no answer to a beat");
      leave(client);
    }
  }
  await within(client.query("DELETE FROM holder WHERE name = $1", [name]), LIMITS.beatAnswerMs).catch(ignore);
  leave(client);
}

async function connectInTime(address: Address): Promise<Client> {
  const opening = connect(address, BEATING);
  try {
    return await within(opening, LIMITS.beatAnswerMs);
  } catch (error) {
    void opening.then(leave, ignore);
    throw error;
  }
}

// For a heartbeat, the limit is below the time after which others take over what this process holds, and leaves room for another attempt.
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController();
  const late = setTimeout(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no answer within ${ms / 1_000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    late.catch(ignore);
    work.catch(ignore);
  }
}

class NotSent extends Error {}

function ignore(): void {
  // an abandoned connection may fail in any way
}
