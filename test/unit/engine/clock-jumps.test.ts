import { expect, test } from "vitest";
import type { Clock } from "../../../src/base/ports.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { type Came, folderForTest, runnerForTest, serve } from "./server.ts";

const DAY_MS = 86_400_000;

// Makes a clock whose wall clock somebody sets at each pause. The elapsed time is always right.
function jumpingClock(bySetting: (pause: number) => number): Clock {
  const steady = clockWithoutWaiting();
  let pauses = 0;
  return {
    ...steady,
    now: () => steady.now() + bySetting(pauses),
    sleep: async (ms, signal) => {
      pauses++;
      await steady.sleep(ms, signal);
    },
  };
}

const JUMPS = [
  { name: "back by a day at each pause", bySetting: (pause: number) => -pause * DAY_MS },
  { name: "forward by a day at each pause", bySetting: (pause: number) => pause * DAY_MS },
  { name: "to and fro", bySetting: (pause: number) => (pause % 2) * DAY_MS },
];

const PLAYBOOK = `playbook: 1
name: Mint, then wait
defaults: { as: { ledger: "userId:alice" } }
steps:
  - id: mint
    uses: ledger.token.mint
    with: { id: T1, to: { orgId: org1, userId: bob }, value: "1" }
    wait: { timeout: 20s, every: 1s, backoff: 1, max: 1s }
  - id: seen
    uses: ledger.token.get
    with: { id: T1 }
    until: response.totalSupply == 1
    timeout: 20s
    on_timeout: pending
`;

function answer({ path }: Came, receipt: string): string {
  if (path === "/asset/receipt") return JSON.stringify({ status: receipt, transactionId: "tx1" });
  return JSON.stringify(path.startsWith("/token/mint") ? { transactionId: "tx1", receiptId: "r1" } : { totalSupply: 0 });
}

interface Waited {
  readonly outcome: string;
  readonly requests: readonly string[];
  readonly elapsedMs: number;
}

async function waited(receipt: string, clock: Clock): Promise<Waited> {
  const { url, came } = await serve((one) => ({ body: answer(one, receipt) }));
  const { outcome } = await runnerForTest(folderForTest(), clock)(PLAYBOOK, targetAt(url));
  return { outcome, requests: came.map(({ method, path }) => `${method} ${path}`), elapsedMs: clock.elapsed() };
}

test.for(JUMPS)(
  "receipts and reads are requested as long as the playbook says, when the clock is set $name",
  async ({ bySetting }) => {
    for (const [receipt, outcome] of [
      ["PROCESSING", "unknown"],
      ["COMMITTED", "pending"],
    ] as const) {
      const steadily = await waited(receipt, clockWithoutWaiting());
      expect(steadily).toMatchObject({ outcome, elapsedMs: 20_000 });
      expect(await waited(receipt, jumpingClock(bySetting))).toEqual(steadily);
    }
  },
);

const REQUEST = `playbook: 1
name: Request a transfer
actors:
  alice: { ledger: "userId:alice" }
  bob: { ledger: "userId:bob" }
defaults: { as: alice }
steps:
  - uses: ledger.transfer.request
    with:
      assetType: Property
      id: [P1]
      approvers: ["\${{ actors.bob }}"]
      numRequired: 1
      newOwner: "\${{ actors.bob }}"
`;

/** Serves a service that shows nothing and loses each write. It notes the clock's elapsed time of each request. */
async function losingWrites(clock: Clock): Promise<{ readonly url: string; readonly sentAt: readonly number[] }> {
  const sentAt: number[] = [];
  const { url } = await serve(({ method }) => {
    if (method === "GET") return { body: '{"count":0,"bookmark":"","records":[]}' };
    sentAt.push(clock.elapsed());
    return { status: 500, body: '{"message":"lost"}' };
  });
  return { url, sentAt };
}

