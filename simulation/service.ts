import { writeJson } from "../src/base/json/json.ts";
import type { Clock } from "../src/base/ports.ts";
import { contract, type ContractOperation, type InterfaceName } from "../src/contract/contract.ts";
import { DEFAULT_PROFILE } from "../src/contract/profile.ts";
import { answerOf, type WireRequest } from "../src/sandbox/http/face.ts";
import type { WriteFault } from "../src/sandbox/ledger/chain.ts";
import { DEFAULT_SEED } from "../src/sandbox/seed/default.ts";
import { plant } from "../src/sandbox/seed/plant.ts";
import type { Seed } from "../src/sandbox/seed/seed.ts";
import { openService, type ServiceParts } from "../src/sandbox/service.ts";
import { migrate, SANDBOX } from "../src/sandbox/store/tables.ts";
import { Database } from "../src/sqlite/database.ts";
import type { Exchanged, Outgoing } from "../src/transport/exchange.ts";

const COMMIT_DELAY_MS = 5;
const ROOTS: Readonly<Record<InterfaceName, string>> = { ledger: `/tokenize/${DEFAULT_SEED.appId}`, investor: "/api/v/1" };
const [SALE] = DEFAULT_SEED.sales;

/** The keys of the simulated runs. */
export const SIMULATED_KEYS = { ledger: "simulated-ledger-key", buyer: "simulated-buyer-key" } as const;

// With fewer things, a world is reset faster.
const SEED: Seed = {
  ...DEFAULT_SEED,
  ledgerApiKey: SIMULATED_KEYS.ledger,
  investors: DEFAULT_SEED.investors.slice(0, 1).map((investor) => ({ ...investor, apiKey: SIMULATED_KEYS.buyer })),
  tokens: DEFAULT_SEED.tokens.slice(0, 1),
  sales: SALE === undefined ? [] : [SALE],
};

const TABLES = ["resources", "history", "ledger_transactions", "commits"];

/** A write that took effect. */
export interface Commit {
  readonly transactionId: string;
  readonly operation: string;
  /** When it took effect, in milliseconds since the Unix epoch, by the service's clock. */
  readonly at: number;
}

/** A request that the service has accepted. */
export interface Served {
  /** The transactions that it became: one for a write; none if it was refused or only reads. */
  readonly transactions: readonly string[];
  readonly answer: Promise<Exchanged>;
}

/** The service with its true commit log: the sandbox's own code over a database in memory, without HTTP. */
export class SimulatedService {
  readonly #database = Database.open(":memory:", SANDBOX);
  readonly #clock: Clock;
  readonly #parts: ServiceParts;

  constructor(clock: Clock) {
    this.#clock = clock;
    migrate(this.#database, () => plant(this.#database, SEED, { profile: DEFAULT_PROFILE.ledger, now: clock.now() }));
    this.keep();
    this.#parts = openService(this.#database, {
      clock,
      profile: DEFAULT_PROFILE,
      commitDelayMs: COMMIT_DELAY_MS,
      closing: new AbortController().signal,
    });
  }

  /** Keeps the present state as the state after each reset. */
  keep(): void {
    for (const name of TABLES)
      this.#database.exec(`DROP TABLE IF EXISTS kept_${name}; CREATE TABLE kept_${name} AS SELECT * FROM ${name}`);
  }

  /** Restores the kept state. With `past`, reads may show earlier moments from now on. */
  reset(past: boolean): void {
    this.#parts.past.keep(false);
    for (const name of TABLES) this.#database.exec(`DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM kept_${name}`);
    this.#parts.past.keep(past);
  }

  /** Accepts a request at once, and answers when the answer is ready. */
  serve(outgoing: Outgoing, fault?: WriteFault): Served {
    const before = this.#lastWrites();
    const answer = this.#answer(outgoing, fault);
    return { transactions: outgoing.fresh ? this.#writesAfter(before) : [], answer };
  }

  /** Answers a read with an earlier state of the service, but with the present time. */
  serveAgo(outgoing: Outgoing, ms: number): Promise<Exchanged> {
    return this.#parts.ago(ms, () => this.#answer(outgoing));
  }

  async #answer(outgoing: Outgoing, fault?: WriteFault): Promise<Exchanged> {
    const routed = route(outgoing);
    if (routed === undefined) throw new Error(`no operation of the contract is ${outgoing.method} ${outgoing.path}`);
    const face = this.#parts.faces[routed.operation.interface];
    const { status, body } = await answerOf(face, routed.operation, routed.asked, fault);
    const headers = { date: new Date(this.#clock.now()).toUTCString(), "content-type": "application/json" };
    return { kind: "answered", status, headers, text: body === undefined ? "" : writeJson(body) };
  }

  /** Returns every write that has taken effect, in this order. */
  commits(): readonly Commit[] {
    this.#parts.chain.advance(this.#clock.now());
    return this.#database.all("SELECT transaction_id, operation, at FROM commits ORDER BY seq").map((row) => ({
      transactionId: String(row["transaction_id"]),
      operation: String(row["operation"]),
      at: Number(row["at"]),
    }));
  }

  /** Whether a write was accepted that has neither taken effect nor failed. */
  get pending(): boolean {
    this.#parts.chain.advance(this.#clock.now());
    return this.#database.get("SELECT 1 FROM ledger_transactions WHERE state = 'PENDING' LIMIT 1") !== undefined;
  }

  #lastWrites(): readonly [number, number] {
    const row = this.#database.get(
      "SELECT (SELECT max(seq) FROM ledger_transactions) AS ledger, (SELECT max(seq) FROM commits) AS investor",
    );
    return [Number(row?.["ledger"] ?? 0), Number(row?.["investor"] ?? 0)];
  }

  #writesAfter([ledger, investor]: readonly [number, number]): readonly string[] {
    return this.#database
      .all(
        `SELECT transaction_id FROM ledger_transactions WHERE seq > ?
         UNION SELECT transaction_id FROM commits WHERE interface = 'investor' AND seq > ?`,
        ledger,
        investor,
      )
      .map((row) => String(row["transaction_id"]));
  }
}

interface Route {
  readonly operation: ContractOperation;
  readonly pattern: RegExp;
}

const routes: readonly Route[] = Object.values(contract.operations).map((operation) => {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  return { operation, pattern: new RegExp(`^${operation.method} ${ROOTS[operation.interface]}${path}$`) };
});

// Most paths have no parameters, and are found in a table.
const fixedRoutes = new Map(
  routes.map(({ operation }) => [`${operation.method} ${ROOTS[operation.interface]}${operation.path}`, operation]),
);

function route({ method, path, headers, body }: Outgoing): { operation: ContractOperation; asked: WireRequest } | undefined {
  const [place = "", search = ""] = path.split("?");
  const found = operationAt(`${method} ${place}`);
  if (found === undefined) return undefined;
  const plain = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    typeof value === "string" ? value : value.reveal(),
  ]);
  const asked = {
    params: { appId: DEFAULT_SEED.appId, ...found.params },
    query: Object.fromEntries(new URLSearchParams(search)),
    headers: Object.fromEntries(plain) as Record<string, string>,
    body,
  };
  return { operation: found.operation, asked };
}

function operationAt(line: string): { operation: ContractOperation; params: Readonly<Record<string, string>> } | undefined {
  const fixed = fixedRoutes.get(line);
  if (fixed !== undefined) return { operation: fixed, params: {} };
  for (const { operation, pattern } of routes) {
    const { groups } = pattern.exec(line) ?? {};
    if (groups !== undefined) return { operation, params: mapDecoded(groups) };
  }
  return undefined;
}

function mapDecoded(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}
