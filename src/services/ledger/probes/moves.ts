import { Decimal } from "../../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "../../../base/json/json.ts";
import { isMasked } from "../../../base/secret.ts";
import type { OperationName } from "../../../contract/contract.ts";
import type { OtherWrite } from "../../probe.ts";
import { field, listOf, number, recordsIn, text } from "../../../base/json/parts.ts";
import { present } from "../../../base/present.ts";
import { maybeSameId } from "../../same-id.ts";
import { type Match, partyMatch, worst } from "../../probes/match.ts";

// What each write moves, and whether the record of a movement can belong to it. The same question is asked for the write whose answer was
// lost and for every other write of the run. So a record that several writes could have left proves none of them (decision 203).

/** One movement that a write makes. */
export interface Move {
  /** The service's word for the kind of movement. */
  readonly type: "MINT" | "BURN" | "TRANSFER";
  /** The token that is moved. */
  readonly tokenId: Json;
  /** The sender; undefined if there is none. */
  readonly from?: Json;
  /** The receiver; undefined if there is none. */
  readonly to?: Json;
  /** How much is moved; undefined for any amount. */
  readonly amount?: Decimal;
  /** The possible ids of the moved unit, empty if none is known; undefined for an amount. */
  readonly units?: readonly string[];
}

/** The writes that move tokens, with the movements of each. */
const MOVES: Partial<Readonly<Record<OperationName, (item: JsonObject, key?: string) => readonly Move[]>>> = {
  "ledger.token.mint": ({ id = null, to = null, value, nftData }, key) => [
    { type: "MINT", tokenId: id, to, ...(nftData === undefined ? amountOf(value) : { units: unitsIn(nftData, key) }) },
  ],
  "ledger.token.burn": ({ id = null, from = null, value, assetId }) => [
    { type: "BURN", tokenId: id, from, ...(assetId === undefined ? amountOf(value) : { units: unitNamed(assetId) }) },
  ],
  "ledger.erc1155.safeTransferFrom": moveOf,
  "ledger.erc1155.safeBatchTransferFrom": (input) => transfersIn(input).flatMap(moveOf),
  // A vault may add up the shares of several assets, and a withdrawal names no quantity.
  "ledger.vault.deposit": (item) =>
    sharesIn(item).map(({ tokenId = null, receiver = null }) => ({ type: "MINT", tokenId, to: receiver })),
  "ledger.vault.withdraw": (item) =>
    sharesIn(item).map(({ tokenId = null, payer = null }) => ({ type: "BURN", tokenId, from: payer })),
};

/** Returns the movements of a write; none if it moves no tokens. `key`: the field of a new unit's data that is its id, if that is known. */
export function movesOf({ operation, input }: Pick<OtherWrite, "operation" | "input">, key?: string): readonly Move[] {
  const moves = MOVES[operation as OperationName];
  return moves === undefined ? [] : itemsIn(input).flatMap((item) => moves(item, key));
}

/** The operations that move tokens. */
export const MOVING_OPERATIONS: readonly string[] = Object.keys(MOVES);

function moveOf({ id = null, from = null, to = null, value, data }: JsonObject): readonly Move[] {
  const unit = field(data, "assetId");
  return [{ type: "TRANSFER", tokenId: id, from, to, ...(unit === undefined ? amountOf(value) : { units: unitNamed(unit) }) }];
}

/** Returns the transfers of a batch, each as the input of a single transfer. */
export function transfersIn({ ids, values, data, ...parties }: JsonObject): readonly JsonObject[] {
  if (ids === undefined) return [{ ...parties, ...present({ values, data }) }];
  const [tokens, amounts, units] = [listOf(ids), listOf(values), listOf(field(data, "assetIds"))];
  // Units are listed separately from their tokens. If the counts agree, they belong to the tokens that can have units.
  const single = [...tokens.keys()].filter((at) => number(amounts[at] ?? ONE)?.equals(ONE) === true);
  const unitAt = new Map(single.map((at, nth) => [at, single.length === units.length ? (units[nth] ?? "") : ""]));
  return tokens.map((id, at) => {
    const unit = units.length === 0 ? undefined : unitAt.get(at);
    return { ...parties, id, ...(unit === undefined ? { value: amounts[at] ?? null } : { data: { assetId: unit } }) };
  });
}

const ONE = Decimal.of(1);

// Items that add to the same total may have been combined before.
function itemsIn(input: JsonObject): readonly JsonObject[] {
  const { parts, items = parts, ...shared } = input;
  return items === undefined ? [input] : recordsIn(items).map((item) => ({ ...shared, ...item }));
}

