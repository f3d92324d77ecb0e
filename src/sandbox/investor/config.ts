import { textParam, type Enveloped, type InvestorCall } from "./call.ts";
import { theInvestorToken } from "./sales.ts";

/** GET /config/contract-addresses/{tokenId} */
export function contractAddresses(call: InvestorCall): Enveloped {
  const { tokenContract, saleContract } = theInvestorToken(call.world, textParam(call, "tokenId"));
  return { response: { config: { tokenContract, saleContract } } };
}
