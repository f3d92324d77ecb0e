import { expect, test } from "vitest";
import { parseJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { redactor, Secret } from "../../../src/base/secret.ts";
import { encode } from "../../../src/journal/codec.ts";
import type { RunEvent, StepCompleted } from "../../../src/protocol/record.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { type Came, type Given, type Ran, runnerForTest, serve } from "./server.ts";

const JSON_TYPE = { "content-type": "application/json" };

function json(body: object): Given {
  return { body: JSON.stringify(body), headers: JSON_TYPE };
}

async function run(text: string, answer: (came: Came) => Given): Promise<Ran & { readonly events: readonly RunEvent[] }> {
  const { url } = await serve((came) => (came.path === "/status" ? { status: 204, body: "" } : answer(came)));
  const events: RunEvent[] = [];
  const ran = await runnerForTest(undefined, clockWithoutWaiting())(text, targetAt(url), {
    observe: (event) => events.push(event),
  });
  return { ...ran, events };
}

function heldIn({ completed, stopped }: Ran, step: string): StepCompleted["held"] {
  expect(stopped).toBeUndefined();
  return completed.find((each) => each.step === step)?.held;
}

const STATS = { totalCount: 90, countByType: [{ assetType: "House", count: 90 }] };

test("the record of a step has the conditions that held, each with the values that it compares", async () => {
  const ran = await run(
    `playbook: 1
inputs: { most: { type: decimal, default: "100.50" } }
steps:
  - id: stats
    uses: ledger.asset.stats
    until: response.totalCount > 0
    timeout: 1s
    expect:
      - response.totalCount == 90 && !(response.totalCount > inputs.most)
      - response.countByType.all(each, each.count > 1)
      - cel.bind(response, response.totalCount, response == 90)
`,
    () => json(STATS),
  );
  const list = [{ assetType: "House", count: expect.anything() }];
  expect(heldIn(ran, "stats")).toMatchObject({
    total: 4,
    shown: [
      { keyword: "until", expression: "response.totalCount > 0", values: [{ expression: "response.totalCount" }] },
      {
        keyword: "expect",
        expression: "response.totalCount == 90 && !(response.totalCount > inputs.most)",
        values: [{ expression: "response.totalCount" }, { expression: "inputs.most" }],
      },
      { keyword: "expect", values: [{ expression: "response.countByType", value: list }] },
      { keyword: "expect", values: [{ expression: "response.totalCount" }] },
    ],
  });
});

test("a value that is too large is described, and conditions that do not fit are counted", async () => {
  const conditions = Array.from({ length: 60 }, (_, at) => `      - response.totalCount == 90 || ${at} > 0`).join("\n");
  const ran = await run(
    `playbook: 1
steps:
  - { id: large, uses: ledger.asset.stats, expect: "response.countByType.size() == 1 && response.countByType != []" }
  - id: many
    uses: ledger.asset.stats
    expect:
${conditions}
`,
    () => json({ totalCount: 90, countByType: [{ assetType: "x".repeat(LIMITS.heldValueChars), count: 1 }] }),
  );
  expect(heldIn(ran, "large")?.shown[0]?.values[1]).toEqual({ expression: "response.countByType", summary: "a list of 1 item" });
  const many = heldIn(ran, "many");
  expect(many?.total).toBe(60);
  expect(many?.shown.length).toBeGreaterThan(0);
  expect(many?.shown.length).toBeLessThanOrEqual(LIMITS.heldConditions);
  expect(JSON.stringify(many?.shown).length).toBeLessThanOrEqual(LIMITS.heldChars + 100);
});

test("the record keeps the first parts of a long condition, and the first conditions of many", async () => {
  const parts = Array.from({ length: LIMITS.heldValues + 2 }, (_, at) => `response.totalCount + ${at} > 0`);
  const conditions = Array.from({ length: LIMITS.heldConditions + 2 }, () => "      - 1 == 1").join("\n");
  const ran = await run(
    `playbook: 1
steps:
  - { id: long, uses: ledger.asset.stats, expect: "${parts.join(" && ")}" }
  - id: short
    uses: ledger.asset.stats
    expect:
${conditions}
`,
    () => json(STATS),
  );
  expect(heldIn(ran, "long")?.shown[0]?.values.map(({ expression }) => expression)).toEqual(
    Array.from({ length: LIMITS.heldValues }, (_, at) => `response.totalCount + ${at}`),
  );
  const short = heldIn(ran, "short");
  expect([short?.total, short?.shown.length]).toEqual([LIMITS.heldConditions + 2, LIMITS.heldConditions]);
});

test("the journal masks a secret in a warning, and in the value of a condition that held", () => {
  const redact = redactor([new Secret("PIN", "door-pin-7788")]);
  const value = { expression: "response.data.pin", value: "door-pin-7788" } as const;
  const held = { total: 1, shown: [{ keyword: "expect", expression: "response.data.pin != ''", values: [value] }] } as const;
  const warning = { code: "expect.failed", message: "it is door-pin-7788", evidence: { pin: "door-pin-7788" } };
  const about = { kind: "step.completed", step: "a", outcome: "ok", value: {}, startedAt: 1, requests: 1 } as const;
  const { clean, body } = encode({ ...about, held, warning }, redact);
  expect(body).not.toContain("7788");
  expect(JSON.stringify(clean)).not.toContain("7788");
  expect(parseJson(body)).toMatchObject({ held: { shown: [{ expression: "response.data.pin != ''" }] } });
});

test("the pauses of a read count as waiting: for a busy service, for a condition, and before another attempt", async () => {
  let asked = 0;
  const ran = await run(
    `playbook: 1
steps:
  - id: stats
    uses: ledger.asset.stats
    until: response.totalCount > 1
    timeout: 1m
    wait: { every: 4s, backoff: 1 }
    retry: { attempts: 2, every: 7s }
    expect: response.totalCount > 2
  - { id: again, uses: ledger.asset.stats }
`,
    () => {
      asked++;
      if (asked === 1) return { status: 429, body: '{"message":"slow down"}', headers: { ...JSON_TYPE, "retry-after": "2" } };
      return json({ ...STATS, totalCount: asked - 1 });
    },
  );
  // The service is busy: 2 s. It has 1 asset: 4 s more. It has 2 assets, which is not as expected: 7 s before the next try.
  expect(ran.completed.map(({ step, waitedMs }) => [step, waitedMs])).toEqual([
    ["stats", 13_000],
    ["again", undefined],
  ]);
});

test("after Ctrl-C, the end of the run records how long a write waited for its receipt", async () => {
  const stopping = new AbortController();
  let asked = 0;
  const { url } = await serve(({ path }) => {
    if (path === "/status") return { status: 204, body: "" };
    if (!path.includes("receipt")) return json(path === "/token/mint" ? { receiptId: "rc1", transactionId: "tx1" } : []);
    if (++asked === 3) stopping.abort();
    return json({ receiptId: "rc1", transactionId: "tx1", status: "PENDING" });
  });
  const events: RunEvent[] = [];
  const text = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - id: mint
    as: issuer
    uses: ledger.token.mint
    with: { id: Gold, to: "\${{ actors.issuer }}", value: 5 }
    wait: { every: 3s, backoff: 1, timeout: 1m }
`;
  const otherwise = { observe: (event: RunEvent) => events.push(event), stopping: stopping.signal };
  const ran = await runnerForTest()(text, targetAt(url), otherwise);
  expect(ran.outcome, JSON.stringify(ran.stopped)).toBe("interrupted");
  const { waited } = events.find((event) => event.kind === "run.closed") ?? expect.fail();
  expect(waited?.["mint"]).toBeGreaterThanOrEqual(6_000);
});

test("the next attempt records the pause before it, and the receipt records the wait for it", async () => {
  let [minted, asked] = [0, 0];
  const ran = await run(
    `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - id: mint
    as: issuer
    uses: ledger.token.mint
    with: { id: Gold, to: "\${{ actors.issuer }}", value: 5 }
    wait: { every: 3s, backoff: 1, timeout: 1m }
`,
    ({ path }) => {
      if (path === "/token/mint") {
        minted++;
        if (minted === 1)
          return {
            ...json({ status: "Error", message: "slow down", condition: "busy" }),
            status: 429,
            headers: { ...JSON_TYPE, "retry-after": "5" },
          };
        return json({ receiptId: "rc1", transactionId: "tx1" });
      }
      if (!path.includes("receipt")) return json([]);
      asked++;
      return json({ receiptId: "rc1", transactionId: "tx1", status: asked < 3 ? "PENDING" : "COMMITTED" });
    },
  );
  expect(ran.outcome, JSON.stringify(ran.stopped)).toBe("passed");
  const waited = ran.events.flatMap((event) => ("waitedMs" in event ? [[event.kind, event.waitedMs]] : []));
  expect(waited).toEqual([
    ["attempt.intended", 5_000],
    ["receipt.read", 6_000],
  ]);
  const [first, second] = ran.events.filter((event) => event.kind === "attempt.intended");
  expect([first?.startedAt, second?.startedAt]).toEqual([first?.at, undefined]);
});
