import { NOBODYS_ID } from "../spellings.ts";
import type { ServiceCalibration } from "../service.ts";
import { findInvestorParameters } from "./parameters.ts";

/** Calibrates interface A with reads only, because a purchase cannot be undone. */
export const investor: ServiceCalibration = {
  first: { operation: "investor.sales.list" },
  read: findInvestorParameters,
  ofNobody: [
    { operation: "investor.sales.get", input: { tokenSaleId: NOBODYS_ID } },
    { operation: "investor.config.contractAddresses", input: { tokenId: NOBODYS_ID } },
    { operation: "investor.sales.list", page: -1 },
  ],
  effects: {
    "investor.errors": {
      undecided: "A refused purchase may end as unknown, because an error of another form may be a gateway's.",
    },
  },
};