function sharesIn({ assets = null }: JsonObject): readonly JsonObject[] {
  const list = Array.isArray(assets) ? recordsIn(assets) : recordsIn([assets]);
  return list.flatMap(({ shares }) => recordsIn(shares));
}

function amountOf(value: Json | undefined): Pick<Move, "amount"> {
  return present({ amount: number(value) });
}

// Only the token's definition says which field is the id, and no reading shows the definition.
function unitsIn(data: Json, key: string | undefined): readonly string[] {
  if (!isObject(data)) return [];
  return key === undefined ? Object.values(data).flatMap(unitNamed) : unitNamed(data[key]);
}

/** Returns the field of a unit's data that is its id, if the run itself has defined the token. */
export function keyFieldOf(tokenId: Json | undefined, earlier: readonly OtherWrite[]): string | undefined {
  const keys = definitionsOf(tokenId, earlier).flatMap(({ nftFields }) => (nftFields === undefined ? [] : [keysIn(nftFields)]));
  const [name, ...more] = new Set(keys.map(([key, ...others]) => (others.length > 0 ? undefined : text(key?.["name"]))));
  return more.length > 0 ? undefined : name;
}

/**
 * Returns whether the run itself has defined the token without a field that is the id of a unit. Then the service may choose the id of each
 * unit, and need not refuse a second one with the same data.
 */
export function isKeyless(tokenId: Json | undefined, earlier: readonly OtherWrite[]): boolean {
  const definitions = definitionsOf(tokenId, earlier);
  return definitions.length > 0 && definitions.every(({ nftFields }) => keysIn(nftFields).length === 0);
}

function definitionsOf(tokenId: Json | undefined, earlier: readonly OtherWrite[]): readonly JsonObject[] {
  return earlier.flatMap(({ operation, input }) => {
    const isCreation = operation === "ledger.token.create";
    if (!isCreation && operation !== "ledger.token.update") return [];
    return itemsIn(input).filter(
      ({ id = null, nftFields }) => (isCreation || nftFields !== undefined) && maybeSameId(id, tokenId ?? null),
    );
  });
}

function keysIn(nftFields: Json | undefined): readonly JsonObject[] {
  return recordsIn(nftFields).filter((each) => each["isPrimaryKey"] === true);
}

function unitNamed(value: Json | undefined): readonly string[] {
  return [unitId(value) ?? []].flat();
}

/** Returns the id of a unit, which may be a text or a number; `undefined` if it has none. */
export function unitId(value: Json | undefined): string | undefined {
  return text(value) ?? number(value)?.canonical();
}

/** What a record shows of one movement. */
export interface ShownMovement {
  /** Who made the movement, as the service writes it; undefined if the record does not say. */
  readonly by: Json | undefined;
  /** The sender, as the service writes it; undefined if the record names none. */
  readonly from: Json | undefined;
  /** The receiver, as the service writes it; undefined if the record names none. */
  readonly to: Json | undefined;
  /** How much was moved; undefined if the record does not say. */
  readonly amount: Decimal | undefined;
  /** The kind of the transaction, such as `MINT`; undefined if the record does not say. */
  readonly type: Json | undefined;
  /** The moved unit; `undefined` for an amount. */
  readonly unit: string | undefined;
}

/** Returns whether the record of a movement belongs to this move by this entity; `undefined` means that the actor is unknown. */
export function matchOf(movement: ShownMovement, move: Move, actor: JsonObject | undefined): Match {
  const { type, to, from, amount, units } = move;
  return worst([
    matchOfType(movement.type, type),
    partyMatch(movement.by, actor),
    to === undefined ? "yes" : partyMatch(movement.to, to),
    // The description has no field for the sender.
    from === undefined || !isObject(movement.from) ? "yes" : partyMatch(movement.from, from),
    amount === undefined ? "yes" : matchOfAmount(movement.amount, amount),
    units === undefined ? "yes" : matchOfUnit(movement.unit, units),
  ]);
}

const WORDS: ReadonlySet<Json | undefined> = new Set<Move["type"]>(["MINT", "BURN", "TRANSFER"]);

/** Returns whether a record's word can mean this type. The description shows only the word for a mint. */
export function matchOfType(there: Json | undefined, type: Move["type"]): Match {
  if (there === type) return "yes";
  return WORDS.has(there) ? "no" : "maybe";
}

function matchOfAmount(there: Decimal | undefined, amount: Decimal): Match {
  if (there === undefined) return "maybe";
  return there.equals(amount) ? "yes" : "no";
}

function matchOfUnit(there: string | undefined, units: readonly string[]): Match {
  if (there === undefined || units.length === 0 || units.some(isMasked)) return "maybe";
  return units.includes(there) ? "yes" : "no";
}
