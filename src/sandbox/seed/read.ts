import schema from "../../../schemas/seed.schema.json" with { type: "json" };
import { Decimal, sum } from "../../base/numbers/decimal.ts";
import type { Failure } from "../../base/failure.ts";
import { demandShape, type DocumentPath, type DocumentShape, wrongAt } from "../shape.ts";
import { exact } from "./amount.ts";
import { DEFAULT_SEED } from "./default.ts";
import type { Seed, SeedSale, SeedToken } from "./seed.ts";

const TODAY = Decimal.of(0);

/** The name and code of failures about a seed. */
export const SEED: DocumentShape = { name: "the seed", code: "sandbox.seed-invalid", schema };

/**
 * Reads a seed from a parsed value, such as that of a YAML file. Missing parts come from the default seed, but tokens without sales get none. Throws a Failure
 * that names the wrong place.
 */
export function readSeed(value: unknown): Seed {
  demandShape(value, SEED);
  const given = value as Partial<Seed>;
  const sales = given.sales ?? (given.tokens === undefined ? DEFAULT_SEED.sales : []);
  const seed: Seed = { ...DEFAULT_SEED, ...given, sales };
  demandDistinct(seed);
  demandKnownTypes(seed);
  for (const [at, sale] of seed.sales.entries()) demandSale(seed, sale, ["sales", at]);
  for (const [at, token] of seed.tokens.entries()) demandSupply(seed, token, ["tokens", at]);
  return seed;
}

/** Returns the name of an asset type. */
export function assetTypeName(type: Seed["assetTypes"][number]): string {
  return typeof type === "string" ? type : type.name;
}

function demandDistinct({ assetTypes, investors, tokens, sales }: Seed): void {
  const named: readonly (readonly [list: string, names: readonly string[]])[] = [
    ["assetTypes", assetTypes.map(assetTypeName)],
    ["investors", investors.map(({ name }) => name)],
    ["investors", investors.flatMap(({ apiKey }) => apiKey ?? [])],
    ["tokens", tokens.map(({ id }) => id)],
    ["sales", sales.map(({ id }) => id)],
  ];
  for (const [list, names] of named) {
    const again = names.findIndex((name, at) => names.indexOf(name) !== at);
    if (again >= 0) throw wrong([list, again], `${names[again]} is there twice`, "leave out one of them, or name it otherwise");
  }
}

function demandKnownTypes({ assetTypes }: Seed): void {
  const known = assetTypes.map(assetTypeName);
  for (const [at, type] of assetTypes.entries()) {
    const references = typeof type === "string" ? {} : (type.references ?? {});
    for (const [field, target] of Object.entries(references)) {
      if (!known.includes(target))
        throw wrong(["assetTypes", at, "references", field], `there is no asset type ${target}`, `known: ${known.join(", ")}`);
    }
  }
}

function demandSale({ tokens }: Seed, sale: SeedSale, path: DocumentPath): void {
  const { tokenId, startDay, endDay, tokenCountOnSale, totalSoldTokens } = sale;
  const known = tokens.map(({ id }) => id);
  if (!known.includes(tokenId)) throw wrong([...path, "tokenId"], `there is no token ${tokenId}`, `known: ${known.join(", ")}`);
  if (exact(endDay).compare(exact(startDay)) <= 0) throw wrong([...path, "endDay"], "the sale ends before it begins");
  const soldOut = exact(totalSoldTokens).compare(exact(tokenCountOnSale)) > 0;
  if (soldOut) throw wrong([...path, "totalSoldTokens"], `more is sold than the ${tokenCountOnSale} on sale`);
}

function demandSupply({ sales }: Seed, { id, totalTokenCount }: SeedToken, path: DocumentPath): void {
  const given = sum(sales.filter(({ tokenId }) => tokenId === id).map(takenBy));
  if (given.compare(exact(totalTokenCount)) > 0)
    throw wrong([...path, "totalTokenCount"], `its sales have ${given}, more than the ${totalTokenCount} that there are`);
}

// Tokens that an ended sale did not sell may be on sale again.
function takenBy({ endDay, totalSoldTokens, tokenCountOnSale }: SeedSale): Decimal {
  return exact(exact(endDay).compare(TODAY) <= 0 ? totalSoldTokens : tokenCountOnSale);
}

/** Returns the failure about one wrong value of a seed. */
export function wrong(path: DocumentPath, message: string, fix?: string): Failure {
  return wrongAt(SEED, path, message, fix);
}
