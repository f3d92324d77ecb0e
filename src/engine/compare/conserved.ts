import { Decimal, sum } from "../../base/decimal.ts";
import { isObject, type Json, type JsonObject, shownJson } from "../../base/json.ts";
import { EvaluationFailure, type Scope } from "../../expression/expression.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { ActorUse, Conserve } from "../../playbook/model.ts";
import { bind } from "../../playbook/template.ts";
import type { Row, SideName } from "../../reconcile/row.ts";
import { callerOf } from "../caller.ts";
import type { Looking } from "../looking.ts";
import { rowsOf } from "./pages.ts";
import type { SourcePage, SourceRead } from "./source.ts";

/** What the two sides of a conserved quantity are called. */
export const CONSERVED_SIDES: Readonly<Record<Conserve["of"], Readonly<Record<SideName, string>>>> = {
  token: { left: "the token", right: "its accounts and transactions" },
  vault: { left: "its share tokens", right: "what was issued for its assets" },
  sale: { left: "the sale", right: "its purchases" },
};

/**
 * The read of a conserved quantity. Token: its supply is the sum of its accounts, and its mints less its burns; what was minted, as it says and
 * as they add up to, is no more than its cap. Vault: what its share tokens supply is what was issued for its assets. Sale: what it has sold is
 * what was bought, and no more than was on sale. Throws an EvaluationFailure where the id has no value.
 */
export function conservedRead(context: Looking, scope: Scope, conserve: Conserve): SourceRead {
  const id = bind(conserve.id, scope);
  if (typeof id !== "string") throw new EvaluationFailure(`conserve: ${conserve.of} must be the id of one`);
  const reader = new ConservedReader(context, scope, conserve);
  return {
    label: `${conserve.of} ${id}`,
    sides: ["left", "right"],
    fixed: [id],
    pages: () => reader.pages(id),
  };
}

const ZERO = Decimal.of(0);
const ONE = Decimal.of(1);

class ConservedReader {
  readonly #context: Looking;
  readonly #scope: Scope;
  readonly #conserve: Conserve;

  constructor(context: Looking, scope: Scope, conserve: Conserve) {
    this.#context = context;
    this.#scope = scope;
    this.#conserve = conserve;
  }

  pages(id: string): AsyncGenerator<SourcePage> {
    switch (this.#conserve.of) {
      case "token":
        return this.#token(id);
      case "vault":
        return this.#vault(id);
      case "sale":
        return this.#sale(id);
    }
  }

