import { expect, test } from "vitest";
import { targetAt } from "../../engine-parts.ts";
import { runnerForTest, serve } from "./server.ts";

const playbook = (id: string): string => `playbook: 1
defaults: { as: { ledger: "userId:alice" } }
inputs: { face: { type: string, default: "\u{1F600}x" } }
steps:
  - id: get
    uses: ledger.token.get
    with: { id: ${id} }
`;

test.each([
  ["written", '"\\udc00"'],
  ["cut off by an expression", '"${{ inputs.face.substring(1) }}"'],
  ["behind a backslash", String.raw`"\\\ud83d"`],
])("a request with half a character is not sent: %s", async (_, id) => {
  const { url, came } = await serve(() => ({ body: "{}" }));
  const { outcome, stopped } = await runnerForTest()(playbook(id), targetAt(url));
  expect(outcome).toBe("failed");
  expect(stopped?.problem).toMatchObject({ code: "input.half-character" });
  expect(came.filter(({ path }) => path.startsWith("/token"))).toEqual([]);
});

test.each([
  ["whole", '"${{ inputs.face }}"'],
  ["only the letters of an escape", String.raw`"\\ud800"`],
])("a request with a whole character is sent: %s", async (_, id) => {
  const { url, came } = await serve(() => ({ status: 404, body: "{}" }));
  await runnerForTest()(playbook(id), targetAt(url));
  expect(came.filter(({ path }) => path.startsWith("/token"))).toHaveLength(1);
});
