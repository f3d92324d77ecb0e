// While a write is open, somebody edits the environment, or changes who an actor is. The run must not take what others did meanwhile for that
// write, and it must still find what the write itself did.
import { expect, test } from "vitest";
import type { Target } from "../../src/environment/target.ts";
import type { Exchanged } from "../../src/transport/exchange.ts";
import { type Caller, sandboxForTest, user } from "../sandbox/caller.ts";
import { type Otherwise, runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };
const NEVER_ARRIVES: Otherwise = { exchange: async (outgoing, send) => (outgoing.fresh ? LOST : send(outgoing)) };
const TO_CAROL = "with: { id: Gold, to: { orgId: org1, userId: carol }, value: 5 }";
const mintAs = (as: string): string => `playbook: 1
steps: [{ id: mint, as: { ledger: "${as}" }, uses: ledger.token.mint, ${TO_CAROL} }]
`;
const BY_KEY = mintAs("key");
const buyWith = (actor: string): string => `playbook: 1
actors: { buyer: ${actor} }
steps:
  - id: buy
    as: buyer
    uses: investor.sales.buy
    with: { tokenSaleId: saleDebt1, userAddress: "0x00000000000000000000000000000000000000aa", amount: 10, currencyContract: "0xc", timezone: Europe/Lisbon }
`;

/** Makes a sandbox with a token that bob and the admin, who owns the key, may mint. */
async function gold(): Promise<Caller> {
  const caller = await sandboxForTest({ commitDelayMs: 0 });
  const tokenPermissions = ["admin", "bob"].map((one) => ({ entity: user(one), roles: ["minter"] }));
  const token = { id: "Gold", name: "Gold", behaviour: { decimal: 0, transferable: true }, tokenPermissions };
  await caller.ledger("POST /token", { as: "userId:admin", body: [token] });
  return caller;
}

const withLedger = (target: Target, ledger: Readonly<Record<string, string>>): Target =>
  ({ ...target, ledger: { ...target.ledger, ...ledger } }) as Target;

/** Collects the verdicts of a run. */
function verdicts(): { readonly settled: readonly string[]; readonly observe: NonNullable<Otherwise["observe"]> } {
  const settled: string[] = [];
  return { settled, observe: (event) => void (event.kind === "attempt.settled" && settled.push(event.verdict)) };
}

test("after an edit of the environment's address, the same mint of another playbook does not prove a lost mint", async () => {
  const { sandbox } = await gold();
  const run = runnerForTest();
  const target = targetOf(sandbox);
  const edited = withLedger(target, { baseUrl: sandbox.ledgerBaseUrl.replace("127.0.0.1", "localhost") });
  const { settled, observe } = verdicts();
  const { outcome, runId } = await run(mintAs("userId:bob"), target, {
    observe,
    exchange: async (outgoing, send) => {
      if (!outgoing.fresh) return send(outgoing);
      expect((await run(mintAs("userId:bob"), edited)).outcome).toBe("passed");
      return LOST;
    },
  });
  expect([outcome, settled]).toEqual(["unknown", []]);
  await expect(
    run(mintAs("userId:bob").replace("playbook: 1", "playbook: 1\nid: other"), edited, { file: "other.yaml" }),
  ).rejects.toThrow(`the run ${runId}, a run of test.yaml, left a write open`);
});

test("after the key acts for another entity, the same mint of that entity does not prove a lost mint", async () => {
  const { sandbox, ledger } = await gold();
  const run = runnerForTest();
  const first = await run(BY_KEY, withLedger(targetOf(sandbox), { keyEntity: "userId:admin" }), NEVER_ARRIVES);
  await ledger("POST /token/mint", { as: "userId:bob", body: [{ id: "Gold", to: user("carol"), value: 5 }] });
  const { settled, observe } = verdicts();
  const later = withLedger(targetOf(sandbox), { keyEntity: "userId:bob" });
  expect((await run(BY_KEY, later, { resumes: first.runId, observe })).outcome).toBe("unknown");
  expect(settled).toEqual([]);
});

test.for([{ keyEntity: "userId:bob" }, {}])(
  "a lost mint by the key is found and not sent again, although the key acts for $keyEntity later",
  async (named) => {
    const { sandbox, control } = await gold();
    const run = runnerForTest();
    const target = { ...targetOf(sandbox), readLagMs: 0, settleWithinMs: 20_000 };
    const stop = new AbortController();
    const first = await run(BY_KEY, withLedger(target, { keyEntity: "userId:admin" }), {
      stopping: stop.signal,
      exchange: async (outgoing, send) => {
        const answer = await send(outgoing);
        if (!outgoing.fresh) return answer;
        stop.abort();
        return LOST;
      },
    });
    expect(first.outcome).toBe("interrupted");
    expect((await run(BY_KEY, withLedger(target, named), { resumes: first.runId })).outcome).toBe("passed");
    const { commits } = (await control("GET /commits")).body;
    expect(commits.filter(({ operation }: { operation: string }) => operation === "ledger.token.mint")).toHaveLength(1);
  },
);

test.for([
  ["of the same entity is refused", "userId:admin", { keyEntity: "userId:admin" }, true],
  ["of an entity that may be the key's is refused", "userId:bob", {}, true],
  ["of another entity passes", "userId:bob", { keyEntity: "userId:admin" }, false],
] as const)("during an open mint of the key, a mint %s", async ([, as, named, isKeptBack]) => {
  const { sandbox } = await gold();
  const run = runnerForTest();
  const target = withLedger(targetOf(sandbox), named);
  expect((await run(BY_KEY, target, NEVER_ARRIVES)).outcome).toBe("unknown");
  const other = run(mintAs(as), target, { file: "other.yaml" }).then(
    ({ outcome }) => outcome,
    (error: unknown) => (error as { code?: unknown }).code,
  );
  expect(await other).toBe(isKeptBack ? "run.open-write" : "passed");
});

test("a purchase by another credential is another purchase, even if the actor is also an entity of the ledger", async () => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  const run = runnerForTest();
  const target = targetOf(sandbox);
  const both = (credential: string): string => buyWith(`{ ledger: "userId:alice", investor: ${credential} }`);
  const first = await run(both("BUYER_KEY"), target, NEVER_ARRIVES);
  expect(first.outcome).toBe("unknown");
  const elsewhere = runnerForTest();
  expect((await elsewhere(both("SECOND_BUYER_KEY"), target)).outcome).toBe("passed");
  await expect(run(both("SECOND_BUYER_KEY"), target, { resumes: first.runId })).rejects.toThrow(
    'as was changed from "BUYER_KEY" to "SECOND_BUYER_KEY"',
  );
  await expect(run(buyWith("{ investor: BUYER_KEY }"), target, { file: "other.yaml" })).rejects.toThrow("left a write open");
});