  async *#token(id: string): AsyncGenerator<SourcePage> {
    let [token, minted, cap]: [JsonObject, Decimal, Decimal | undefined] = [{}, ZERO, undefined];
    let page: SourcePage | undefined;
    const supply = this.#read("ledger.token.get", { id }, (answer) => {
      token = recordOf(id, answer);
      [minted, cap] = [numberIn(token, "totalMintedAmount"), capOf(token)];
      return supplyRows(id, token);
    });
    for await (page of supply) yield page;
    yield* this.#read("ledger.account.list", { tokenId: id }, (answer) => {
      const accounts = noneTwice("account", recordsIn(answer));
      return accounts.map((account) => balanceRow(id, account));
    });
    yield* this.#read("ledger.transaction.list", { tokenId: id }, (answer) => {
      const transactions = noneTwice("transaction", recordsIn(answer));
      const rows = transactions.flatMap((transaction) => movements(id, transaction));
      minted = greater(minted, mintedBy(rows));
      return rows;
    });
    // What was minted is known only now; it is held against the cap that the token has told.
    if (page?.kind === "rows" && cap !== undefined)
      yield { ...page, rows: within([id, "cap"], { value: minted, most: cap, record: token }), requests: 0 };
  }

  // The supplies are known only when the vault has named its tokens.
  async *#vault(id: string): AsyncGenerator<SourcePage> {
    let tokens: ReadonlyMap<string, number> = new Map();
    yield* this.#read("ledger.vault.get", { id }, (answer) => {
      const vault = recordOf(id, answer);
      tokens = timesOf(textsIn(vault, "vaultTokenId"));
      return [...tokens].flatMap(([token, times]) => once([id, `${token}, times named`], times, vault));
    });
    for (const token of tokens.keys()) {
      yield* this.#read("ledger.token.get", { id: token }, (answer) => {
        const record = recordOf(token, answer);
        return [
          left([id, token], numberIn(record, "totalSupply"), record),
          right([id, token], ZERO, null), // a share token of which nothing was issued supplies nothing
        ];
      });
    }
    yield* this.#read("ledger.vault.assets", { id }, (answer) => assetRows(id, recordsIn(recordIn(answer)["assets"] ?? [])));
  }

  async *#sale(id: string): AsyncGenerator<SourcePage> {
    yield* this.#read("investor.sales.get", { tokenSaleId: id }, (answer) =>
      saleRows(id, recordOf(id, recordIn(answer)["sale"] ?? null)),
    );
    const purchases = new Purchases(id);
    for (const as of this.#conserve.as) {
      yield* this.#read(
        "investor.portfolio.transactions",
        {},
        (answer) => purchases.rows(recordsIn(recordIn(answer)["transactions"] ?? [])),
        as,
      );
    }
  }

  #read(
    name: string,
    input: JsonObject,
    rows: (payload: Json) => readonly Row[],
    as: ActorUse | undefined = this.#conserve.as[0],
  ): AsyncGenerator<SourcePage, void> {
    const bound = { input, caller: callerOf(as, this.#scope) };
    return rowsOf(this.#context, { operation: operationNamed(name), bound }, rows);
  }
}

function supplyRows(id: string, token: JsonObject): readonly Row[] {
  const supply = numberIn(token, "totalSupply");
  return [
    left([id, "accounts"], supply, token),
    left([id, "transactions"], supply, token),
    right([id, "accounts"], ZERO, null), // a token without accounts has a supply of nothing
    right([id, "transactions"], ZERO, null),
  ];
}

// A token may be made without a cap, or with 0 for none; one that does not tell its behaviour may have one.
function capOf({ behaviour = null }: JsonObject): Decimal | undefined {
  if (!isObject(behaviour))
    throw new EvaluationFailure(`behaviour must tell the cap of the token, and is ${shownJson(behaviour)}`);
  const { maxMintQuantity: cap = null } = behaviour;
  if (cap === null) return undefined;
  if (!(cap instanceof Decimal))
    throw new EvaluationFailure(`behaviour.maxMintQuantity must be a number, and is ${shownJson(cap)}`);
  return cap.isZero() ? undefined : cap;
}

function balanceRow(id: string, account: JsonObject): Row {
  return told("account", account, () => {
    const token = textIn(account, "tokenId");
    if (token !== id) throw new EvaluationFailure(`it is of the token ${token}, and not of ${id}`);
    return right([id, "accounts"], numberIn(account, "balance"), account);
  });
}

function movements(id: string, transaction: JsonObject): readonly Row[] {
  return told("transaction", transaction, () => {
    const type = textIn(transaction, "type");
    const sign = SIGNS.get(type.toUpperCase());
    if (sign === undefined)
      throw new EvaluationFailure(`type must be ${[...SIGNS.keys()].join(", ")}, and is ${shownJson(type)}`);
    const details = recordsIn(transaction["transactionDetails"] ?? null, "transactionDetails");
    const own = details.filter((detail) => textIn(detail, "tokenId") === id);
    if (own.length === 0) throw new EvaluationFailure(`it moves nothing of the token ${id}`);
    if (sign === 0) return [];
    return own.map((detail) => {
      const amount = numberIn(detail, "amount");
      return right([id, "transactions"], sign < 0 ? amount.negated() : amount, transaction);
    });
  });
}

/** What a transaction does to the supply. */
const SIGNS: ReadonlyMap<string, -1 | 0 | 1> = new Map([
  ["MINT", 1],
  ["BURN", -1],
  ["TRANSFER", 0],
]);

function mintedBy(rows: readonly Row[]): Decimal {
  return sum(rows.flatMap(({ value }) => (value === null || value.isNegative() ? [] : [value])));
}

// An asset that is listed twice has been deposited once.
function assetRows(id: string, assets: readonly JsonObject[]): readonly Row[] {
  const times = timesOf(assets.map(assetName));
  const listed = new Map(assets.toReversed().map((asset) => [assetName(asset), asset]));
  return [...listed].flatMap(([name, asset]) => [
    ...recordsIn(asset["shares"] ?? null, `the shares of ${name}`).map((share) =>
      right([id, textIn(share, "tokenId")], numberIn(share, "quantity"), asset),
    ),
    ...once([id, `${name}, times listed`], times.get(name) ?? 1, asset),
  ]);
}

function assetName(asset: JsonObject): string {
  const identifier = recordIn(asset["identifier"] ?? null);
  const { docDefId: type } = identifier;
  return `asset ${typeof type === "string" ? `${type} ` : ""}${textIn(identifier, "id")}`;
}

/** The purchases of one sale, each counted once by whomever it is told. */
class Purchases {
  readonly #sale: string;
  readonly #known = new Map<string, Decimal>();

  constructor(sale: string) {
    this.#sale = sale;
  }

  rows(transactions: readonly JsonObject[]): readonly Row[] {
    return transactions.filter((transaction) => !isPayout(transaction)).flatMap((purchase) => this.#row(purchase));
  }

  #row(purchase: JsonObject): readonly Row[] {
    return told("transaction", purchase, () => {
      if (textIn(purchase, "tokenSaleId") !== this.#sale) return [];
      const [id, bought] = [textIn(purchase, "id"), numberIn(purchase, "tokenCount")];
      const known = this.#known.get(id);
      if (known?.equals(bought) === false) throw new EvaluationFailure(`it is listed twice, of ${known} and of ${bought}`);
      if (known !== undefined) return [];
      this.#known.set(id, bought);
      return [right([this.#sale, "purchases"], bought, purchase)];
    });
  }
}

function isPayout({ payoutId = null, type = null }: JsonObject): boolean {
  return (payoutId !== null && payoutId !== "") || (typeof type === "string" && type.toUpperCase() === "PAYOUT");
}

function saleRows(id: string, sale: JsonObject): readonly Row[] {
  const sold = numberIn(sale, "totalSoldTokens");
  return [
    left([id, "purchases"], sold, sale),
    right([id, "purchases"], ZERO, null), // a sale that nobody has bought of has sold nothing
    ...within([id, "on sale"], { value: sold, most: numberIn(sale, "tokenCountOnSale"), record: sale }),
  ];
}

function once(key: readonly string[], times: number, record: Json): readonly Row[] {
  return times === 1 ? [] : within(key, { value: Decimal.of(times), most: ONE, record });
}

// What is at most so much is held against the lesser of both: they are the same unless it is more.
function within(
  key: readonly string[],
  { value, most, record }: { value: Decimal; most: Decimal; record: Json },
): readonly Row[] {
  return [left(key, value, record), right(key, value.compare(most) > 0 ? most : value, record)];
}

function left(key: readonly string[], value: Decimal, record: Json): Row {
  return { side: "left", key, value, at: undefined, record };
}

function right(key: readonly string[], value: Decimal, record: Json): Row {
  return { side: "right", key, value, at: undefined, record };
}

function recordIn(value: Json): JsonObject {
  return isObject(value) ? value : {};
}

/** The record of an id, which an answer must be: of another one it says nothing. */
function recordOf(id: string, answer: Json): JsonObject {
  const record = recordIn(answer);
  const given = textIn(record, "id");
  if (given === id) return record;
  throw new EvaluationFailure(`the service was asked for ${id} and gave ${given}`);
}

function recordsIn(value: Json, name = "the answer"): readonly JsonObject[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw new EvaluationFailure(`${name} must be a list of records, and is ${shownJson(value)}`);
}

function noneTwice(what: string, records: readonly JsonObject[]): readonly JsonObject[] {
  for (const [id, times] of timesOf(records.map((record) => textIn(record, "id"))))
    if (times > 1) throw new EvaluationFailure(`${what} ${id} is listed ${times} times`);
  return records;
}

function timesOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return times;
}

// What keeps a record from being counted is told with its id.
function told<T>(what: string, { id = null }: JsonObject, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    throw new EvaluationFailure(`${what} ${typeof id === "string" ? id : shownJson(id)}: ${error.message}`);
  }
}

function greater(one: Decimal, other: Decimal): Decimal {
  return one.compare(other) > 0 ? one : other;
}

function textIn(record: JsonObject, field: string): string {
  const value = record[field];
  if (typeof value === "string") return value;
  throw new EvaluationFailure(`${field} must be a text, and is ${shownJson(value)}`);
}

function textsIn(record: JsonObject, field: string): readonly string[] {
  const value = record[field];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new EvaluationFailure(`${field} must be a list of texts, and is ${shownJson(value)}`);
}

// A field that is missing is no zero.
function numberIn(record: JsonObject, field: string): Decimal {
  const value = record[field];
  if (value instanceof Decimal) return value;
  throw new EvaluationFailure(`${field} must be a number, and is ${shownJson(value)}`);
}
