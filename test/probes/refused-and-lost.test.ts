// The service refuses a write, and its answer is lost. The run finds out about the refusal, and sends nothing in vain.
import { expect, test } from "vitest";
import type { Target } from "../../src/environment/target.ts";
import { clockWithoutWaiting } from "../engine-parts.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { type Ran, runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const HEAD = `playbook: 1
actors: { issuer: { ledger: "userId:alice" }, stranger: { ledger: "userId:mallory" } }
defaults: { as: issuer }
steps:
  - { id: token, uses: ledger.token.create, with: { name: Tin, behaviour: { decimal: 0, maxMintQuantity: 100 } } }
  - { id: stock, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: 60 } }
`;
const BEYOND = `uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: 50 }`;
const FOREIGN = `uses: ledger.token.setPermissions, as: stranger, with: { id: "\${{ steps.token.id }}", permissions: [{ entity: "\${{ actors.stranger }}", roles: [minter] }] }`;
const OVER = ", fails: { condition: mint quantity exceeded }";
const DENIED = ", fails: { condition: unauthorized caller }";

async function refusedBehind(
  lost: "before" | "after",
  call: string,
  says: Partial<Target>,
): Promise<Ran & { readonly sent: number }> {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  let [isNext, sent] = [false, 0];
  const ran = await runnerForTest(undefined, clockWithoutWaiting())(
    `${HEAD}  - { id: refused, ${call} }\n`,
    { ...targetOf(sandbox), ...says },
    {
      observe: (event) => {
        if (event.kind === "attempt.intended") isNext = event.step === "refused";
      },
      exchange: async (outgoing, send) => {
        if (!isNext || !outgoing.fresh) return send(outgoing);
        if (sent++ > 0) return send(outgoing);
        if (lost === "after") await send(outgoing);
        return { kind: "no-answer", why: "other side closed" };
      },
    },
  );
  return { ...ran, sent };
}

const KNOWS = { exclusive: true, readLagMs: 0 };
const SETTLES = { ...KNOWS, settleWithinMs: 5_000 };

test.for([
  ["a mint beyond the cap", BEYOND + OVER, KNOWS],
  ["a mint beyond the cap", BEYOND + OVER, SETTLES],
  ["permissions that a stranger sets", FOREIGN + DENIED, SETTLES],
] as const)("the expected refusal of %s is found, although the first answer was lost", async ([, call, says]) => {
  for (const lost of ["before", "after"] as const) {
    const { completed, sent } = await refusedBehind(lost, call, says);
    expect(completed.map(({ step, outcome }) => [step, outcome]).at(-1)).toEqual(["refused", "ok"]);
    expect(sent).toBe(2);
  }
});

test("another refusal than the expected one fails the step, and the message shows it", async () => {
  for (const call of [BEYOND, BEYOND + DENIED]) {
    const { stopped } = await refusedBehind("after", call, SETTLES);
    expect(stopped).toMatchObject({ step: "refused", outcome: "failed" });
    expect(stopped?.problem.code).toBe(call === BEYOND ? "service.refused" : "fails.mismatch");
  }
});

test("a refused write is unknown while an earlier attempt may still arrive", async () => {
  const { stopped, sent } = await refusedBehind("before", FOREIGN + DENIED, KNOWS);
  expect(stopped).toMatchObject({ step: "refused", outcome: "unknown", problem: { code: "write.undecided" } });
  expect(sent).toBe(2);
});
