import { Decimal, sum } from "../../base/numbers/decimal.ts";
import { isObject, type JsonObject, shownJson } from "../../base/json/json.ts";
import {
  type Conserved,
  type ConservedReads,
  type ConservedRow,
  counted,
  Ids,
  left,
  notBelowZero,
  numberIn,
  once,
  recordIn,
  recordOf,
  recordsIn,
  right,
  textIn,
  textsIn,
  timesOf,
  Uncounted,
  within,
  ZERO,
} from "../conserved.ts";

/**
 * The supply of a token is the sum of its accounts, and also its mints minus its burns. Its minted total is the sum of its mints, and at most its
 * cap.
 */
export const tokenConserved: Conserved = {
  law: "A token: supply = sum of accounts = mints - burns; minted total = mints.",
  sides: { left: "the token", right: "its accounts and transactions" },
  key: ["token", "rule"],
  reads: ["ledger.token.get", "ledger.account.list", "ledger.transaction.list"],
  seenByOwners: false,
  pages: tokenPages,
};

async function* tokenPages<Page>(id: string, reads: ConservedReads<Page>): AsyncGenerator<Page, void> {
  let [token, minted, cap]: [JsonObject, Decimal, Decimal | undefined] = [{}, ZERO, undefined];
  let page: Page | undefined;
  const supply = reads.read("ledger.token.get", { id }, (answer) => {
    token = recordOf(id, answer);
    [minted, cap] = [numberIn(token, "totalMintedAmount"), capOf(token)];
    return supplyRows(id, token);
  });
  for await (page of supply) yield page;
  const accounts = new Ids("account");
  yield* reads.read("ledger.account.list", { tokenId: id }, (answer) =>
    accounts.add(recordsIn(answer)).flatMap((account) => balanceRows(id, account)),
  );
  const transactions = new Ids("transaction");
  let added = ZERO;
  yield* reads.read("ledger.transaction.list", { tokenId: id }, (answer) => {
    const rows = transactions.add(recordsIn(answer)).flatMap((transaction) => movements(id, transaction));
    added = sum([added, ...rows.filter(isMinted).map(({ value }) => value)]);
    return rows;
  });
  // The sum of the mints is known only after the last page.
  if (page !== undefined) yield* reads.later(page, mintedRows(id, { token, minted, added, cap }));
}

interface Minted {
  readonly token: JsonObject;
  /** The minted total according to the token. */
  readonly minted: Decimal;
  /** The sum of its mints. */
  readonly added: Decimal;
  readonly cap: Decimal | undefined;
}

// Probes of lost mints rely on this rule too.
function mintedRows(id: string, { token, minted, added, cap }: Minted): readonly ConservedRow[] {
  const most = added.compare(minted) > 0 ? added : minted;
  return [
    left([id, "minted"], minted, token),
    right([id, "minted"], added, token),
    ...(cap === undefined ? [] : within([id, "minted, at most the cap"], { value: most, most: cap, record: token })),
  ];
}

function supplyRows(id: string, token: JsonObject): readonly ConservedRow[] {
  const supply = numberIn(token, "totalSupply");
  return [
    left([id, "accounts"], supply, token),
    left([id, "transactions"], supply, token),
    right([id, "accounts"], ZERO, null), // a token without accounts has a supply of zero
    right([id, "transactions"], ZERO, null),
  ];
}

// A token may be created without a cap, or with 0 for no cap. A token whose behaviour is not shown may have one.
function capOf({ behaviour = null }: JsonObject): Decimal | undefined {
  if (!isObject(behaviour)) throw new Uncounted(`behaviour must have the cap of the token, and is ${shownJson(behaviour)}`);
  const { maxMintQuantity: cap = null } = behaviour;
  if (cap === null) return undefined;
  if (!(cap instanceof Decimal)) throw new Uncounted(`behaviour.maxMintQuantity must be a number, and is ${shownJson(cap)}`);
  return cap.isZero() ? undefined : cap;
}

function balanceRows(id: string, account: JsonObject): readonly ConservedRow[] {
  return counted("account", account, () => {
    const token = textIn(account, "tokenId");
    if (token !== id) throw new Uncounted(`it belongs to the token ${token}, not to ${id}`);
    const balance = numberIn(account, "balance");
    return [
      right([id, "accounts"], balance, account),
      ...notBelowZero([id, `account ${textIn(account, "id")}`], balance, account),
    ];
  });
}

