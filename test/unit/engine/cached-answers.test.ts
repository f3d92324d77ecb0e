// A cache answers with what the service said earlier, although each read asks for a new answer. No check may pass on such an answer.
import { expect, test } from "vitest";
import { targetAt } from "../../engine-parts.ts";
import { type Given, type Ran, runnerForTest, serve } from "./server.ts";

const TOKEN = { id: "T", name: "T", totalSupply: 5, behaviour: { decimal: 0 } };
const CHECK = `playbook: 1
mode: read-only
steps: [{ id: supply, uses: ledger.token.get, with: { id: T }, expect: [response.totalSupply == 5] }]
`;
const REFUSED = `playbook: 1
mode: read-only
steps: [{ id: gone, uses: ledger.token.get, with: { id: T }, fails: { condition: invalid token id } }]
`;
const COMPARED = `playbook: 1
mode: read-only
reconcile:
  - id: balances
    left: { rows: "[{'sum': 1}]", key: "'T'", value: row.sum }
    right: { read: ledger.account.list, with: { tokenId: T }, key: "'T'", value: row.balance }
    recheck: 1ms
`;

// The cache answers only the checks, so that each run can begin.
async function ranBehind(playbook: string, given: Given, age: (times: number) => string): Promise<Ran & { asked: number }> {
  let times = 0;
  const { url } = await serve(({ path }) => {
    if (path.endsWith("/status")) return { status: 204, body: "" };
    return { ...given, headers: { "content-type": "application/json", age: age(++times) } };
  });
  const ran = await runnerForTest()(playbook, targetAt(url));
  return { ...ran, asked: times };
}

const always = (age: string) => () => age;

test("an answer from a cache is requested again, and the step fails while the cache answers", async () => {
  const body = JSON.stringify(TOKEN);
  const failed = await ranBehind(CHECK, { body }, always("60"));
  expect(failed).toMatchObject({ outcome: "failed", stopped: { problem: { code: "service.cached" } } });
  expect(failed.stopped?.problem?.message).toMatch(
    /^a cache in front of http:\S+ answered ledger\.token\.get: HTTP 200 out of a cache, with an Age of 60$/,
  );
  expect(failed.asked).toBeGreaterThan(1);
  expect(await ranBehind(CHECK, { body }, (times) => (times < 3 ? "1" : "0"))).toMatchObject({ outcome: "passed", asked: 3 });
  expect(await ranBehind(CHECK, { body }, always("0"))).toMatchObject({ outcome: "passed", asked: 1 });
});

test("an HTTP 304 is no redirect: a cache answered, although nothing was asked of it", async () => {
  const failed = await ranBehind(CHECK, { status: 304, body: "" }, always("0"));
  expect(failed).toMatchObject({ outcome: "failed", stopped: { problem: { code: "service.cached" } } });
  expect(failed.stopped?.problem?.message).toContain("HTTP 304 out of a cache, although tokenbook holds no earlier answer");
});

test("a refusal from a cache does not count as the refusal that a playbook expects", async () => {
  const given = { status: 404, body: JSON.stringify({ status: "Error", message: "no", condition: "invalid token id" }) };
  expect(await ranBehind(REFUSED, given, always("0"))).toMatchObject({ outcome: "passed" });
  expect(await ranBehind(REFUSED, given, always("60"))).toMatchObject({ outcome: "failed" });
});

test("a comparison with rows from a cache is incomplete", async () => {
  const body = JSON.stringify([{ id: "a", tokenId: "T", entity: { userId: "bob" }, balance: 1 }]);
  expect(await ranBehind(COMPARED, { body }, always("0"))).toMatchObject({ outcome: "passed" });
  const incomplete = await ranBehind(COMPARED, { body }, always("60"));
  expect(incomplete).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.incomplete" } } });
  expect(JSON.stringify(incomplete.stopped)).toContain("service.cached");
});