test.for(JUMPS)(
  "a write that nothing shows counts as absent after the declared time and no sooner, when the clock is set $name",
  async ({ bySetting }) => {
    const clock = jumpingClock(bySetting);
    const { url, sentAt } = await losingWrites(clock);
    const settleWithinMs = 60_000;
    const ran = await runnerForTest(folderForTest(), clock)(REQUEST, { ...targetAt(url), settleWithinMs, readLagMs: 0 });
    expect(ran.outcome, JSON.stringify(ran)).not.toBe("passed");
    expect(sentAt.length, JSON.stringify(ran)).toBeGreaterThan(1);
    for (const [at, sent] of sentAt.entries()) {
      expect(sent - (sentAt[at - 1] ?? sent)).toBeGreaterThanOrEqual(at === 0 ? 0 : settleWithinMs);
      expect(sent - (sentAt[at - 1] ?? sent)).toBeLessThan(2 * settleWithinMs);
    }
  },
);

test.for(JUMPS)(
  "a resumed run waits the declared time, when the clock was ahead at the write and is then set $name",
  async ({ bySetting }) => {
    const steady = clockWithoutWaiting();
    const ahead: Clock = { ...steady, now: () => steady.now() + DAY_MS };
    const clock = jumpingClock(bySetting);
    const { url, sentAt } = await losingWrites(clock);
    const folder = folderForTest();
    const { outcome, runId } = await runnerForTest(folder, ahead)(REQUEST, targetAt(url));
    expect(outcome).toBe("unknown");
    const settleWithinMs = 60_000;
    await runnerForTest(folder, clock)(REQUEST, { ...targetAt(url), settleWithinMs, readLagMs: 0 }, { resumes: runId });
    expect(sentAt.length).toBeGreaterThan(1);
    expect(sentAt[1]).toBeGreaterThanOrEqual(settleWithinMs);
  },
);

test.for([
  { when: "on the same start of the machine", isRestarted: false },
  { when: "after a restart of the machine", isRestarted: true },
])("a resumed run does not take a lost write for an old one, when the clock was set forward $when", async ({ isRestarted }) => {
  const before = clockWithoutWaiting();
  const { url, sentAt } = await losingWrites(before);
  const folder = folderForTest();
  const { outcome, runId } = await runnerForTest(folder, before)(REQUEST, targetAt(url));
  expect(outcome).toBe("unknown");
  const resumedAt = before.elapsed();
  const after: Clock = {
    ...before,
    now: () => before.now() + DAY_MS,
    uptime: () => (isRestarted ? { boot: "another one", ms: before.elapsed() - resumedAt } : before.uptime()),
  };
  const settleWithinMs = 60_000;
  await runnerForTest(folder, after)(REQUEST, { ...targetAt(url), settleWithinMs, readLagMs: 0 }, { resumes: runId });
  expect(sentAt.length).toBeGreaterThan(1);
  const [first = 0, second = 0] = sentAt;
  expect(second - (isRestarted ? resumedAt : first)).toBeGreaterThanOrEqual(settleWithinMs);
});

test("the declared time of a write begins when the write leaves, and not when it waits for its connection", async () => {
  const clock = clockWithoutWaiting();
  const { url } = await serve(() => ({ body: '{"count":0,"bookmark":"","records":[]}' }));
  const connectingMs = [9_000, 0];
  const leftAt: number[] = [];
  const settleWithinMs = 15_000;
  await runnerForTest(folderForTest(), clock)(
    REQUEST,
    { ...targetAt(url), settleWithinMs, readLagMs: 0 },
    {
      exchange: async (outgoing, send) => {
        if (outgoing.method === "GET") return send(outgoing);
        await clock.sleep(connectingMs.shift() ?? 0);
        leftAt.push(clock.elapsed());
        return { kind: "no-answer", why: "no whole answer in time" };
      },
    },
  );
  const [first = 0, second = 0] = leftAt;
  expect(second - first).toBeGreaterThanOrEqual(settleWithinMs);
});
