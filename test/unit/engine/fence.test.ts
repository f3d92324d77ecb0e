import { PAUSED } from "../../../src/engine/run/run-context.ts";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { type Clock, systemClock } from "../../../src/base/ports.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import type { RunEvent } from "../../../src/protocol/record.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { folderForTest, runnerForTest, serve, type Served } from "./server.ts";

const WRITE = `playbook: 1
name: Write
steps:
  - id: asset
    uses: ledger.asset.create
    as: { ledger: "userId:alice" }
    with: { assetType: Property, data: { id: P1 } }
    wait: none
`;

const ANSWER = { body: '{"transactionId":"tx1","receiptId":"r1"}' };

function writesIn({ came }: Served): number {
  return came.filter(({ method }) => method === "POST").length;
}

/** Makes a clock on which one of its two times jumps when `jump` is called, as if the process were stopped or the machine suspended. */
function clockThatJumps(which: "now" | "elapsed"): { readonly clock: Clock; readonly jump: (ms: number) => void } {
  const steady = clockWithoutWaiting();
  let by = 0;
  const clock = {
    ...steady,
    now: () => steady.now() + (which === "now" ? by : 0),
    elapsed: () => steady.elapsed() + (which === "elapsed" ? by : 0),
  };
  return { clock, jump: (ms) => void (by += ms) };
}

test.each([
  ["the process was stopped", "elapsed"],
  ["the machine was suspended", "now"],
] as const)("a write is not sent if %s between its intent and its first byte; a new intent sends it", async (_, which) => {
  const served = await serve(() => ANSWER);
  const { clock, jump } = clockThatJumps(which);
  const events: RunEvent[] = [];
  let before: number | undefined;
  const ran = await runnerForTest(folderForTest(), clock)(WRITE, targetAt(served.url), {
    observe: (event) => {
      if (event.kind === "attempt.intended" && event.attempt === 0) jump(LIMITS.intentMs + 1);
      if (event.kind === "attempt.answered") before ??= writesIn(served);
      events.push(event);
    },
  });
  expect(ran.outcome).toBe("passed");
  const answers = events.flatMap((event) => (event.kind === "attempt.answered" ? [event] : []));
  expect(answers).toMatchObject([
    { attempt: 0, meaning: "not-sent", message: expect.stringContaining(PAUSED) },
    { attempt: 1, meaning: "acknowledged" },
  ]);
  expect([before, writesIn(served)]).toEqual([0, 1]);
});

test("a write is sent while its intent is young enough, however busy the machine is", async () => {
  const served = await serve(() => ANSWER);
  const { clock, jump } = clockThatJumps("elapsed");
  const ran = await runnerForTest(folderForTest(), clock)(WRITE, targetAt(served.url), {
    observe: (event) => {
      if (event.kind === "attempt.intended") jump(LIMITS.intentMs - 1_000);
    },
  });
  expect([ran.outcome, writesIn(served)]).toEqual(["passed", 1]);
});

test("a process sends nothing and stops if its run is taken over between an intent and its first byte", async () => {
  const served = await serve(() => ANSWER);
  const folder = folderForTest();
  const run = runnerForTest(folder)(WRITE, targetAt(served.url), {
    observe: (event) => {
      if (event.kind !== "attempt.intended") return;
      const other = JournalStore.open(folder, { clock: systemClock, redact: (text) => text });
      const [held] = other.leases.list();
      other.leases.takeOver(held?.runId ?? "");
      other.close();
    },
  });
  await expect(run).rejects.toMatchObject({ code: "journal.claim-lost", exit: 6 });
  expect(writesIn(served)).toBe(0);
});

test("a process sends nothing more and stops if its lock file, which shows that it is alive, is removed", async () => {
  const served = await serve(() => ANSWER);
  const folder = folderForTest();
  const run = runnerForTest(folder)(WRITE, targetAt(served.url), {
    observe: (event) => {
      if (event.kind === "attempt.intended") rmSync(join(folder, "holders"), { recursive: true });
    },
  });
  await expect(run).rejects.toMatchObject({ code: "journal.claim-lost", message: expect.stringContaining("holders") });
  expect([writesIn(served), readdirSync(folder).includes("holders")]).toEqual([0, false]);
});
