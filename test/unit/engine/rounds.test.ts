import { expect, test } from "vitest";
import { targetAt } from "../../engine-parts.ts";
import { runnerForTest, serve } from "./server.ts";

const head = `playbook: 1
name: Rounds of numbers
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
`;

test("equal numbers are one key of a foreach, however they are written", async () => {
  const { url, came } = await serve(() => ({ body: '{"totalCount":0,"countByType":[]}' }));
  const twice = `${head}  - { id: count, uses: ledger.asset.stats }
  - { id: each, foreach: { n: [1, "\${{ 1.0 + steps.count.response.totalCount }}"], key: n }, uses: ledger.asset.stats }
`;
  const { outcome, stopped } = await runnerForTest()(twice, targetAt(url));
  expect(outcome).toBe("failed");
  expect(stopped?.problem).toMatchObject({ code: "foreach.same-key", message: 'two rounds of foreach have the key "1"' });
  expect(came).toHaveLength(1);
});

test.each(["__proto__", "constructor", "a[b]", "a\nb", ""])(
  "a foreach with the key %j fails before its first round",
  async (key) => {
    const { url, came } = await serve(() => ({ body: '{"totalCount":0,"countByType":[]}' }));
    const given = `inputs: { last: { type: string, default: ${JSON.stringify(key)} } }\n`;
    const forbidden = `${head}  - { id: count, uses: ledger.asset.stats }
  - { id: each, foreach: { n: [a, "\${{ inputs.last }}"], key: n }, uses: ledger.asset.stats }
${given}`;
    const { outcome, stopped } = await runnerForTest()(forbidden, targetAt(url));
    expect(outcome).toBe("failed");
    expect(stopped?.problem.message).toContain("key: n must give a number, or a text of one line without brackets");
    expect(stopped?.problem.message).toContain("; it does not for item 2 of the list");
    expect(came).toHaveLength(1);
  },
);

test("an expression finds a round by any spelling of its number", async () => {
  const { url } = await serve(() => ({ body: '{"totalCount":0,"countByType":[]}' }));
  const found = `${head}  - { id: each, foreach: { n: [1.50, 2], key: n }, uses: ledger.asset.stats }
  - id: after
    uses: ledger.asset.stats
    expect:
      - size(steps.each) == 2
      - '[1.50, 1.5, 2, 2.0].all(n, n in steps.each && steps.each[n].outcome == "ok")'
`;
  const { outcome, stopped } = await runnerForTest()(found, targetAt(url));
  expect(stopped).toBeUndefined();
  expect(outcome).toBe("passed");
});
