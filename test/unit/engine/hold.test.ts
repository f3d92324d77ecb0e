import { expect, test } from "vitest";
import type { HeldMoment } from "../../../src/engine/run/hold.ts";
import type { RunEvent } from "../../../src/protocol/record.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { folderForTest, runnerForTest, serve } from "./server.ts";

const HOUR_MS = 3_600_000;

const MINT = `playbook: 1
name: Create and look
steps:
  - id: asset
    uses: ledger.asset.create
    as: { ledger: "userId:alice" }
    with: { assetType: Property, data: { id: P1 } }
    wait: { timeout: 1s }
  - id: stats
    uses: ledger.asset.stats
    until: response.totalCount == 1
    timeout: 1s
`;

const JSON_TYPE = { "content-type": "application/json" };

test("while a debugger holds a run, no intent expires, no deadline passes, and the time counts as waiting", async () => {
  let looks = 0;
  const served = await serve(({ method, path }) => {
    if (path === "/status") return { status: 204, body: "" };
    if (method === "POST") return { body: '{"transactionId":"tx1","receiptId":"r1"}', headers: JSON_TYPE };
    if (path.includes("receipt")) return { body: '{"status":"COMMITTED","transactionId":"tx1"}', headers: JSON_TYPE };
    return { body: `{"totalCount":${looks++ === 0 ? 0 : 1},"countByType":[]}`, headers: JSON_TYPE };
  });
  const clock = clockWithoutWaiting();
  const moments: string[] = [];
  const events: RunEvent[] = [];
  const hold = async ({ when, place, input, run }: HeldMoment): Promise<void> => {
    const { attempts = [], completed } = run.state.steps.get(place.address) ?? {};
    moments.push(`${when} ${place.address} ${input === undefined ? "" : Object.keys(input).join(" ")}`.trim());
    if (when === "before") expect([attempts, completed]).toEqual([[], undefined]);
    await Promise.resolve(); // the clock does not move while the engine asks
    await clock.sleep(HOUR_MS, new AbortController().signal);
  };
  const ran = await runnerForTest(folderForTest(), clock)(MINT, targetAt(served.url), {
    hold,
    observe: (event) => events.push(event),
  });
  expect(ran.stopped).toBeUndefined();
  expect(ran.outcome).toBe("passed");
  expect(moments).toEqual([
    "before asset assetType data",
    "after asset", // when the write is answered
    "after asset", // when the receipt is read
    "after asset", // when the step is complete
    "before stats",
    "after stats",
  ]);
  expect(served.came.filter(({ method }) => method === "POST")).toHaveLength(1);
  const waits = events.flatMap((event) => ("waitedMs" in event ? [[event.kind, event.waitedMs]] : []));
  expect(waits.slice(0, 3)).toEqual([
    ["attempt.intended", HOUR_MS],
    ["receipt.read", HOUR_MS],
    ["step.completed", HOUR_MS],
  ]);
});

test("a run that is stopped while it is held sends and records nothing of the step", async () => {
  const served = await serve(() => ({ status: 204, body: "" }));
  const stopping = new AbortController();
  const kinds: string[] = [];
  const ran = await runnerForTest()(MINT, targetAt(served.url), {
    hold: (_moment, signal) => {
      stopping.abort();
      expect(signal.aborted).toBe(true);
      return Promise.resolve();
    },
    observe: ({ kind }) => kinds.push(kind),
    stopping: stopping.signal,
  });
  expect(ran.outcome).toBe("interrupted");
  expect(served.came.filter(({ method }) => method === "POST")).toEqual([]);
  expect(kinds).not.toContain("attempt.intended");
});
