import { expect, test } from "vitest";
import { Zone } from "../../src/sandbox/investor/zone.ts";
import { readSeed } from "../../src/sandbox/sandbox.ts";
import { DEFAULT_SEED } from "../../src/sandbox/seed/default.ts";
import { sandboxForTest } from "./caller.ts";

const zone = (name: string): Zone => {
  const found = Zone.named(name);
  if (found === undefined) throw new RangeError(name);
  return found;
};
const iso = (ms: number): string => new Date(ms).toISOString();

test("months are added in the local time of a timezone", () => {
  const later = (name: string, from: string, months: number): string => iso(zone(name).plusMonths(Date.parse(from), months));
  expect(later("UTC", "2026-01-31T12:00:00.123Z", 1)).toBe("2026-02-28T12:00:00.123Z");
  expect(later("Europe/Lisbon", "2026-01-15T12:00:00.000Z", 6)).toBe("2026-07-15T11:00:00.000Z");
  expect(later("America/New_York", "2026-03-01T03:30:00.000Z", 1)).toBe("2026-03-29T02:30:00.000Z");
  expect(later("Pacific/Kiritimati", "2026-01-30T23:00:00.000Z", 1)).toBe("2026-02-27T23:00:00.000Z");
  expect(iso(zone("Asia/Kolkata").instantOf(Date.parse("2026-05-01T00:00:00Z")))).toBe("2026-04-30T18:30:00.000Z");
  expect(Zone.named("Europe/Atlantis")).toBeUndefined();
});

test("payouts are due at the same time of day in the user's timezone", async () => {
  const { investor } = await sandboxForTest();
  const dates = async (query: Record<string, string>) => {
    const { body } = await investor("GET /payouts/store1/token/tokenSolar/sale/saleDebt1/schedule", { query });
    return body.response.schedules.map(({ payoutDate }: { payoutDate: string }) => payoutDate) as string[];
  };
  const [utc, newYork] = [await dates({}), await dates({ timezone: "America/New_York" })];
  const hours = (all: string[], timeZone: string) =>
    new Set(all.map((date) => new Intl.DateTimeFormat("en", { timeStyle: "medium", timeZone }).format(new Date(date))));
  expect(hours(utc, "UTC").size).toBe(1);
  expect(hours(newYork, "America/New_York").size).toBe(1);
  expect(hours(newYork, "UTC").size).toBe(2);
  expect(utc).toHaveLength(4);

  const [first = ""] = utc;
  const moment = Date.parse(first);
  const local = (ms: number) =>
    new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone: "Asia/Tokyo" })
      .format(ms)
      .replace(" ", "T");
  expect(await dates({ timezone: "Asia/Tokyo", purchaseDate: local(moment - 2_000) })).toHaveLength(4);
  expect(await dates({ timezone: "Asia/Tokyo", purchaseDate: local(moment + 2_000) })).toHaveLength(3);
  expect(await investor("GET /payouts/store1/token/tokenSolar/schedule", { query: { timezone: "Nowhere" } })).toMatchObject({
    status: 400,
    body: { condition: "invalid parameters" },
  });
});

test("a purchase date must be an existing day in the form of ISO 8601", async () => {
  const { investor } = await sandboxForTest();
  const statusOf = async (purchaseDate: string) =>
    (await investor("GET /payouts/store1/token/tokenSolar/schedule", { query: { purchaseDate } })).status;
  for (const date of ["2024-02-29", "2024-02-29T10:00", "2024-02-29T10:00:00.5Z", "2024-02-29T10:00:00+02:00"])
    expect(await statusOf(date), date).toBe(200);
  for (const date of ["soon", "day 5", "5", "02/28/2024", "2024-02-28 10:00", "2023-02-29", "2024-02-30T10:00:00Z", "2024-13-01"])
    expect(await statusOf(date), date).toBe(400);
});

test("a sale may be for accredited investors only", async () => {
  const [sale] = DEFAULT_SEED.sales;
  const investors = DEFAULT_SEED.investors.map((each) => ({ ...each, accredited: each.name === "SECOND_BUYER_KEY" }));
  const seed = readSeed({ investors, sales: [{ ...sale, requiresAccreditation: true }] });
  const { investor } = await sandboxForTest({ seed });
  const body = { tokenSaleId: "saleActive1", userAddress: "0x1", amount: 1, currencyContract: "0x2", timezone: "UTC" };
  expect(await investor("POST /token-sales/buy", { body })).toMatchObject({
    status: 422,
    body: { condition: "accreditation missing" },
  });
  await investor("POST /identity/kyc", { as: "SECOND_BUYER_KEY", body: { countryCode: 276 } });
  expect((await investor("POST /token-sales/buy", { as: "SECOND_BUYER_KEY", body })).status).toBe(201);
  expect((await investor("GET /token-sales")).body.response.sales[0]).not.toHaveProperty("requiresAccreditation");
});
