import { expect, test } from "vitest";
import type { Exchanged } from "../../src/transport/exchange.ts";
import { sandboxForTest, user } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const PLAYBOOK = `playbook: 1
actors: { owner: { ledger: "userId:alice" } }
defaults: { as: owner }
steps: [{ id: delete, uses: ledger.asset.delete, with: { assetType: Property, id: P1 } }]
`;
const lost = { kind: "no-answer", why: "other side closed" } as const;
const bob = "userId:bob";
const delay = { commitDelayMs: 0 };

test.for([
  ["applied", { method: "PATCH", body: { assetType: "Property", data: { id: "P1", price: 5 } } }, "changed"],
  ["of unknown origin", { method: "DELETE", body: { assetType: "Property", id: "P1" } }, "unknown"],
] as const)("a deletion whose answer is lost, after a change by another owner, is %s", async ([, others, ended]) => {
  const { sandbox, ledger, control } = await sandboxForTest(delay);
  const data = { id: "P1", ledgerMetadata: { owners: [user("alice"), user("bob")] } };
  await ledger("POST /asset", { body: { assetType: "Property", data } });
  const { outcome, completed, stopped } = await runnerForTest()(PLAYBOOK, targetOf(sandbox), {
    exchange: async (outgoing, send) => {
      if (!outgoing.fresh) return send(outgoing);
      await ledger(`${others.method} /asset`, { as: bob, body: others.body });
      await send(outgoing);
      return lost;
    },
  });
  expect(stopped?.outcome ?? completed[0]?.outcome, `${outcome} ${JSON.stringify(stopped)}`).toBe(ended);
  const { commits } = (await control("GET /commits")).body;
  if (ended === "changed") expect(completed[0]?.value).toMatchObject({ transactionId: commits.at(-1).transactionId });
});

type History = readonly Record<string, unknown>[];
const NEWEST_FIRST = (records: History): History => records.toReversed();
// Shows the history of a service that records only the fact of a deletion, not who deleted the asset or when.
const AS_LEFT_BEFORE = (records: History): History =>
  records.map((record, at) => {
    const { updatedAt, updatedBy } = records[at - 1] ?? record;
    return record["trasactionType"] === "DELETED" ? { ...record, updatedAt, updatedBy } : record;
  });

// Loses the deletion that the run makes as alice. Alice and bob make other changes before the deletion reaches the service, if it does.
async function deletedBehind(
  shown: (records: History) => History,
  others: readonly (readonly [string, "PATCH" | "DELETE"])[],
  { arrives }: { readonly arrives: boolean },
): Promise<readonly string[]> {
  const { sandbox, ledger, control } = await sandboxForTest(delay);
  const data = { id: "P1", ledgerMetadata: { owners: [user("alice"), user("bob")] } };
  await ledger("POST /asset", { as: "userId:alice", body: { assetType: "Property", data } });
  const settled: string[] = [];
  const { outcome } = await runnerForTest()(
    PLAYBOOK,
    { ...targetOf(sandbox), readLagMs: 0 },
    {
      observe: (event) => {
        if (event.kind === "attempt.settled")
          settled.push(event.transactionId === undefined ? "applied" : "applied, by its record");
      },
      exchange: async (outgoing, send) => {
        if (!outgoing.fresh) {
          const answer = await send(outgoing);
          return outgoing.path.includes("/asset/history") ? reordered(answer, shown) : answer;
        }
        await control("POST /clock", { advance: "10s" });
        for (const [who, method] of others) {
          const body = { assetType: "Property", ...(method === "PATCH" ? { data: { id: "P1", price: 5 } } : { id: "P1" }) };
          await ledger(`${method} /asset`, { as: `userId:${who}`, body });
          await control("POST /clock", { advance: "10s" });
        }
        if (arrives) await send(outgoing);
        return lost;
      },
    },
  );
  return [...settled, outcome];
}

function reordered(answer: Exchanged, shown: (records: History) => History): Exchanged {
  if (answer.kind !== "answered" || answer.status !== 200) return answer;
  const history = JSON.parse(answer.text) as { readonly records: History };
  return { ...answer, text: JSON.stringify({ ...history, records: shown(history.records) }) };
}

test("a history that lists its newest record first is understood", async () => {
  const byBob = [
    ["alice", "PATCH"],
    ["bob", "DELETE"],
  ] as const;
  expect(await deletedBehind(NEWEST_FIRST, byBob, { arrives: false })).toEqual(["unknown"]);
  expect(await deletedBehind(NEWEST_FIRST, [["bob", "PATCH"]], { arrives: true })).toEqual(["applied, by its record", "passed"]);
});

test("a record of a deletion that repeats the author of the change before it counts as a record without an author", async () => {
  expect(
    await deletedBehind(
      AS_LEFT_BEFORE,
      [
        ["alice", "PATCH"],
        ["bob", "DELETE"],
      ],
      { arrives: false },
    ),
  ).toEqual(["applied", "passed"]);
  expect(await deletedBehind(AS_LEFT_BEFORE, [["bob", "PATCH"]], { arrives: true })).toEqual(["applied", "passed"]);
});
