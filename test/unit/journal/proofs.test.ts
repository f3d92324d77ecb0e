import { hash } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/base/ports.ts";
import type { Json } from "../../../src/base/json/json.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import type { AttemptAnswered, Fact, RunOpened } from "../../../src/protocol/record.ts";
import type { StatePlace } from "../../../src/sql/place.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { JOURNAL } from "../../../src/journal/format.ts";
import { ON_SERVER, TestState } from "../../state.ts";

const PORTS = { clock: systemClock, redact: (text: string) => text };

function opened(runId: string): RunOpened {
  const target = { environment: "e", ledger: "http://ledger", appId: "app1", orgId: "org1", investor: null };
  const playbook = { file: "p.yaml", name: "P", digest: "" };
  return { kind: "run.opened", format: 1, runId, runKey: runId, playbook, steps: [], inputs: {}, target };
}

function answered(step: string, payload: Json): AttemptAnswered {
  const none = { envelope: null, receiptId: null, message: null, condition: null, retryAfterMs: null };
  return { kind: "attempt.answered", step, attempt: 0, meaning: "acknowledged", status: 200, payload, durationMs: 1, ...none };
}

// A fact that proves a write names the transaction in one of these ways. The last four facts name none.
const FACTS: readonly Fact[] = [
  answered("both", { transactionId: "t1", receiptId: "r1" }),
  answered("early", { receiptId: "r2" }),
  { kind: "receipt.read", step: "early", attempt: 0, committed: true, receipt: { status: "COMMITTED", transactionId: "t2" } },
  answered("bought", { result: { transactionId: "p1" } }),
  { kind: "attempt.settled", step: "seen", attempt: 0, verdict: "applied", evidence: {}, spends: "t3" },
  { kind: "attempt.settled", step: "person", attempt: 0, verdict: "applied", evidence: { who: "me" } },
  answered("nothing", { transactionId: "", receiptId: "" }),
  answered("strange", { transactionId: { a: "b" } }),
  answered("empty", null),
];
const PROVEN = { t1: "both", "receipt r2": "early", t2: "early", p1: "bought", t3: "seen" };

async function proofsIn(store: JournalStore): Promise<object> {
  const { journal } = await store.begin(opened("later"));
  const ids = ["t1", "r1", "receipt r1", "receipt r2", "t2", "p1", "t3", "", "receipt ", "unknown"];
  return Object.fromEntries(ids.flatMap((id) => journal.provenElsewhere(id).map(({ step }) => [id, step] as const)));
}

async function written(place: StatePlace): Promise<JournalStore> {
  const store = JournalStore.open(place, PORTS);
  const { journal } = await store.begin(opened("earlier"));
  for (const fact of FACTS) journal.note(fact);
  await journal.flushed();
  return store;
}

test("the next run knows what proved a write of an earlier run, and where", async () => {
  const store = await written(new TestState().place);
  onTestFinished(() => store.close());
  expect(await proofsIn(store)).toEqual(PROVEN);
  const { journal } = await store.begin(opened("last"));
  expect(journal.provenElsewhere("t1")).toEqual([{ runId: "earlier", step: "both", target: opened("earlier").target }]);
});

test("a proof of the run itself does not count as a proof elsewhere", async () => {
  const store = JournalStore.open(new TestState().place, PORTS);
  onTestFinished(() => store.close());
  const { journal } = await store.begin(opened("one"));
  journal.note(answered("mint", { transactionId: "t1" }));
  await journal.flushed();
  expect(journal.provenElsewhere("t1")).toEqual([]);
});

test.each([
  ["NUL", "t\0"],
  ["half a character", "t\ud83d"],
  ["more than an index takes", Array.from({ length: 400 }, (_, at) => hash("sha256", String(at))).join("")],
])("an id with %s proves a write like any other id", async (_what, id) => {
  const store = JournalStore.open(new TestState().place, PORTS);
  onTestFinished(() => store.close());
  const { journal } = await store.begin(opened("earlier"));
  journal.note(answered("mint", { transactionId: id }));
  await journal.flushed();
  const later = await store.begin(opened("later"));
  expect(later.journal.provenElsewhere(id)).toMatchObject([{ runId: "earlier", step: "mint" }]);
  expect(later.journal.provenElsewhere(`${id}x`)).toEqual([]);
});

test.skipIf(ON_SERVER)("the upgrade of an old journal adds its proofs, even if other records are damaged", async () => {
  const { folder } = new TestState();
  (await written(folder)).close();
  const database = Database.open(join(folder, "journal.db"), JOURNAL);
  database.run("UPDATE record SET body = '{not json' WHERE body LIKE '%\"nothing\"%'");
  database.exec("DROP INDEX run_written; DROP INDEX run_unsettled; DROP INDEX run_of_playbook; DROP INDEX run_key");
  for (const column of ["written_until", "settled", "identity", "key"]) database.exec(`ALTER TABLE run DROP COLUMN ${column}`);
  database.exec("DROP TABLE proof; DROP TABLE ended_run; DROP TABLE loss; DROP TABLE approval");
  database.exec("DROP TABLE archived_run; DROP TABLE archive; PRAGMA user_version = 4");
  database.close();
  const store = JournalStore.open(folder, PORTS);
  onTestFinished(() => store.close());
  expect(await proofsIn(store)).toEqual(PROVEN);
});
