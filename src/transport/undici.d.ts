// The parts of undici that we need: its main entry also loads fetch, caches and mocks, a third of our start-up.
declare module "undici/lib/core/connect.js" {
  export { buildConnector as default } from "undici";
}

declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}
