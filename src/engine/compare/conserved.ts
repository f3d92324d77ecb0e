import { Decimal } from "../../base/decimal.ts";
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
 * The read of a conserved quantity. Token: its supply is the sum of its accounts, and its mints less its burns; what was minted is no more than
 * its cap. Vault: what its share tokens supply is what was issued for its assets. Sale: what it has sold is what was bought, and no more than
 * was on sale. Throws an EvaluationFailure where the id has no value.
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
    yield* this.#read("ledger.token.get", { id }, (token) => tokenRows(id, recordIn(token)));
    yield* this.#read("ledger.account.list", { tokenId: id }, (accounts) =>
      listIn(accounts).map((account) => right([id, "accounts"], numberIn(account, "balance"), account)),
    );
    yield* this.#read("ledger.transaction.list", { tokenId: id }, (transactions) =>
      listIn(transactions).flatMap((transaction) => movements(id, transaction)),
    );
  }

  // The supplies are known only when the vault has named its tokens.
  async *#vault(id: string): AsyncGenerator<SourcePage> {
    let tokens: readonly string[] = [];
    yield* this.#read("ledger.vault.get", { id }, (vault) => {
      tokens = textsIn(recordIn(vault), "vaultTokenId");
      return [];
    });
    for (const token of tokens) {
      yield* this.#read("ledger.token.get", { id: token }, (record) => [
        left([id, token], numberIn(recordIn(record), "totalSupply"), record),
        right([id, token], Decimal.of(0), null), // a share token of which nothing was issued supplies nothing
      ]);
    }
    yield* this.#read("ledger.vault.assets", { id }, (answer) => sharesIn(id, recordIn(answer)));
  }

  async *#sale(id: string): AsyncGenerator<SourcePage> {
    yield* this.#read("investor.sales.get", { tokenSaleId: id }, (answer) =>
      saleRows(id, recordIn(recordIn(answer)["sale"] ?? null)),
    );
    for (const as of this.#conserve.as) {
      yield* this.#read(
        "investor.portfolio.transactions",
        {},
        (answer) =>
          listIn(recordIn(answer)["transactions"] ?? [])
            .filter((purchase) => purchase["tokenSaleId"] === id)
            .map((purchase) => right([id, "purchases"], numberIn(purchase, "tokenCount"), purchase)),
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

function tokenRows(id: string, token: JsonObject): readonly Row[] {
  const supply = numberIn(token, "totalSupply");
  const minted = numberIn(token, "totalMintedAmount");
  const cap = recordIn(token["behaviour"] ?? null)["maxMintQuantity"];
  const isCapped = cap instanceof Decimal && !cap.isZero();
  return [
    left([id, "accounts"], supply, token),
    left([id, "transactions"], supply, token),
    right([id, "accounts"], Decimal.of(0), null), // a token without accounts has a supply of nothing
    right([id, "transactions"], Decimal.of(0), null),
    ...(isCapped ? within([id, "cap"], { value: minted, most: cap, record: token }) : []),
  ];
}

function movements(id: string, transaction: JsonObject): readonly Row[] {
  const type = transaction["type"];
  const sign = typeof type === "string" ? SIGNS[type.toUpperCase()] : undefined;
  if (sign === undefined) return [];
  return listIn(transaction["transactionDetails"] ?? [])
    .filter((detail) => detail["tokenId"] === id)
    .map((detail) => {
      const amount = numberIn(detail, "amount");
      return right([id, "transactions"], sign < 0 ? amount.negated() : amount, transaction);
    });
}

const SIGNS: Readonly<Record<string, number>> = { MINT: 1, BURN: -1 };

function sharesIn(id: string, answer: JsonObject): readonly Row[] {
  return listIn(answer["assets"] ?? []).flatMap((asset) =>
    listIn(asset["shares"] ?? []).map((share) => right([id, textIn(share, "tokenId")], numberIn(share, "quantity"), asset)),
  );
}

function saleRows(id: string, sale: JsonObject): readonly Row[] {
  const sold = numberIn(sale, "totalSoldTokens");
  return [
    left([id, "purchases"], sold, sale),
    right([id, "purchases"], Decimal.of(0), null), // a sale that nobody has bought of has sold nothing
    ...within([id, "on sale"], { value: sold, most: numberIn(sale, "tokenCountOnSale"), record: sale }),
  ];
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

function listIn(value: Json): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
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
