import type { Decimal } from "../../base/decimal.ts";
import { demand } from "../refusal.ts";
import type { InvestorCall, Enveloped } from "./call.ts";

const HIGHEST_CODE = 999;

// Names of the countries that the examples use; the code is what counts.
const COUNTRY_NAMES: Readonly<Record<string, string>> = {
  "36": "Australia",
  "40": "Austria",
  "56": "Belgium",
  "76": "Brazil",
  "124": "Canada",
  "156": "China",
  "208": "Denmark",
  "246": "Finland",
  "250": "France",
  "276": "Germany",
  "356": "India",
  "372": "Ireland",
  "380": "Italy",
  "392": "Japan",
  "442": "Luxembourg",
  "528": "Netherlands",
  "578": "Norway",
  "620": "Portugal",
  "702": "Singapore",
  "724": "Spain",
  "752": "Sweden",
  "756": "Switzerland",
  "784": "United Arab Emirates",
  "826": "United Kingdom",
  "840": "United States",
};

/** POST /identity/kyc: the record of the user, made when there is none. */
export function updateKyc(call: InvestorCall<{ readonly countryCode: Decimal }>): Enveloped {
  const code = call.body.countryCode.approximate();
  demand(Number.isInteger(code) && code >= 1 && code <= HIGHEST_CODE, "invalid parameters", "countryCode is no ISO 3166-1 code");
  const country = String(code);
  const { userId, kyc: before } = call.investor;
  const updatedAt = new Date(call.now).toISOString();
  const kyc = { id: before?.id ?? `kyc-${userId}`, country, createdAt: before?.createdAt ?? updatedAt, updatedAt };
  call.world.put("investor", { id: call.apiKey }, { ...call.investor, kyc });
  const countryName = COUNTRY_NAMES[country] ?? `Country ${country}`;
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
