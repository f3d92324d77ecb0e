import { Decimal, sum } from "../../base/decimal.ts";
import { count } from "../../base/text.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { EvaluationFailure } from "../../expression/expression.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { ActorUse, Conserve } from "../../playbook/model.ts";
import { bind } from "../../playbook/template.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { LIMITS } from "../../base/limits.ts";
import { callerOf } from "../caller.ts";
import type { Looking } from "../looking.ts";
import type { Place } from "../plan.ts";
import { read } from "../read.ts";
import type { Checked } from "./check.ts";

/** Two sums that must be the same, and what each is the sum of. */
interface Balance {
  readonly of: string;
  readonly left: Quantity;
  readonly right: Quantity;
}

interface Quantity {
  readonly what: string;
  readonly value: Decimal;
}

/** What moved while it was read is read again, so often and with such pauses. */
const LOOKS = 3;
const PAUSE_MS = 500;

/**
 * Looks whether a quantity is conserved: the supply of a token is the sum of its accounts and its mints less its burns; what a
 * vault's share tokens supply is what was issued for its assets; what a sale has sold is what was bought. A difference counts
 * only when it is seen twice alike.
 */
export async function conserve(context: Looking, place: Place, check: Conserve): Promise<Checked> {
  const reader = new Reader(context, place, check);
  let before: string | undefined;
  for (let look = 1; ; look++) {
    const balances = await reader.balances();
    if (!Array.isArray(balances)) return { problem: balances as StepProblem, requests: reader.requests };
    const broken = balances.filter(({ left, right }) => !left.value.equals(right.value));
    const value = { outcome: "ok", balances: balances.map(asJson) };
    if (broken.length === 0) return { value, requests: reader.requests };
    const seen = JSON.stringify(broken);
    if (seen === before || look === LOOKS || context.stopping) return { problem: drift(broken), requests: reader.requests };
    before = seen;
    await context.pause(PAUSE_MS);
  }
}

class Reader {
  requests = 0;
  readonly #context: Looking;
  readonly #place: Place;
  readonly #check: Conserve;

  constructor(context: Looking, place: Place, check: Conserve) {
    this.#context = context;
    this.#place = place;
    this.#check = check;
  }

  async balances(): Promise<readonly Balance[] | StepProblem> {
    const id = bind(this.#check.id, this.#context.scopeAt(this.#place));
    if (typeof id !== "string") throw new EvaluationFailure(`conserve: ${this.#check.of} must be the id of one`);
    try {
      if (this.#check.of === "token") return await this.#token(id);
      return this.#check.of === "vault" ? await this.#vault(id) : await this.#sale(id);
    } catch (error) {
      if (error instanceof ReadFailed) return error.problem;
      throw error;
    }
  }

  async #token(id: string): Promise<readonly Balance[]> {
    const token = record(await this.#read("ledger.token.get", { id }));
    const supply = { what: "totalSupply", value: number(token["totalSupply"]) };
    const accounts = list(await this.#read("ledger.account.list", { tokenId: id }));
    const transactions = list(await this.#read("ledger.transaction.list", { tokenId: id }));
    const held = sum(accounts.map((account) => number(account["balance"])));
    const made = amountOf(transactions, "MINT", id).minus(amountOf(transactions, "BURN", id));
    return [
      { of: `token ${id}`, left: supply, right: { what: `the sum of its ${count(accounts.length, "account")}`, value: held } },
      { of: `token ${id}`, left: supply, right: { what: "its mints less its burns", value: made } },
    ];
  }

  async #vault(id: string): Promise<readonly Balance[]> {
    const vault = record(await this.#read("ledger.vault.get", { id }));
    const assets = list(await this.#read("ledger.vault.assets", { id }), "assets");
    const shares = assets.flatMap((asset) => list(asset["shares"] ?? []));
    const ids = vault["vaultTokenId"];
    const tokens = Array.isArray(ids) ? ids.filter((each) => typeof each === "string") : [];
    const balances: Balance[] = [];
    for (const tokenId of tokens) {
      const token = record(await this.#read("ledger.token.get", { id: tokenId }));
      const issued = sum(shares.filter((share) => share["tokenId"] === tokenId).map((share) => number(share["quantity"])));
      balances.push({
        of: `share token ${tokenId} of vault ${id}`,
        left: { what: "totalSupply", value: number(token["totalSupply"]) },
        right: { what: `what was issued for its ${count(assets.length, "asset")}`, value: issued },
      });
    }
    return balances;
  }

  async #sale(id: string): Promise<readonly Balance[]> {
    const { sale = null } = record(await this.#read("investor.sales.get", { tokenSaleId: id }));
    const bought: Decimal[] = [];
    for (const as of this.#check.as) {
      const transactions = list(record(await this.#read("investor.portfolio.transactions", {}, as))["transactions"] ?? []);
      for (const each of transactions) if (each["tokenSaleId"] === id) bought.push(number(each["tokenCount"]));
    }
    return [
      {
        of: `sale ${id}`,
        left: { what: "totalSoldTokens", value: number(record(sale)["totalSoldTokens"]) },
        right: { what: `the sum of ${count(bought.length, "purchase")}`, value: sum(bought) },
      },
    ];
  }

  async #read(name: string, input: JsonObject, as: ActorUse | undefined = this.#check.as[0]): Promise<Json> {
    const caller = callerOf(as, this.#context.scopeAt(this.#place));
    const result = await read(this.#context, { operation: operationNamed(name), input, caller, pages: LIMITS.pages });
    this.requests += result.requests;
    if (result.kind === "failed") throw new ReadFailed(result.problem);
    return result.payload;
  }
}

class ReadFailed extends Error {
  readonly problem: StepProblem;

  constructor(problem: StepProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

function record(value: Json): JsonObject {
  return isObject(value) ? value : {};
}

function list(value: Json, field?: string): readonly JsonObject[] {
  const found = field === undefined || Array.isArray(value) ? value : record(value)[field];
  return Array.isArray(found) ? found.filter(isObject) : [];
}

// A field that is missing is no zero.
function number(value: Json | undefined): Decimal {
  if (value instanceof Decimal) return value;
  throw new EvaluationFailure(`conserve: the service gave ${JSON.stringify(value ?? null)} where a quantity belongs`);
}

function amountOf(transactions: readonly JsonObject[], type: string, tokenId: string): Decimal {
  const details = transactions
    .filter((transaction) => typeof transaction["type"] === "string" && transaction["type"].toUpperCase() === type)
    .flatMap((transaction) => list(transaction["transactionDetails"] ?? []))
    .filter((detail) => detail["tokenId"] === tokenId);
  return sum(details.map((detail) => number(detail["amount"])));
}

function asJson({ of, left, right }: Balance): JsonObject {
  return { of, [left.what]: left.value, [right.what]: right.value };
}

function drift(broken: readonly Balance[]): StepProblem {
  const told = broken.map(({ of, left, right }) => {
    const difference = left.value.minus(right.value);
    return `${of}: ${left.what} is ${left.value.text}, ${right.what} ${right.value.text} (difference ${difference.text})`;
  });
  return { code: "conserve.differs", message: told.join("; "), evidence: broken.map(asJson) };
}
