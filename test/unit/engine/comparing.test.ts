import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Comparison } from "../../../src/protocol/comparison.ts";
import { DriftBook } from "../../../src/reconcile/drift-book.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { folderForTest, NOT_STOPPING, type Ran, runnerForTest, serve } from "./server.ts";

function comparisonIn({ completed, stopped }: Ran): Comparison {
  const { comparison } = [...completed, stopped].find((each) => each?.comparison !== undefined) ?? {};
  return comparison ?? expect.fail("nothing was compared");
}

/** Compares a balance with a record that says when it changed. */
const WITH_TIMES = `playbook: 1
mode: read-only
reconcile:
  - id: balances
    left: { rows: "[{'holder': 'alice', 'balance': 1}]", key: row.holder, value: row.balance }
    right: { read: ledger.account.list, with: { tokenId: T }, key: "'alice'", value: row.balance, at: row.updatedAt }
    settle: 10m
`;

test("a difference younger than the settle time is moving, and is a drift if a later run finds it unchanged", async () => {
  let balance = 5;
  const { url } = await serve(() => ({ body: `[{"balance":${balance},"updatedAt":"2099-01-01T00:00:00Z"}]` }));
  const clock = clockWithoutWaiting();
  const run = runnerForTest(folderForTest(), clock);
  const outcome = async (): Promise<string> => (await run(WITH_TIMES, targetAt(url))).outcome;
  const later = async (minutes: number): Promise<void> => clock.sleep(minutes * 60_000, new AbortController().signal);
  const first = await run(WITH_TIMES, targetAt(url));
  expect(first, JSON.stringify(first)).toMatchObject({
    outcome: "pending",
    stopped: { problem: { code: "reconcile.moving", message: "1 difference is younger than the settle time of 10 min 0 s" } },
  });
  expect(comparisonIn(first).looks).toBe(2);
  expect(clock.elapsed()).toBeLessThan(60_000);
  await later(6);
  expect(await outcome()).toBe("pending");
  await later(6);
  expect(await outcome()).toBe("drift");
  balance = 6;
  expect(await outcome()).toBe("pending");
  await later(11);
  balance = 1;
  expect(await outcome()).toBe("passed");
  balance = 6;
  expect(await outcome(), "it was gone in between").toBe("pending");
});

/** How long a replica is behind. */
const LAG_MS = 4_000;
const AT_ONCE = WITH_TIMES.replace("settle: 10m", "settle: 0s");
const accountOf = (balance: number): string => `[{"balance":${balance},"updatedAt":"2020-01-01T00:00:00Z"}]`;

test("a difference is not settled by a look that may be older than the first one", async () => {
  const clock = clockWithoutWaiting();
  let first: number | undefined;
  const { url } = await serve(() => {
    const isNew = first === undefined || clock.elapsed() - first >= LAG_MS;
    first ??= clock.elapsed();
    return { body: accountOf(isNew ? 5 : 1) };
  });
  const ran = await runnerForTest(folderForTest(), clock)(AT_ONCE, { ...targetAt(url), readLagMs: LAG_MS });
  expect(ran.outcome, JSON.stringify(ran)).toBe("drift");
  expect(comparisonIn(ran)).toMatchObject({ looks: 2, counts: { new: 1, settled: 0 } });
});

test("a check and a comparison begin only once reads show everything from before the run", async () => {
  const checked = `playbook: 1\nchecks: [{ read: ledger.asset.stats, that: response.totalCount == 1 }]\n`;
  for (const [playbook, wanted] of [
    [checked, "failed"],
    [AT_ONCE, "drift"],
  ] as const) {
    const clock = clockWithoutWaiting();
    const { url } = await serve(({ path }) => {
      const count = clock.elapsed() >= LAG_MS ? 2 : 1;
      return { body: path.endsWith("/stats") ? `{"totalCount":${count},"countByType":[]}` : accountOf(count) };
    });
    const ran = await runnerForTest(folderForTest(), clock)(playbook, { ...targetAt(url), readLagMs: LAG_MS });
    expect(ran.outcome, JSON.stringify(ran)).toBe(wanted);
  }
});

const TWICE = `playbook: 1
mode: read-only
reconcile:
  - id: twice
    left: { read: ledger.account.list, with: { tokenId: T }, key: "'alice'", value: row.balance }
    right: { rows: "[{'holder': 'alice', 'balance': 2}]", key: row.holder, value: row.balance }
`;

