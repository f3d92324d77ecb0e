import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { post } from "../../../src/schedule/notify/post.ts";

test.each([
  [204, undefined],
  [302, "HTTP 302, a redirect, which is not followed: write the address to which it leads"],
  [429, "HTTP 429"],
  [500, "HTTP 500"],
])("an answer of HTTP %i from a web address is a delivery, or gives the reason for none", async (status, why) => {
  const server = createServer((_request, response) => response.writeHead(status, { location: "/elsewhere" }).end());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/desk`);
  expect(await post(address, { headers: {}, body: "{}", timeoutMs: 10_000 })).toBe(why);
});

test.each([
  [200, undefined],
  [500, "HTTP 500"],
])("only the status of an answer counts: HTTP %i with a body that never ends", async (status, why) => {
  const server = createServer((_request, response) => {
    response.writeHead(status);
    const drip = setInterval(() => response.write("x"), 10);
    response.once("close", () => clearInterval(drip));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/desk`);
  expect(await post(address, { headers: {}, body: "{}", timeoutMs: 1_000 })).toBe(why);
});
