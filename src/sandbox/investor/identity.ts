import { isoTime } from "../../base/time/date.ts";
import type { Decimal } from "../../base/numbers/decimal.ts";
import { found } from "../refusal.ts";
import type { InvestorCall, Enveloped } from "./call.ts";

const COUNTRIES = new Intl.DisplayNames("en", { type: "region" });
/** ISO 3166-1 leaves the codes from 900 to its users. */
const FIRST_OF_USERS = 900;
// Intl knows these codes although ISO 3166-1 has withdrawn them, or has never assigned them to a country.
const NOT_IN_USE = new Set([172, 200, 230, 249, 278, 280, 530, 532, 536, 582, 720, 736, 810, 830, 886, 890, 891]);

/** POST /identity/kyc: updates the identity record of the user, or creates it. */
export function updateKyc(call: InvestorCall<{ readonly countryCode: Decimal }>): Enveloped {
  const code = call.body.countryCode.approximate();
  const countryName = found(nameOfCountry(code), "invalid parameters", "countryCode is not a numeric code of ISO 3166-1");
  const country = String(code);
  const { userId, kyc: before } = call.investor;
  const updatedAt = isoTime(call.now);
  const kyc = { id: before?.id ?? `kyc-${userId}`, country, createdAt: before?.createdAt ?? updatedAt, updatedAt };
  call.world.put("investor", { id: call.apiKey }, { ...call.investor, kyc });
  const { id, createdAt } = kyc;
  const { orgId } = call.settings;
  return {
    response: {
      id,
      userId,
      orgId,
      kycStatus: "APPROVED",
      countryId: country,
      countryName,
      createdAt,
      updatedAt,
      kycDetails: {},
      accredit: {},
    },
  };
}

// Intl maps the numeric code of a country to its letters, but leaves the code of a region, such as 150 for Europe, unchanged.
function nameOfCountry(code: number): string | undefined {
  if (!Number.isInteger(code) || code < 1 || code >= FIRST_OF_USERS || NOT_IN_USE.has(code)) return undefined;
  const { region = "" } = new Intl.Locale(`und-${String(code).padStart(3, "0")}`);
  return /^[A-Z]{2}$/.test(region) ? COUNTRIES.of(region) : undefined;
}
