import { DAY_MS, isoTime } from "../../base/time/date.ts";
import type { Database } from "../../sqlite/database.ts";
import { newApiKey } from "../ids.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { InvestorToken, PayoutTerms, Sale } from "../store/investor-resources.ts";
import { writeSettings, type Settings } from "../store/settings.ts";
import { World } from "../store/world.ts";
import { exact, exactFields } from "./amount.ts";
import { plantLedger } from "./plant-ledger.ts";
import { assetTypeName } from "./read.ts";
import type { Amount, Seed, SeedInvestor, SeedPayouts, SeedSale, SeedToken } from "./seed.ts";

/** The profile and the time for filling a file. */
type Planting = Pick<LedgerCall, "profile" | "now">;

/** Fills an empty file inside the transaction that creates its tables. Throws a Failure if the seed breaks a rule of the service. */
export function plant(database: Database, seed: Seed, { profile, now }: Planting): void {
  const world = new World(database);
  const investors = seed.investors.map((investor) => ({ ...investor, apiKey: investor.apiKey ?? newApiKey() }));
  const settings = settingsOf(seed, investors);
  writeSettings(database, settings);
  for (const investor of investors) plantInvestor(world, investor, daysFrom(now, 0));
  for (const token of seed.tokens) world.put("investorToken", { id: token.id }, investorToken(token));
  for (const sale of seed.sales) world.put("sale", { id: sale.id, scope: sale.tokenId }, saleOf(sale, now));
  plantLedger(seed.ledger ?? {}, { world, profile, settings, now });
}

type KeyedInvestor = SeedInvestor & Required<Pick<SeedInvestor, "apiKey">>;

function settingsOf(seed: Seed, investors: readonly KeyedInvestor[]): Settings {
  const { orgId, appId, storeId, ledgerApiKey = newApiKey(), cutOff = [] } = seed;
  const withReferences = seed.assetTypes.filter((type) => typeof type !== "string");
  return {
    orgId,
    appId,
    storeId,
    ledgerApiKey,
    ledgerEntity: { ...seed.ledgerEntity, orgId },
    cutOff: cutOff.map((entity) => ({ ...entity, orgId })),
    assetTypes: seed.assetTypes.map(assetTypeName),
    references: Object.fromEntries(withReferences.map(({ name, references = {} }) => [name, references])),
    credentials: Object.fromEntries(investors.map(({ name, apiKey }) => [name, apiKey])),
  };
}

function plantInvestor(world: World, seed: KeyedInvestor, at: string): void {
  const { name, apiKey, userId, country, accredited = false, revoked = false } = seed;
  const kyc =
    country === undefined ? {} : { kyc: { id: `kyc-${userId}`, country: countryCode(country), createdAt: at, updatedAt: at } };
  world.put("investor", { id: apiKey }, { name, userId, accredited, revoked, ...kyc });
}

function investorToken({ assetCategory, propertyType, price, totalTokenCount, payouts, ...token }: SeedToken): InvestorToken {
  return {
    ...token,
    assetCategoryText: assetCategory,
    propertyTypeText: propertyType,
    price: exact(price),
    totalTokenCount: exact(totalTokenCount),
    ...(payouts === undefined ? {} : { payouts: termsOf(payouts) }),
  };
}

function termsOf({ yearlyInterest, periods, monthsApart, frequencyType }: SeedPayouts): PayoutTerms {
  return { yearlyInterest: exact(yearlyInterest), periods: exact(periods), monthsApart: exact(monthsApart), frequencyType };
}

function saleOf(seed: SeedSale, now: number): Sale {
  const { id, tokenId, name, description, timezone, excludedCountries = [], requiresAccreditation = false } = seed;
  const { images = [], documents = [] } = seed;
  const startDay = exact(seed.startDay).approximate();
  return {
    id,
    tokenId,
    name,
    description,
    timezone,
    requiresAccreditation,
    excludedCountries: excludedCountries.map(countryCode),
    startDate: daysFrom(now, startDay),
    endDate: daysFrom(now, exact(seed.endDay).approximate()),
    payoutStartDate: daysFrom(now, exact(seed.payoutStartDay).approximate()),
    createdAt: daysFrom(now, Math.min(0, startDay)),
    updatedAt: daysFrom(now, 0),
    tokenCountOnSale: exact(seed.tokenCountOnSale),
    totalSoldTokens: exact(seed.totalSoldTokens),
    softCap: exact(seed.softCap),
    expectedReturns: exact(seed.expectedReturns),
    ...exactFields(seed, ["maximumPerUser"]),
    images: images.map((image) => ({ ...image, size: exact(image.size) })),
    documents: documents.map((document) => ({ ...document, size: exact(document.size), order: exact(document.order) })),
  };
}

// The service compares country codes as numbers: 36 and 036 are the same country.
function countryCode(code: Amount): string {
  return String(code).replace(/^0+(?=\d)/, "");
}

function daysFrom(now: number, days: number): string {
  return isoTime(now + Math.round(days * DAY_MS));
}
