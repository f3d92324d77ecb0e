// The parts of undici that we need. Its main entry also loads fetch, caches and mocks, which would take a third of our start-up.
declare module "undici/lib/core/connect.js" {
  export { buildConnector as default } from "undici";
}

declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}
