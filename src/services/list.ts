// The list of services: one line for each, with the name of its descriptor and its folder.
export { investor } from "./investor/service.ts";
export { ledger } from "./ledger/service.ts";
