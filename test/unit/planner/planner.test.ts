import { expect, test } from "vitest";
import { Bug } from "../../../src/base/failure.ts";
import { parseJson, writeJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { type ReadingPort, readingOnly } from "../../../src/engine/read/reading-port.ts";
import { ServiceClient } from "../../../src/engine/service/service.ts";
import type { Target } from "../../../src/environment/target.ts";
import { operations } from "../../../src/operations/operation.ts";
import { assertSamePlan } from "../../../src/planner/compare.ts";
import { digestOfValue } from "../../../src/planner/given.ts";
import { planAll } from "../../../src/planner/plan.ts";
import { readPlan } from "../../../src/planner/read-plan.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { NO_SECRETS } from "../../../src/playbook/settings/open-secrets.ts";
import { harmlessDocument } from "../../../src/base/text/harmless.ts";
import type { PlanDocument } from "../../../src/report/plan/shape.ts";
import { totalLines } from "../../../src/report/plan/text.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { type Given, serve, transportForTest } from "../engine/server.ts";

const stopping = new AbortController().signal;

function portAt(target: Target): ReadingPort {
  const transport = transportForTest();
  return readingOnly(
    new ServiceClient(target, {
      clock: clockWithoutWaiting(),
      exchange: transport.exchange.bind(transport),
      secrets: NO_SECRETS,
    }),
  );
}

/** Returns a plan as it is after it was written to a file and read again. */
async function planOf(text: string, target: Target): Promise<PlanDocument> {
  const { playbook, diagnostics } = checkPlaybook("test.yaml", text);
  if (playbook === undefined) throw new Error(writeJson(diagnostics));
  const ports = { clock: clockWithoutWaiting(), stopping, secrets: NO_SECRETS, service: portAt(target) };
  return readPlan("test.plan", parseJson(harmlessDocument(await planAll([{ playbook, inputs: {}, env: {} }], target, ports))));
}

function playbookOf(steps: readonly string[]): string {
  return `playbook: 1\nactors: { issuer: { ledger: "userId:alice" } }\ndefaults: { as: issuer }\nsteps:\n${steps.join("\n")}\n`;
}

test("a planner can send reads, and each of its writes is refused before a request exists", async () => {
  const served = await serve(() => ({ body: "{}" }));
  const port = portAt(targetAt(served.url));
  const caller = { identities: { ledger: "userId:alice", investor: "BUYER_KEY" }, label: null };
  const writes = [...operations.values()].filter((operation) => operation.writes);
  expect(writes.length).toBeGreaterThan(30);
  for (const operation of writes)
    expect(() => port.call({ operation, input: {}, caller }, stopping), operation.name).toThrow(Bug);
  expect(served.came).toEqual([]);
  const stats = operations.get("ledger.asset.stats");
  if (stats !== undefined) await port.call({ operation: stats, input: {}, caller }, stopping);
  expect(served.came.map(({ method }) => method)).toEqual(["GET"]);
});

test("a plan names changed steps up to a limit, and the changed fields of a step up to another limit", async () => {
  let total = 1;
  const served = await serve(({ query }) => ({
    body: JSON.stringify({
      id: query.get("id"),
      assetType: "T",
      data: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, total])),
      owners: [],
    }),
  }));
  const steps = Array.from(
    { length: LIMITS.planChanges + 5 },
    (_, at) => `  - { id: s${at}, uses: ledger.asset.get, with: { assetType: T, id: a${at} } }`,
  );
  const before = await planOf(playbookOf(steps), targetAt(served.url));
  expect(() => assertSamePlan(before, before)).not.toThrow();
  total = 2;
  const after = await planOf(playbookOf(steps), targetAt(served.url));
  const message = ((): string => {
    try {
      assertSamePlan(before, after);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(message).toContain(
    "test.yaml: s0: the plan was made from other values\n  the answer of ledger.asset.get has changed\n    data.f0: 1 → 2",
  );
  expect(message.match(/test\.yaml: s\d+/g)).toHaveLength(LIMITS.planChanges);
  expect(message.match(/data\.f\d/g)).toHaveLength(LIMITS.planChanges * LIMITS.planPlaces);
  expect(message.endsWith("and 5 more")).toBe(true);
});

test("the totals of a plan count steps, not the things that steps create or change", async () => {
  const { url } = await serve(() => ({ body: "{}" }));
  const totalsOf = async (...steps: readonly string[]): Promise<readonly string[]> =>
    totalLines((await planOf(playbookOf(steps), targetAt(url))).plans.flatMap((plan) => plan.steps));
  const tokens = "  - { uses: ledger.token.create, with: { items: [{ id: A }, { id: B }] } }";
  const shares = "  - { uses: ledger.vault.addToken, with: { id: V, vaultToken: [{ id: C }] } }";
  const mint = "  - { uses: ledger.token.mint, with: { id: A, to: { userId: bob }, value: 1 } }";
  expect(await totalsOf(tokens, shares, mint, mint)).toEqual(["2 steps would create something; 2 steps would change something"]);
  expect(await totalsOf("  - uses: ledger.status")).toEqual(["nothing would be written"]);
  const perhaps = "ensure: { read: ledger.token.get, with: { id: A }, that: response.totalSupply > 0 }";
  const [only, ...others] = await totalsOf(tokens, mint.replace(/ }$/, `, ${perhaps} }`));
  expect(only).toBe("1 step would create something");
  expect(others[0]).toContain("1 step cannot be predicted");
});

test("a plan keeps only the digest of a large answer", async () => {
  let last = "a";
  const served = await serve(() => ({
    body: JSON.stringify({ id: "x", assetType: "T", data: { long: "x".repeat(LIMITS.planAnswerChars) + last }, owners: [] }),
  }));
  const steps = ["  - { id: one, uses: ledger.asset.get, with: { assetType: T, id: x } }"];
  const before = await planOf(playbookOf(steps), targetAt(served.url));
  expect(before.plans[0]?.steps[0]?.reads[0]?.answer).toBeNull();
  expect(() => assertSamePlan(before, before)).not.toThrow();
  last = "b";
  const after = await planOf(playbookOf(steps), targetAt(served.url));
  expect(() => assertSamePlan(before, after)).toThrow("test.yaml: one: the plan was made from other values");
});

test("a plan shows a wait for `until` after a 404 of the service, but not after a 404 of a proxy", async () => {
  let answer: Given = { status: 404, body: '{"message":"not found"}' };
  const served = await serve(({ path }) => (path === "/status" ? { status: 204, body: "" } : answer));
  const steps = ["  - { id: a, uses: ledger.asset.get, with: { assetType: T, id: x }, until: response.id == 'x' }"];
  const verdict = async () => (await planOf(playbookOf(steps), targetAt(served.url))).plans[0]?.steps[0]?.verdict;
  expect(await verdict()).toBe("would-wait");
  answer = { status: 404, body: "<html>Not Found</html>" };
  expect(await verdict()).toBe("would-fail");
});

test.each<[string, string, boolean]>([
  ['{"a":1,"b":[1.50]}', '{"b":[1.5],"a":1.0}', true],
  ['{"a":1}', '{"a":"1"}', false],
  ["[1,2]", "[2,1]", false],
  ["null", '"null"', false],
  ['{"a":{"b":1}}', '{"a":{"b":2}}', false],
  ["12345678901234567890.50", "12345678901234567890.5", true],
  ["9007199254740993", "9007199254740992", false],
])("%s and %s have equal digests: %s", (one, other, same) => {
  const digest = (text: string): string => digestOfValue(parseJson(text));
  expect(digest(one) === digest(other)).toBe(same);
});