function movements(id: string, transaction: JsonObject): readonly ConservedRow[] {
  return counted("transaction", transaction, () => {
    const type = textIn(transaction, "type");
    const sign = SIGNS.get(type.toUpperCase());
    if (sign === undefined) throw new Uncounted(`type must be ${[...SIGNS.keys()].join(", ")}, and is ${shownJson(type)}`);
    const details = recordsIn(transaction["transactionDetails"] ?? null, "transactionDetails");
    const own = details.filter((detail) => textIn(detail, "tokenId") === id);
    if (own.length === 0) throw new Uncounted(`it moves nothing of the token ${id}`);
    if (sign === 0) return [];
    return own.flatMap((detail) => {
      const amount = numberIn(detail, "amount");
      return [
        right([id, "transactions"], sign < 0 ? amount.negated() : amount, transaction),
        ...notBelowZero([id, `transaction ${textIn(transaction, "id")}`], amount, transaction),
      ];
    });
  });
}

function isMinted({ key: [, rule], record }: ConservedRow): boolean {
  return rule === "transactions" && SIGNS.get(textIn(recordIn(record), "type").toUpperCase()) === 1;
}

/** The effect of each type of transaction on the supply. */
const SIGNS: ReadonlyMap<string, -1 | 0 | 1> = new Map([
  ["MINT", 1],
  ["BURN", -1],
  ["TRANSFER", 0],
]);

/** The supply of a vault's share tokens is the quantity issued for its assets. */
export const vaultConserved: Conserved = {
  law: "A vault: its share tokens' supply = what was issued for its assets.",
  sides: { left: "its share tokens", right: "what was issued for its assets" },
  key: ["vault", "token"],
  reads: ["ledger.vault.get", "ledger.vault.assets", "ledger.token.get"],
  seenByOwners: false,
  pages: vaultPages,
};

// The supplies can be read only after the vault has named its tokens.
async function* vaultPages<Page>(id: string, reads: ConservedReads<Page>): AsyncGenerator<Page, void> {
  let tokens: ReadonlyMap<string, number> = new Map();
  yield* reads.read("ledger.vault.get", { id }, (answer) => {
    const vault = recordOf(id, answer);
    tokens = timesOf(textsIn(vault, "vaultTokenId"));
    return [...tokens].flatMap(([token, times]) => once([id, `${token}, times named`], times, vault));
  });
  for (const token of tokens.keys()) {
    yield* reads.read("ledger.token.get", { id: token }, (answer) => {
      const record = recordOf(token, answer);
      return [
        left([id, token], numberIn(record, "totalSupply"), record),
        right([id, token], ZERO, null), // a share token that was never issued has no supply
      ];
    });
  }
  yield* reads.read("ledger.vault.assets", { id }, (answer) => assetRows(id, recordsIn(recordIn(answer)["assets"] ?? [])));
}

// An asset that is listed twice was deposited once. If the two listings differ, we cannot know which is right.
function assetRows(id: string, assets: readonly JsonObject[]): readonly ConservedRow[] {
  return [...Map.groupBy(assets, assetName)].flatMap(([name, [asset = {}, ...others]]) => {
    const shares = sharesOf(name, asset);
    const unlike = others.map((other) => wordsOf(sharesOf(name, other))).find((words) => words !== wordsOf(shares));
    if (unlike !== undefined) throw new Uncounted(`${name} is listed twice, with ${wordsOf(shares)} and with ${unlike}`);
    return [
      ...shares.flatMap(({ token, quantity }) => [
        right([id, token], quantity, asset),
        ...notBelowZero([id, `${token} of ${name}`], quantity, asset),
      ]),
      ...once([id, `${name}, times listed`], 1 + others.length, asset),
    ];
  });
}

/** One of the quantities that were issued for an asset. */
interface Share {
  readonly token: string;
  readonly quantity: Decimal;
}

function sharesOf(name: string, { shares = null }: JsonObject): readonly Share[] {
  return recordsIn(shares, `the shares of ${name}`).map((share) => ({
    token: textIn(share, "tokenId"),
    quantity: numberIn(share, "quantity"),
  }));
}

function wordsOf(shares: readonly Share[]): string {
  const words = shares.map(({ token, quantity }) => `${quantity.canonical()} of ${token}`).toSorted();
  return words.length === 0 ? "no shares" : words.join(", ");
}

function assetName(asset: JsonObject): string {
  const identifier = recordIn(asset["identifier"] ?? null);
  const { docDefId: type } = identifier;
  return `asset ${typeof type === "string" ? `${type} ` : ""}${textIn(identifier, "id")}`;
}
