// Sends mints, transfers, burns and reads of many clients at once to the sandbox, and then compares every account with the answers that the clients
// received. `node bench/sandbox-load.ts [CLIENTS] [SECONDS]` serves a file from a separate process and prints requests per second.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Decimal, sum } from "../src/base/numbers/decimal.ts";
import { parseJson, writeJson } from "../src/base/json/json.ts";
import { readSeed, startSandbox, type Sandbox, type Seed } from "../src/sandbox/sandbox.ts";

const TOKENS: readonly string[] = ["LOADA", "LOADB", "LOADC", "LOADD"];
const ZERO = Decimal.of(0);

/** A ledger with tokens that everyone may mint and burn. */
export const LOAD_SEED: Seed = readSeed({
  ledger: {
    tokens: TOKENS.map((id) => ({
      id,
      behaviour: { decimal: 2 },
      tokenPermissions: [{ entity: {}, roles: ["minter", "burner"] }],
    })),
  },
});

/** The number of clients, how long each runs in milliseconds or requests, and the seed. */
export interface LoadOptions {
  readonly clients: number;
  readonly ms?: number;
  readonly requests?: number;
  readonly seed: number;
}

/** The requests and answers, and every inconsistency. */
export interface LoadResult {
  readonly seconds: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly writes: number;
  /** Requests by kind and outcome, such as `mint 200`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  readonly accounts: number;
  readonly supply: string;
  readonly problems: readonly string[];
}

/** Runs the clients, waits until each has its last answer, and then audits every account and every commit. */
export async function runLoad(sandbox: Sandbox, options: LoadOptions): Promise<LoadResult> {
  const run = new LoadRun(sandbox, options);
  await run.go();
  return run.audited();
}

interface Spoken {
  readonly status: number;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any -- a free-form answer
}

type Action = { readonly kind: string; readonly path: string; readonly body: object; readonly effects: readonly Effect[] };
type Effect = { readonly account: string; readonly amount: Decimal };

class LoadRun {
  readonly #sandbox: Sandbox;
  readonly #options: LoadOptions;
  readonly #agent: Agent;
  /** The balance that each account must have according to the answers alone. */
  readonly #expected = new Map<string, Decimal>();
  readonly #answers: Record<string, number> = {};
  readonly #latencies: number[] = [];
  #writes = 0;
  #seconds = 0;