test("acknowledging a duplicate key acknowledges each of its rows, and not their sum", async () => {
  const folder = folderForTest();
  const run = runnerForTest(folder);
  let balances: readonly number[] = [];
  const { url } = await serve(() => ({ body: JSON.stringify(balances.map((balance) => ({ balance }))) }));
  const outcomeOf = async (...given: readonly number[]): Promise<Ran> => {
    balances = given;
    return run(TWICE, targetAt(url));
  };
  const first = comparisonIn(await outcomeOf(1, 1)).drifts[0];
  expect(first).toMatchObject({ kind: "duplicate-left", state: "new" });
  const book = DriftBook.open(folder);
  const word = { id: first?.id ?? "", who: "dora", because: "booked twice", until: Number.MAX_SAFE_INTEGER };
  book.acknowledge({ ...word, at: first?.since ?? 0 });
  book.close();
  expect((await outcomeOf(1, 1)).outcome).toBe("passed");
  const changed = await outcomeOf(1_000_001, -999_999);
  expect(changed.outcome).toBe("drift");
  expect(comparisonIn(changed).drifts).toMatchObject([{ state: "changed", left: "2" }]);
});

const VAULTS = (reader: string): string => `playbook: 1
mode: read-only
reconcile:
  - id: vaults
    left: { rows: "[{'id': 'V1'}, {'id': 'V2'}]", key: row.id }
    right: { as: { ledger: "userId:${reader}" }, read: ledger.vault.list, key: row.id }
`;

test("a drift that one actor sees is not cleared by a run as another actor who cannot see it", async () => {
  const seen: Readonly<Record<string, string>> = { "userId:anna": '[{"id":"V1"},{"id":"V2"},{"id":"V3"}]' };
  const { url } = await serve(({ query }) => ({ body: seen[query.get("actAs") ?? ""] ?? '[{"id":"V1"},{"id":"V2"}]' }));
  const run = runnerForTest();
  const countsOf = async (reader: string): Promise<unknown> => comparisonIn(await run(VAULTS(reader), targetAt(url))).counts;
  expect(await countsOf("anna")).toMatchObject({ new: 1 });
  expect(await countsOf("ben")).toMatchObject({ new: 0, cleared: 0 });
  expect(await countsOf("anna")).toMatchObject({ persisting: 1 });
});

/** Compares the accounts of tokens. A step reads them one after the other, in rounds within rounds or in one read. */
const READ_BY_STEPS: Readonly<Record<string, (token: string) => string>> = {
  "in one read": (token) => `
steps:
  - { id: accounts, uses: ledger.account.list, as: { ledger: "userId:anna" }, with: { tokenId: ${token} } }
reconcile:
  - id: accounts
    left: { rows: "['alice']", key: row }
    right: { rows: "steps.accounts.response", where: row.balance != 0, key: row.entity.userId }
`,
  "in rounds within rounds": (token) => `
steps:
  - id: days
    foreach: { day: [monday], key: day }
    block:
      - id: accounts
        foreach: { token: [${token}], key: token }
        uses: ledger.account.list
        as: { ledger: "userId:anna" }
        with: { tokenId: "\${{ token }}" }
reconcile:
  - id: accounts
    left: { rows: "['alice']", key: row }
    right: { rows: "steps.accounts.monday.map(id, steps.accounts.monday[id].response[0])", where: row.balance != 0, key: row.entity.userId }
`,
};

test.each(Object.entries(READ_BY_STEPS))(
  "a drift of one token is not cleared by a run whose steps read another token: %s",
  async (_, stepsOf) => {
    let gold = 1;
    const { url } = await serve(({ body }) => {
      const token = body.includes("GOLD") ? "GOLD" : "SILVER";
      const [userId, balance] = token === "GOLD" ? ["bob", gold] : ["alice", 1];
      return { body: JSON.stringify([{ id: "account~1", tokenId: token, entity: { orgId: "org1", userId }, balance }]) };
    });
    const run = runnerForTest();
    const drifts = async (token: string): Promise<readonly string[]> => {
      const { counts } = comparisonIn(await run(`playbook: 1\nmode: read-only${stepsOf(token)}`, targetAt(url)));
      return (["new", "persisting", "cleared"] as const).flatMap((state) =>
        counts[state] === 0 ? [] : [`${counts[state]} ${state}`],
      );
    };
    expect(await drifts("GOLD")).toEqual(["2 new"]);
    expect(await drifts("SILVER"), "GOLD was not read again").toEqual([]);
    gold = 0;
    expect(await drifts("GOLD")).toEqual(["1 persisting", "1 cleared"]);
  },
);

