import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json } from "../../base/json/json.ts";
import { resolve } from "../../contract/contract.ts";
import { byPageNumber } from "../paging/page-numbers.ts";
import type { Envelope, ServiceDescriptor } from "../service.ts";
import { saleConserved } from "./conserved.ts";
import { meanings } from "./meanings.ts";

/** Interface A: what investors see and buy. */
export const investor: ServiceDescriptor<"investor"> = {
  name: "investor",
  settings: {},
  identity: { kind: "credential" },
  envelope: {
    open: openEnvelope,
    payloadOf: (response) => resolve(response).properties?.["response"],
    holds: "`status`, `pagination`",
  },
  paging: byPageNumber,
  harmless: { operation: "investor.sales.list", input: { limit: Decimal.of(1) } },
  receipts: undefined,
  isBatchWhole: () => true, // each of its writes does one thing
  writeYields: {},
  conserves: { sale: saleConserved },
  doctor: { list: "investor.sales.list", one: (id) => ({ operation: "investor.sales.get", input: { tokenSaleId: id } }) },
  plannedTotal: "investorWrites",
  exampleActor: "buyer",
  meanings,
};

function openEnvelope(body: Json): ReturnType<Envelope["open"]> {
  if (!isObject(body)) return { kind: "unreadable", why: "the answer is no envelope {status, response}" };
  const { response = null, ...envelope } = body;
  const { status } = envelope;
  const succeeded = status === "SUCCESS" || (status instanceof Decimal && status.equals(Decimal.of(1)));
  if (succeeded) return { payload: response, envelope };
  return { kind: "unreadable", why: `the envelope's status is ${JSON.stringify(status ?? null)}, which is not success` };
}
