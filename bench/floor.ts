// The floor: the cost of the same requests and assertions when they are written by hand with undici, without a playbook, types, a report or a
// journal.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { Client, type Dispatcher, request } from "undici";
import { KEY, mintBody, mintPath, receiptPath, TOKEN, tokenId, tokenPath, WRITE_ROUND, WRONG_SYMBOL } from "./scenario.ts";

/** How the floor makes requests: with undici's `request`, as most people would, or with a `Client` of its own, which costs the least. */
export type FloorThrough = "request" | "client";
/** How the floor sends writes: on the connection of the reads, each on a new connection, or each on a new connection between two commits. */
export type FloorWrites = "shared" | "fresh" | "durable";

/** Undefined with undici's `request`, which finds a connection itself. */
type Shared = Client | undefined;
type Answer = Readonly<Record<string, unknown>>;

const { values } = parseArgs({
  options: {
    origin: { type: "string", default: "" },
    chain: { type: "string", default: "read" },
    requests: { type: "string", default: "3" },
    files: { type: "string", default: "1" },
    through: { type: "string", default: "request" },
    writes: { type: "string", default: "shared" },
    state: { type: "string", default: "" },
    falsified: { type: "boolean", default: false },
  },
});
const CHAINS = 32;
const requests = Number(values.requests);
const record = values.writes === "durable" ? recorder(values.state) : () => {};
let left = Number(values.files);

await Promise.all(Array.from({ length: Math.min(left, CHAINS) }, work));

async function work(): Promise<void> {
  const client = values.through === "client" ? new Client(values.origin) : undefined;
  try {
    while (left-- > 0) await (values.chain === "read" ? readChain(client) : writeChain(client));
  } finally {
    await client?.close();
  }
}

async function readChain(client: Shared): Promise<void> {
  for (let number = 1; number <= requests; number++) await readToken(client, number, number === requests);
}

async function writeChain(client: Shared): Promise<void> {
  const rounds = requests / WRITE_ROUND;
  for (let number = 1; number <= rounds; number++) {
    const minted = await mint(client, tokenId(number));
    const receipt = await call(client, "GET", receiptPath(String(minted["receiptId"])));
    assertEqual(receipt["status"], "COMMITTED");
    assertEqual(receipt["transactionId"], minted["transactionId"]);
    await readToken(client, number, number === rounds);
  }
}

async function readToken(client: Shared, number: number, last: boolean): Promise<void> {
  const token = await call(client, "GET", tokenPath(tokenId(number)));
  assertEqual(token["id"], tokenId(number));
  assertEqual(token["symbol"], last && values.falsified ? WRONG_SYMBOL : TOKEN.symbol);
  assertEqual(token["totalSupply"], TOKEN.totalSupply);
}

async function mint(shared: Shared, id: string): Promise<Answer> {
  const body = JSON.stringify(mintBody(id));
  if (values.writes === "shared") return call(shared, "POST", mintPath, body);
  const client = new Client(values.origin);
  try {
    record(`intend ${body}`);
    const minted = await call(client, "POST", mintPath, body);
    record(`answered ${JSON.stringify(minted)}`);
    return minted;
  } finally {
    await client.destroy();
  }
}

async function call(client: Shared, method: "GET" | "POST", path: string, body?: string): Promise<Answer> {
  const headers = { "X-API-KEY": KEY, accept: "application/json" };
  const options =
    body === undefined
      ? { method, path, headers }
      : { method, path, body, headers: { ...headers, "content-type": "application/json" } };
  const response = client === undefined ? await requestAnywhere(options) : await client.request(options);
  const text = await response.body.text();
  assertEqual(response.statusCode, 200);
  return JSON.parse(text) as Answer;
}

function requestAnywhere({ path, ...options }: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  return request(`${values.origin}${path}`, options);
}

// Makes a commit that is on disk when the call returns: the least that a guarantee needs before and after each write. The log is small and soon
// overwritten from its beginning, because syncing such a log takes half the time of syncing one that grows.
function recorder(state: string): (text: string) => void {
  mkdirSync(state, { recursive: true });
  const database = new DatabaseSync(join(state, "floor.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 250;");
  database.exec("CREATE TABLE record (body TEXT NOT NULL) STRICT;");
  const insert = database.prepare("INSERT INTO record (body) VALUES (?)");
  return (text) => void insert.run(text);
}

function assertEqual(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${String(actual)} is not ${String(expected)}`);
}