test("a run clears no drift that another run found after it began", async () => {
  let rows = '[{"id":"V1"},{"id":"V2"}]';
  const { url } = await serve(() => ({ body: rows }));
  const run = runnerForTest();
  const early = rows;
  let meanwhile: Ran | undefined;
  const slow = await run(VAULTS("anna"), targetAt(url), {
    exchange: async (outgoing, send) => {
      rows = early;
      const answer = await send(outgoing);
      rows = '[{"id":"V1"}]';
      meanwhile ??= await run(VAULTS("anna"), targetAt(url));
      return answer;
    },
  });
  expect(meanwhile?.outcome).toBe("drift");
  expect(slow.outcome).toBe("passed");
  expect(comparisonIn(slow).counts).toMatchObject({ cleared: 0 });
  expect(comparisonIn(await run(VAULTS("anna"), targetAt(url))).counts).toMatchObject({ persisting: 1 });
  rows = early;
  expect(comparisonIn(await run(VAULTS("anna"), targetAt(url))).counts).toMatchObject({ cleared: 1 });
});

test("a row with a new change time at each run is a drift once an earlier run has seen the same values", async () => {
  let touched = "";
  const { url } = await serve(() => ({ body: `[{"balance":5,"updatedAt":"${touched}"}]` }));
  const clock = clockWithoutWaiting();
  const run = runnerForTest(folderForTest(), clock);
  const outcome = async (): Promise<string> => {
    touched = new Date(clock.now()).toISOString();
    return (await run(WITH_TIMES, targetAt(url))).outcome;
  };
  expect(await outcome()).toBe("pending");
  await clock.sleep(11 * 60_000, NOT_STOPPING);
  expect(await outcome()).toBe("drift");
  expect(await outcome()).toBe("drift");
});

test("the change time of a row must have a time zone", async () => {
  let at = "";
  const { url } = await serve(() => ({ body: `[{"balance":1,"updatedAt":${JSON.stringify(at)}}]` }));
  const run = runnerForTest();
  for (at of ["2026-05-28T20:26:40", "01/02/2026", "5"]) {
    const ran = await run(WITH_TIMES, targetAt(url));
    expect(ran, at).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.incomplete" } } });
    expect(comparisonIn(ran).gaps).toMatchObject([{ message: expect.stringContaining("must give a time with its zone") }]);
  }
  for (at of ["2026-05-28T20:26:40Z", "2026-05-28T20:26:40.123456+02:00", "2026-05-28"]) {
    expect(await run(WITH_TIMES, targetAt(url)), at).toMatchObject({ outcome: "passed" });
  }
});

test("a vault that does not name its share tokens makes the comparison incomplete", async () => {
  const { url } = await serve(({ path }) => ({
    body: path.endsWith("/assets") ? '{"count":0,"assets":[]}' : '{"id":"V","name":"Vault"}',
  }));
  const run = runnerForTest();
  const compared = await run("playbook: 1\nmode: read-only\nreconcile: [{ id: vault, conserve: { vault: V } }]\n", targetAt(url));
  expect(compared).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.incomplete" } } });
  expect(comparisonIn(compared).gaps).toMatchObject([{ message: "page 1: vaultTokenId must be a list of texts, and is null" }]);
  const checked = await run(
    "playbook: 1\nsteps: [{ uses: ledger.vault.assets, with: { id: V } }]\nchecks: [{ conserve: { vault: V } }]\n",
    targetAt(url),
  );
  expect(checked).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.row" } } });
});

test("a side does not count the rows of a reading that was repeated or incomplete", async () => {
  let first = true;
  const { url } = await serve(({ query }) => {
    const page = Number(query.get("page") ?? 1);
    const totalItems = first ? 5 : 2;
    if (page === 2) first = false;
    const sales = [{ id: `S${page}`, totalSoldTokens: 1 }];
    return { body: JSON.stringify({ status: "SUCCESS", response: { sales, pagination: { page, totalPages: 2, totalItems } } }) };
  });
  const run = runnerForTest();
  const text = `playbook: 1
mode: read-only
reconcile:
  - id: sales
    left: { rows: "[{'sale': 'S1'}, {'sale': 'S2'}]", key: row.sale }
    right: { as: { investor: BUYER_KEY }, read: investor.sales.list, key: row.id }
`;
  const again = await run(text, targetAt(url));
  expect(again.outcome, JSON.stringify(again)).toBe("passed");
  expect(comparisonIn(again).right).toMatchObject({ rows: 2, keys: 2, requests: 4 });
  const { url: other } = await serve(() => ({
    body: '{"status":"SUCCESS","response":{"sales":[{"id":"S1"}],"pagination":{"page":1,"totalPages":1,"totalItems":2}}}',
  }));
  const cut = await run(text, targetAt(other));
  expect(cut).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.incomplete" } } });
  expect(comparisonIn(cut).gaps).toMatchObject([{ code: "paging.count" }]);
  expect(comparisonIn(cut).right).toMatchObject({ rows: 0, keys: 0, requests: 3 });
});

