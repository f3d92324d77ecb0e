// A run begins in the second in which another run ended, or while another run is active. The effects of the other run are then as new as the
// effects of the run itself would be.
import { expect, test } from "vitest";
import type { Clock } from "../../src/base/ports.ts";
import type { Target } from "../../src/environment/target.ts";
import type { EnginePorts } from "../../src/engine/engine-ports.ts";
import type { Exchanged, Outgoing } from "../../src/transport/exchange.ts";
import { clockWithoutWaiting } from "../engine-parts.ts";
import { type Caller, sandboxForTest } from "../sandbox/caller.ts";
import { folderForTest, runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

type Answered = Extract<Exchanged, { kind: "answered" }>;

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };
const MINT = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - { id: mint, as: issuer, uses: ledger.token.mint, with: { id: Gold, to: "\${{ actors.issuer }}", value: 5 } }
`;

const ALICE = { orgId: "org1", userId: "alice" };

async function sandboxWithGold(as = "userId:alice"): Promise<Caller> {
  const caller = await sandboxForTest({ commitDelayMs: 0 });
  const behaviour = { decimal: 0, transferable: true, burnable: true };
  const gold = { id: "Gold", name: "Gold", description: "Old", behaviour };
  await caller.ledger("POST /token", { as, body: [gold] });
  return caller;
}

// Makes a clock on which time passes normally, while somebody sets the wall clock.
function clockSetBy(ms: () => number): Clock {
  const clock = clockWithoutWaiting();
  return { ...clock, now: () => clock.now() + ms() };
}

const NOON = Date.UTC(2026, 10, 26, 12);

// Gives the records of token transactions their own ids.
function withOtherIds(answer: Answered): Answered;
function withOtherIds(answer: Exchanged): Exchanged;
function withOtherIds(answer: Exchanged): Exchanged {
  if (answer.kind !== "answered") return answer;
  return { ...answer, text: answer.text.replaceAll(/"docType":"tkntx","id":"/g, '"docType":"tkntx","id":"tkntx-') };
}

// Does the same, and moves everything that the service has recorded into one second.
function inOneSecond(answer: Exchanged, second: number = NOON): Exchanged {
  if (answer.kind !== "answered") return answer;
  const text = answer.text
    .replaceAll(/"(createdAt|updatedAt)":"[^"]*"/g, `"$1":"${new Date(second + 500).toISOString()}"`)
    .replaceAll(/"timestampUnix":\d+/g, `"timestampUnix":${second / 1_000}`);
  return { ...withOtherIds({ ...answer, text }), headers: { ...answer.headers, date: new Date(second).toUTCString() } };
}

const HOUR_MS = 3_600_000;
const SETTINGS = [
  { name: "the wall clock stays as it is", byMs: 0 },
  { name: "the wall clock is set two hours forward in between", byMs: 2 * HOUR_MS },
  { name: "the wall clock is set two hours back in between", byMs: -2 * HOUR_MS },
];

test.for(SETTINGS)("the record of an earlier mint does not prove the same mint that never arrives: $name", async ({ byMs }) => {
  const { sandbox } = await sandboxWithGold();
  let setBy = 0;
  const run = runnerForTest(
    folderForTest(),
    clockSetBy(() => setBy),
  );
  const settled: string[] = [];
  const ran = async (isLost: boolean): Promise<string> => {
    const { outcome } = await run(MINT, targetOf(sandbox), {
      observe: (event) => {
        if (event.kind === "attempt.settled") settled.push(event.verdict);
      },
      exchange: async (outgoing, send) => (outgoing.fresh && isLost ? LOST : inOneSecond(await send(outgoing))),
    });
    return outcome;
  };
  expect(await ran(false)).toBe("passed");
  setBy = byMs;
  expect(await ran(true)).toBe("unknown");
  expect(settled).toEqual([]);
});

const TAKEN = { kind: "answered", status: 201, headers: { "content-type": "application/json" }, isComplete: true } as const;
const LATE = [
  { name: "half a minute later", afterMs: 30_000, outcome: "unknown" },
  { name: "hours later", afterMs: 23 * HOUR_MS, outcome: "unknown" },
  { name: "more than a day later", afterMs: 25 * HOUR_MS, outcome: "passed" },
];

test.for(LATE)(
  "for a day, a late mint with `wait: none` does not prove the lost mint of another run: $name",
  async ({ afterMs, outcome }) => {
    const { sandbox, ledger } = await sandboxWithGold();
    let setBy = 0;
    const run = runnerForTest(
      folderForTest(),
      clockSetBy(() => setBy),
    );
    const unawaited = MINT.replace("value: 5 } }", "value: 5 }, wait: none }");
    const first = await run(unawaited, targetOf(sandbox), {
      exchange: async (outgoing, send) => {
        if (!outgoing.fresh) return inOneSecond(await send(outgoing));
        return inOneSecond({ ...TAKEN, text: '{"transactionId":"late","receiptId":"r1"}' });
      },
    });
    expect(first.outcome).toBe("passed");
    setBy = afterMs;
    const second = await run(MINT, targetOf(sandbox), {
      exchange: async (outgoing, send) => {
        if (!outgoing.fresh) return inOneSecond(await send(outgoing), NOON + afterMs);
        await ledger("POST /token/mint", { as: "userId:alice", body: [{ id: "Gold", to: ALICE, value: 5 }] });
        return LOST;
      },
    });
    expect(second.outcome).toBe(outcome);
  },
);

const UNAWAITED = [
  { name: "whose answer names a receipt", as: "issuer", answer: '{"transactionId":"late","receiptId":"r1"}' },
  { name: "whose answer names no receipt", as: "issuer", answer: '{"transactionId":"late"}' },
  { name: "of the key itself", as: "{ ledger: key }", answer: '{"transactionId":"late","receiptId":"r1"}' },
];

test.for(
  ["of the run", "of another run, in an environment with another key"].flatMap((whose) =>
    UNAWAITED.map((one) => ({ ...one, whose })),
  ),
)("a mint with `wait: none` $whose, $name, does not prove the same mint that is lost", async ({ whose, as, answer }) => {
  const { sandbox } = await sandboxWithGold("userId:admin");
  const mint = "uses: ledger.token.mint, with: { id: Gold, to: { orgId: org1, userId: bob }, value: 5 }";
  const [head] = MINT.replace("alice", "admin").split("  - {");
  const early = `  - { id: early, as: ${as}, ${mint}, wait: none }\n`;
  const lost = `  - { id: lost, as: issuer, ${mint} }\n`;
  const run = runnerForTest();
  let arrives: (() => Promise<unknown>) | undefined;
  const settled: string[] = [];
  const ran = async (steps: string, keyEntity: string): Promise<string> => {
    const { environment, ledger, ...target } = { ...targetOf(sandbox), readLagMs: 0 };
    const at = { ...target, environment: `${environment} of ${keyEntity}`, ledger: { ...ledger, keyEntity } } as Target;
    const { outcome } = await run(`${head}${steps}`, at, {
      observe: (event) => {
        if (event.kind === "attempt.settled") settled.push(event.verdict);
      },
      exchange: async (outgoing, send) => {
        if (!outgoing.fresh) return withOtherIds(await send(outgoing));
        if (arrives !== undefined) {
          await arrives();
          return LOST;
        }
        arrives = () => send(outgoing);
        return { ...TAKEN, text: answer };
      },
    });
    return outcome;
  };
  const outcomes =
    whose === "of the run"
      ? [await ran(early + lost, "userId:admin")]
      : [await ran(early, "userId:admin"), await ran(lost, "userId:bob")];
  expect(outcomes.at(-1)).toBe("unknown");
  expect(settled).toEqual([]);
});

test("a mint of another run, which stamps the token, does not prove a lost update of the token", async () => {
  const { sandbox } = await sandboxWithGold();
  const run = runnerForTest();
  const settled: string[] = [];
  const rename = MINT.replace(
    /- \{ id: mint.*/,
    "- { id: rename, as: issuer, uses: ledger.token.update, with: { id: Gold, description: Old } }",
  );
  const { outcome } = await run(rename, targetOf(sandbox), {
    observe: (event) => {
      if (event.kind === "attempt.settled") settled.push(event.verdict);
    },
    exchange: async (outgoing, send) => {
      if (!outgoing.fresh) return send(outgoing);
      // The other run's mint stamps the token after the readings that precede the update, and before the run looks for its update.
      expect((await run(MINT, targetOf(sandbox))).outcome).toBe("passed");
      return LOST;
    },
  });
  expect(outcome).not.toBe("passed");
  expect(settled).not.toContain("applied");
});

const LAGS = [
  { name: "within the declared `readLag` before them", pauseMs: 300 },
  { name: "long before them", pauseMs: 9_000 },
];

test.for(LAGS)(
  "a mint of a run that ended $name does not prove the same mint that never arrives, if the readings before did not show it",
  async ({ pauseMs }) => {
    const { sandbox } = await sandboxWithGold();
    const target = { ...targetOf(sandbox), readLagMs: 5_000 };
    const clock = clockWithoutWaiting();
    const run = runnerForTest(folderForTest(), clock);
    const began = clock.now();
    const MINTED_MS = 9_000;
    // The service keeps the time of the mint, and its date header shows the current time. The test removes the sieve, because it cannot change
    // an answer that arrives in pieces.
    const ask = async (outgoing: Outgoing, send: EnginePorts["exchange"]): Promise<Exchanged> => {
      const { sieve: _, ...whole } = outgoing;
      const answer = inOneSecond(await send(whole), NOON + MINTED_MS);
      return answer.kind === "answered" ? dated(answer) : answer;
    };
    const dated = (answer: Answered): Answered => {
      const date = new Date(NOON + clock.now() - began).toUTCString();
      return { ...answer, headers: { ...answer.headers, date } };
    };
    // The run learns only on the way who mints. It is alone as this entity from then on.
    const playbook = `playbook: 1
