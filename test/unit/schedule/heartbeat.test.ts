import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Clock, systemClock } from "../../../src/base/ports.ts";
import { Secret } from "../../../src/base/secret.ts";
import { Heartbeat } from "../../../src/schedule/notify/heartbeat.ts";

test("a process that ends sends pings for 30 seconds at most, and logs each ping that it drops", async () => {
  let elapsedMs = 0;
  const clock: Clock = {
    now: () => elapsedMs,
    elapsed: () => elapsedMs,
    uptime: systemClock.uptime,
    sleep: async (ms) => void (elapsedMs += ms),
  };
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    elapsedMs += 10_000;
    response.writeHead(503).end();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const logged: string[] = [];
  const heartbeat = new Heartbeat(new Secret("HEARTBEAT", `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping`), {
    clock,
    log: (_level, _event, message) => void logged.push(message),
    redact: (text) => text,
  });
  for (let missed = 1; missed <= 5; missed++) heartbeat.missed("supply.yaml", `missed ${missed}`);
  await heartbeat.settle();
  expect(requests).toBe(3);
  expect(logged).toEqual([
    "heartbeat: /fail was not delivered: HTTP 503",
    ...Array.from({ length: 4 }, () => "heartbeat: /fail was not delivered: no time was left for it"),
  ]);
});
