// The run reads a difference again. It reads only the row if the service can be asked for it, and the whole
// list if only the list shows the truth.
import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import type { Comparison } from "../../../src/protocol/comparison.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { type Came, folderForTest, type Ran, runnerForTest, serve } from "./server.ts";

const MANY = LIMITS.shortListRows + 50;

interface Account {
  readonly id: string;
  readonly entity: { readonly userId: string };
  readonly balance: number;
}

function accounts(count: number): Account[] {
  return Array.from({ length: count }, (_, at) => ({ id: `a${at}`, tokenId: "T", entity: { userId: `user${at}` }, balance: at }));
}

/** Returns a playbook that compares the accounts with a register. The register holds each user's number as that user's balance. */
function against(count: number, key: "row.entity.userId" | "row.id" = "row.entity.userId"): string {
  const name = key === "row.id" ? "a" : "user";
  return `playbook: 1
mode: read-only
inputs: { numbers: { type: list, items: { type: integer }, default: [${Array.from({ length: count }, (_, at) => at).join(",")}] } }
reconcile:
  - id: balances
    left: { rows: inputs.numbers, key: "'${name}' + string(row)", value: row }
    right: { read: ledger.account.list, with: { tokenId: T }, key: ${key}, value: row.balance }
`;
}

interface Asked {
  readonly lists: number;
  readonly alone: readonly (string | null)[];
}

function asked(came: readonly Came[]): Asked {
  const alone = came.filter(({ path }) => path.endsWith("/token/account"));
  return { lists: came.filter(({ path }) => path.endsWith("/all")).length, alone: alone.map(({ query }) => query.get("id")) };
}

/** Runs the playbook against a service. `list` answers for the whole list, and `one` answers for a single account. */
async function compared(
  text: string,
  list: () => readonly Account[],
  one: (id: string) => { readonly status?: number; readonly body: string },
): Promise<Asked & { readonly ran: Ran; readonly comparison: Comparison }> {
  const { url, came } = await serve(({ path, query }) =>
    path.endsWith("/all") ? { body: JSON.stringify(list()) } : one(query.get("id") ?? ""),
  );
  const ran = await runnerForTest(folderForTest(), clockWithoutWaiting())(text, targetAt(url));
  const { comparison } = ran.completed.at(-1) ?? ran.stopped ?? {};
  return { ran, comparison: comparison ?? expect.fail(JSON.stringify(ran)), ...asked(came) };
}

test("if one row of many differs, only its account is read again, and not the list", async () => {
  const list = accounts(MANY).map((account) => (account.id === "a7" ? { ...account, balance: 8 } : account));
  const { ran, comparison, ...requests } = await compared(
    against(MANY),
    () => list,
    (id) => ({ body: JSON.stringify(list.find((account) => account.id === id)) }),
  );
  expect(ran.outcome).toBe("drift");
  expect(requests).toEqual({ lists: 1, alone: ["a7"] });
  expect(comparison).toMatchObject({
    looks: 2,
    right: { rows: MANY, requests: 2 },
    drifts: [{ kind: "differs", left: "7", right: "8" }],
  });
});

test("a row that was in flight counts as settled only after the list shows its new value", async () => {
  let looks = 0;
  const { ran, comparison, ...requests } = await compared(
    against(MANY),
    () => accounts(MANY).map((account) => (account.id === "a7" && looks++ === 0 ? { ...account, balance: 8 } : account)),
    () => ({ body: JSON.stringify(accounts(MANY)[7]) }),
  );
  expect(ran.outcome).toBe("passed");
  expect(requests).toEqual({ lists: 2, alone: ["a7"] });
  expect(comparison.counts).toMatchObject({ settled: 1 });
});

test.each([
  ["would agree", 7],
  ["differs otherwise", 9],
])("an account that is read alone settles no difference that the list still shows: it %s", async (_what, balance) => {
  const { comparison, ...requests } = await compared(
    against(MANY),
    () => accounts(MANY).map((account) => (account.id === "a7" ? { ...account, balance: 8 } : account)),
    () => ({ body: JSON.stringify({ ...accounts(MANY)[7], balance }) }),
  );
  expect(requests).toMatchObject({ lists: 2, alone: ["a7"] });
  expect(comparison).toMatchObject({ drifts: [{ kind: "differs", left: "7", right: "8" }], counts: { settled: 0, moving: 0 } });
});

test("a row is missing if the service does not have its account; if it has one, the list is read again", async () => {
  const list = (): readonly Account[] => accounts(MANY - 1);
  const gone = await compared(against(MANY, "row.id"), list, () => ({ status: 404, body: '{"error":"account not found"}' }));
  expect(gone).toMatchObject({ lists: 1, alone: [`a${MANY - 1}`], comparison: { drifts: [{ kind: "missing-right" }] } });
  const kept = await compared(against(MANY, "row.id"), list, () => ({ body: JSON.stringify(accounts(MANY).at(-1)) }));
  expect(kept).toMatchObject({ lists: 2, alone: [`a${MANY - 1}`], comparison: { drifts: [{ kind: "missing-right" }] } });
});

test.each([
  ["the service does not give it", { status: 500, body: "{}" }],
  ["it is gone", { status: 404, body: '{"error":"account not found"}' }],
  ["it belongs to another holder", { body: JSON.stringify({ ...accounts(1)[0], balance: 8 }) }],
  ["it belongs to another token", { body: JSON.stringify({ ...accounts(8)[7], tokenId: "U", balance: 8 }) }],
  ["it is no account", { body: "[]" }],
])("the list is read again if the single account shows nothing: %s", async (_why, answer) => {
  const list = accounts(MANY).map((account) => (account.id === "a7" ? { ...account, balance: 8 } : account));
  const { comparison, lists } = await compared(
    against(MANY),
    () => list,
    () => answer,
  );
  expect(lists).toBe(2);
  expect(comparison).toMatchObject({ gaps: [], drifts: [{ kind: "differs", left: "7", right: "8" }] });
});

test("the list is read again if it is short, if many rows differ, or if two rows share a key", async () => {
  const none = (): never => expect.fail("an account was read alone");
  const short = await compared(against(3), () => accounts(3).map((account) => ({ ...account, balance: 0 })), none);
  expect(short).toMatchObject({ lists: 2, comparison: { counts: { new: 2 } } });
  const far = await compared(against(MANY), () => accounts(MANY).map((account) => ({ ...account, balance: -1 })), none);
  expect(far).toMatchObject({ lists: 2, comparison: { counts: { new: MANY } } });
  const twice = await compared(against(MANY), () => [...accounts(MANY), ...accounts(1)], none);
  expect(twice).toMatchObject({ lists: 2, comparison: { drifts: [{ kind: "duplicate-right" }] } });
});