test("a condition that is neither true nor false fails, and skips no step and no row", async () => {
  const { url } = await serve(({ path }) => ({
    body: path.endsWith("/all")
      ? '{"count":1,"bookmark":"","records":[{"id":"A","data":{"open":"false"}}]}'
      : '{"id":"A","data":{"open":"true"}}',
  }));
  const run = runnerForTest();
  const guarded = await run(
    `playbook: 1
steps:
  - { id: asset, uses: ledger.asset.get, with: { assetType: Property, id: A } }
  - { id: more, if: steps.asset.response.data.open, uses: ledger.asset.stats }
`,
    targetAt(url),
  );
  expect(guarded).toMatchObject({
    outcome: "failed",
    stopped: { step: "more", problem: { message: 'steps.asset.response.data.open must be true or false, and is "true"' } },
  });
  const compared = await run(
    `playbook: 1
mode: read-only
reconcile:
  - id: assets
    left: { rows: "[{'id': 'A'}]", key: row.id }
    right: { read: ledger.asset.list, with: { assetType: Property }, where: row.data.open, key: row.id }
`,
    targetAt(url),
  );
  expect(compared).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.incomplete" } } });
  expect(comparisonIn(compared).gaps).toMatchObject([{ message: 'page 1: row.data.open must be true or false, and is "false"' }]);
});

test("a comparison shows that a step's rows were read at the time of the step", async () => {
  let looks = 0;
  const { url } = await serve(({ path }) => ({
    body: path === "/asset/stats" ? `{"totalCount":${++looks}}` : '[{"balance":5,"entity":{"userId":"alice"}}]',
  }));
  const clock = clockWithoutWaiting();
  const began = clock.now();
  const ran = await runnerForTest(folderForTest(), clock)(
    `playbook: 1
mode: read-only
steps:
  - { id: accounts, uses: ledger.account.list, with: { tokenId: T } }
  - { id: later, uses: ledger.asset.stats, expect: [response.totalCount == 2], retry: { attempts: 2, every: 1m } }
reconcile:
  - id: balances
    left: { rows: steps.accounts.response, key: row.entity.userId, value: row.balance }
    right: { read: ledger.account.list, with: { tokenId: T }, key: row.entity.userId, value: row.balance }
`,
    targetAt(url),
  );
  expect(ran.outcome, JSON.stringify(ran)).toBe("passed");
  const { left, right } = comparisonIn(ran);
  expect([left.from, left.to]).toEqual([began, began]);
  expect(right.from).toBeGreaterThanOrEqual(began + 60_000);
});

const THREE = `playbook: 1
mode: read-only
reconcile:
${["first", "second", "third"]
  .map(
    (id) =>
      `  - { id: ${id}, recheck: 1ms, left: { rows: "[1]", key: row, value: row }, right: { rows: "[1]", key: row, value: "2" } }`,
  )
  .join("\n")}
`;

test("a failure in one comparison does not stop the others, and a drift stays the outcome", async () => {
  const folder = folderForTest();
  const drifts = join(folder, "drift.db");
  const problems: (string | undefined)[] = [];
  const ran = await runnerForTest(folder)(THREE, targetAt("http://127.0.0.1:9"), {
    observe: (event) => {
      if (event.kind !== "step.stopped") return;
      problems.push(event.problem?.code);
      if (event.step === "reconcile.first") {
        renameSync(drifts, `${drifts}.kept`);
        symlinkSync(`${drifts}.kept`, drifts);
      } else if (event.step === "reconcile.second") renameSync(`${drifts}.kept`, drifts);
    },
  });
  expect(problems).toEqual(["reconcile.drift", "state.untrusted", "reconcile.drift"]);
  expect(ran.outcome).toBe("drift");
});

test("a run stops if its journal fails during a comparison", async () => {
  const folder = folderForTest();
  const stopped: string[] = [];
  const run = runnerForTest(folder)(THREE, targetAt("http://127.0.0.1:9"), {
    observe: (event) => {
      if (event.kind === "step.stopped") stopped.push(event.step);
      if (event.kind !== "step.waiting" || event.step !== "reconcile.second") return;
      const journal = new DatabaseSync(join(folder, "journal.db"));
      journal.exec("UPDATE lease SET epoch = epoch + 1");
      journal.close();
    },
  });
  await expect(run).rejects.toMatchObject({ code: "journal.claim-lost" });
  expect(stopped).toEqual(["reconcile.first"]);
});