  constructor(sandbox: Sandbox, options: LoadOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.clients });
  }

  async go(): Promise<void> {
    const begun = performance.now();
    const end = begun + (this.#options.ms ?? Infinity);
    await Promise.all(Array.from({ length: this.#options.clients }, (_, at) => this.#client(at, end)));
    this.#seconds = (performance.now() - begun) / 1_000;
  }

  async #client(self: number, end: number): Promise<void> {
    const random = randomFrom(this.#options.seed * 65_537 + self);
    const { requests = Infinity } = this.#options;
    for (let asked = 0; asked < requests && performance.now() < end; asked++) {
      const action = actionOf(self, this.#options.clients, random);
      const sent = performance.now();
      const { status } = await this.#call(action.path, action.body, `userId:client${self}`);
      this.#latencies.push(performance.now() - sent);
      const key = `${action.kind} ${status}`;
      this.#answers[key] = (this.#answers[key] ?? 0) + 1;
      if (status === 200 && action.effects.length > 0) this.#book(action.effects);
    }
  }

  #book(effects: readonly Effect[]): void {
    this.#writes++;
    for (const { account, amount } of effects) this.#expected.set(account, (this.#expected.get(account) ?? ZERO).plus(amount));
  }

  async audited(): Promise<LoadResult> {
    // A transfer of more than the supply is invalid (400). Any request may ask for more than the holder has, or use an account that is not open.
    const problems = Object.keys(this.#answers).filter((key) => !/ (?:200|404|422)$|^transfer 400$/.test(key));
    const held = (await Promise.all(TOKENS.map((token) => this.#auditToken(token, problems)))).flat();
    for (const [account, amount] of this.#expected) {
      if (!amount.isZero() && !held.some((each) => each.account === account)) problems.push(`${account} is gone, with ${amount}`);
    }
    const { commits } = (await this.#get("/_sandbox/commits")).body;
    if (commits.length !== this.#writes)
      problems.push(`${this.#writes} writes were acknowledged, ${commits.length} are committed`);
    this.#agent.destroy();
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const requests = sorted.length;
    const quantile = (part: number): number => Math.round(sorted[Math.floor(part * (requests - 1))] ?? 0);
    return {
      seconds: this.#seconds,
      requests,
      perSecond: Math.round(requests / this.#seconds),
      writes: this.#writes,
      answers: this.#answers,
      latencyMs: { p50: quantile(0.5), p99: quantile(0.99) },
      accounts: held.length,
      supply: sum(held.map(({ amount }) => amount)).canonical(),
      problems,
    };
  }

  async #auditToken(token: string, problems: string[]): Promise<readonly Effect[]> {
    const { body: accounts } = await this.#call("/token/account/all", [{ tokenId: token }]);
    const held: Effect[] = accounts.map(({ entity, balance }: { entity: { userId: string }; balance: Decimal }) => ({
      account: `${entity.userId} ${token}`,
      amount: balance,
    }));
    for (const { account, amount } of held) {
      const expected = this.#expected.get(account) ?? ZERO;
      if (!expected.equals(amount)) problems.push(`${account} holds ${amount}, not ${expected}`);
    }
    const { totalSupply } = (await this.#get(`/tokenize/${this.#sandbox.appId}/token?id=${token}`)).body;
    const total = sum(held.map(({ amount }) => amount));
    if (!total.equals(totalSupply)) problems.push(`the accounts of ${token} hold ${total} of a supply of ${totalSupply}`);
    return held;
  }

  #get(path: string): Promise<Spoken> {
    return this.#send("GET", path);
  }

  #call(path: string, body: object, actAs = "userId:auditor"): Promise<Spoken> {
    return this.#send("POST", `/tokenize/${this.#sandbox.appId}${path}?actAs=${actAs}`, writeJson(body));
  }

  #send(method: string, path: string, body?: string): Promise<Spoken> {
    return new Promise((resolve, reject) => {
      const headers = {
        "x-api-key": this.#sandbox.ledgerApiKey,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      };
      const outgoing = request(this.#sandbox.ledgerBaseUrl + path, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: parseJson(Buffer.concat(chunks).toString()) }),
        );
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }
}

function actionOf(self: number, clients: number, random: () => number): Action {
  const pick = (count: number): number => Math.floor(random() * count);
  const token = TOKENS[pick(TOKENS.length)] ?? "";
  const other = pick(clients);
  const amount = Decimal.fromJsonSource(`${pick(100)}.${String(pick(99) + 1).padStart(2, "0")}`);
  const effect = (client: number, by: Decimal): Effect => ({ account: `client${client} ${token}`, amount: by });
  const mine = effect(self, amount.negated());
  const dice = random();
  if (dice < 0.35) {
    return {
      kind: "mint",
      path: "/token/mint",
      body: [{ id: token, to: party(other), value: amount }],
      effects: [effect(other, amount)],
    };
  }
  if (dice < 0.6) {
    const body = { from: party(self), to: party(other), id: token, value: amount };
    return { kind: "transfer", path: "/token/erc1155/safeTransferFrom", body, effects: [mine, effect(other, amount)] };
  }
  if (dice < 0.75) {
    return { kind: "burn", path: "/token/burn", body: [{ id: token, from: party(self), value: amount }], effects: [mine] };
  }
  return { kind: "read", path: "/token/erc1155/balanceOf", body: { id: token, owner: party(other) }, effects: [] };
}

function party(client: number): object {
  return { orgId: LOAD_SEED.orgId, userId: `client${client}` };
}

// mulberry32, because it is small and gives the same numbers on every machine.
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function main([first = "200", second = "60"]: readonly string[]): Promise<void> {
  if (first === "serve") return console.log(JSON.stringify(await startSandbox({ path: second, seed: LOAD_SEED })));
  const folder = mkdtempSync(join(tmpdir(), "sandbox-load-"));
  const server = spawn(process.execPath, [import.meta.filename, "serve", join(folder, "sandbox.db")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(server.stdout, "data")) as [Buffer];
    const options = { clients: Number(first), ms: Number(second) * 1_000, seed: 1 };
    const result = await runLoad(JSON.parse(String(line)) as Sandbox, options);
    console.log(JSON.stringify(result, undefined, 2));
    if (result.problems.length > 0) process.exitCode = 1;
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) await main(process.argv.slice(2));