actors: { issuer: { ledger: "userId:alice" }, other: { ledger: "userId:bob" } }
steps:
  - { id: look, as: issuer, uses: ledger.token.get, with: { id: Gold } }
  - { id: mint, as: "\${{ steps.look.outcome == 'ok' ? actors.issuer : actors.other }}", uses: ledger.token.mint, with: { id: Gold, to: "\${{ actors.issuer }}", value: 5 } }
`;
    const old = new Map<string, Exchanged>();
    let isSent = false;
    const { outcome } = await run(playbook, target, {
      exchange: async (outgoing, send) => {
        isSent ||= outgoing.fresh;
        if (outgoing.fresh) return LOST;
        const now = await ask(outgoing, send);
        if (isSent || !outgoing.path.includes("/token?")) return now;
        if (old.size === 0) {
          await clock.sleep(MINTED_MS);
          expect((await run(MINT, target, { exchange: ask })).outcome).toBe("passed");
          await clock.sleep(pauseMs);
        }
        const earlier = old.get(outgoing.path) ?? now;
        old.set(outgoing.path, earlier);
        const shown = pauseMs < target.readLagMs ? earlier : await ask(outgoing, send);
        return shown.kind === "answered" ? dated(shown) : shown;
      },
    });
    expect(outcome).toBe("unknown");
  },
);
