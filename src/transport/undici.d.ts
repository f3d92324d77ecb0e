// The parts of undici that we need: its front door brings fetch, caches and mocks along, a third of our start-up.
declare module "undici/lib/core/connect.js" {
  export { buildConnector as default } from "undici";
}

declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}
