import { expect, test } from "vitest";
import { inParallel, Pacer } from "../../../src/cli/runs/run-queue.ts";
import type { Exchanged, Outgoing } from "../../../src/transport/exchange.ts";

function outgoing(path: string, fresh = false, signal?: AbortSignal): Outgoing {
  return {
    origin: "http://127.0.0.1:9",
    method: "GET",
    path,
    headers: {},
    body: undefined,
    fresh,
    timeoutMs: 1_000,
    fence: undefined,
    signal,
  };
}

interface Asked {
  readonly path: string;
  readonly atOnce: number;
  readonly at: number;
}

/** Returns a service that answers after a moment, and that records what it was asked. */
function slowService(answer: (path: string) => Partial<Extract<Exchanged, { kind: "answered" }>> = () => ({})): {
  readonly asked: Asked[];
  readonly exchange: (outgoing: Outgoing) => Promise<Exchanged>;
} {
  const asked: Asked[] = [];
  let atOnce = 0;
  return {
    asked,
    exchange: async ({ path }) => {
      asked.push({ path, atOnce: ++atOnce, at: performance.now() });
      await new Promise((resolve) => void setTimeout(resolve, 5));
      atOnce -= 1;
      return { kind: "answered", status: 200, headers: {}, text: "{}", ...answer(path) };
    },
  };
}

test("the number of reads at the same time does not exceed the limit of the interface", async () => {
  const { asked, exchange } = slowService();
  const paced = new Pacer({ atOnce: 3, perSecond: undefined }).paced(exchange);
  await Promise.all(Array.from({ length: 20 }, (_, at) => paced(outgoing(`/${at}`))));
  expect(asked).toHaveLength(20);
  expect(Math.max(...asked.map(({ atOnce }) => atOnce))).toBe(3);
});

test("a write never waits behind reads", async () => {
  const { asked, exchange } = slowService();
  const paced = new Pacer({ atOnce: 1, perSecond: undefined }).paced(exchange);
  await Promise.all([paced(outgoing("/read1")), paced(outgoing("/read2")), paced(outgoing("/write", true))]);
  expect(asked.map(({ path }) => path)).toEqual(["/write", "/read1", "/read2"]);
});

test("if the service refuses one read for a while, all other reads wait too", async () => {
  const { asked, exchange } = slowService((path) => (path === "/0" ? { status: 429, headers: { "retry-after": "0.2" } } : {}));
  const paced = new Pacer({ atOnce: 1, perSecond: undefined }).paced(exchange);
  await Promise.all(Array.from({ length: 3 }, (_, at) => paced(outgoing(`/${at}`))));
  const [first, second] = asked;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(190);
});

test("a stop ends the wait of reads, and they are not sent", async () => {
  const { asked, exchange } = slowService((path) => (path === "/0" ? { status: 429, headers: { "retry-after": "30" } } : {}));
  const stopping = new AbortController();
  const paced = new Pacer({ atOnce: 1, perSecond: undefined }).paced(exchange);
  const reads = Array.from({ length: 3 }, (_, at) => paced(outgoing(`/${at}`, false, stopping.signal)));
  await reads[0];
  setTimeout(() => stopping.abort(), 20);
  const [, ...others] = await Promise.all(reads);
  expect(others.map(({ kind }) => kind)).toEqual(["not-sent", "not-sent"]);
  expect(asked.map(({ path }) => path)).toEqual(["/0"]);
});

test("a failure is reported after all parallel work has ended", async () => {
  const ended: string[] = [];
  const work = async (item: string): Promise<void> => {
    if (item === "broken") throw new Error("broken");
    await new Promise((resolve) => void setTimeout(resolve, 20));
    ended.push(item);
  };
  await expect(inParallel(["first", "broken", "last"], 2, work)).rejects.toThrow("broken");
  expect(ended).toEqual(["first", "last"]);
});
