// The parts of undici that we load one by one: its front door brings fetch, caches and mocks along, a third of our start-up.
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}

declare module "undici/lib/api/api-request.js" {
  import type { Client, Dispatcher } from "undici";

  /** What `Client.prototype.request` is. */
  export default function request(this: Client, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
}
