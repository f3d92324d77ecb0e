// The list of services: one line for each, which is the name of its descriptor and the folder where it is.
export { investor } from "./investor/service.ts";
export { ledger } from "./ledger/service.ts";
