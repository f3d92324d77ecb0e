import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { systemClock } from "../../../src/base/ports.ts";
import { Commits } from "../../../src/journal/commits.ts";
import { Holders } from "../../../src/journal/holder.ts";
import { RunJournal } from "../../../src/journal/journal.ts";
import { Leases } from "../../../src/journal/leases.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { Tail } from "../../../src/journal/tail.ts";
import type { Fact, RunRecord } from "../../../src/protocol/record.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { answered, completed, intended, opened } from "../protocol/facts.ts";
import { keep } from "./keep.ts";

const PORTS = { clock: systemClock, redact: (text: string): string => text };
const FILES = ["journal.db", "journal.db-wal", "journal.tail"];
const STEPS = 12;
const PAGE = 4_096;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tokenbook-damage-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Left {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly records: readonly RunRecord[];
}

function write(journal: RunJournal, step: string): void {
  keep(journal, { ...intended(step), input: { text: step.repeat(500) } } as never);
  keep(journal, answered(step, "acknowledged"));
  journal.note(completed(step));
}

/** The files that a killed process left, after so many steps; of a first one that closed in order, all is in the file itself. */
async function left(closed: number): Promise<Left> {
  const at = join(folder, "whole");
  const first = JournalStore.open(at, PORTS);
  const { journal } = await first.begin(opened, "test");
  for (let step = 0; step < closed; step++) write(journal, `first${step}`);
  await first.release(journal, "interrupted");
  first.close();
  const second = JournalStore.open(at, PORTS);
  const { journal: next } = await second.claim("run1");
  for (let step = closed; step < STEPS; step++) write(next, `second${step}`);
  next.flush();
  const files = FILES.map((name): [string, Buffer] => [name, readFileSync(join(at, name))]);
  const records = second.read("run1");
  second.close();
  return { files: new Map(files), records };
}

function laid({ files }: Left, without: readonly string[] = []): string {
  const at = mkdtempSync(join(folder, "damaged-"));
  for (const [name, content] of files) if (!without.includes(name)) writeFileSync(join(at, name), content);
  return at;
}

/** What is read there, by whoever would go on with it. */
function found(at: string): readonly RunRecord[] | Failure {
  let store: JournalStore | undefined;
  try {
    store = JournalStore.open(at, PORTS);
    store.assertWhole();
    return store.read("run1");
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  } finally {
    store?.close();
  }
}

// Around each page, and close together where the last writes are.
function cutsOf(size: number): readonly number[] {
  const pages = Array.from({ length: Math.ceil(size / PAGE) }, (_, page) => page * PAGE);
  const last = Array.from({ length: 8 }, (_, at) => size - 1 - at * (PAGE / 8));
  return [...new Set([...pages.flatMap((at) => [at, at + 1, at + 32]), ...last])].filter((at) => at < size);
}

test.for([
  ["journal.db", STEPS / 2],
  ["journal.db-wal", 1],
] as const)("%s is cut at any byte: nothing that was acknowledged is forgotten without a word", async ([name, closed]) => {
  const whole = await left(closed);
  expect(found(laid(whole))).toEqual(whole.records);
  for (const cut of cutsOf(whole.files.get(name)?.length ?? 0)) {
    const at = laid(whole);
    truncateSync(join(at, name), cut);
    const now = found(at);
    if (!(now instanceof Failure)) expect(now, `cut at ${cut}`).toEqual(whole.records);
    else expect(now.code, `cut at ${cut}`).toMatch(/^(?:journal\.lost|journal\.broken|database\.damaged)$/);
    rmSync(at, { recursive: true });
  }
});

test("a journal without the file that tells its end, as earlier versions left it, is that of an earlier moment when it is cut, and never another", async () => {
  const whole = await left(1);
  const cuts = cutsOf(whole.files.get("journal.db-wal")?.length ?? 0).filter((_, number) => number % 3 === 0);
  for (const cut of cuts) {
    const at = laid(whole, ["journal.tail"]);
    truncateSync(join(at, "journal.db-wal"), cut);
    const now = found(at);
    if (!(now instanceof Failure)) expect(now, `cut at ${cut}`).toEqual(whole.records.slice(0, now.length));
    rmSync(at, { recursive: true });
  }
});

test("the log of a killed process is left behind in a copy, or an old copy is put back: that is told, with the record that is missing", async () => {
  const whole = await left(STEPS / 2);
  const last = whole.records.at(-1)?.sequence;
  const says = new RegExp(`no longer has record ${last} of run run1, which was the last`);
  const without = found(laid(whole, ["journal.db-wal"]));
  expect(without).toBeInstanceOf(Failure);
  expect((without as Failure).message).toMatch(says);
  const empty = laid(whole, ["journal.db", "journal.db-wal"]);
  expect((found(empty) as Failure).message).toMatch(says);
  await expect(JournalStore.open(empty, PORTS).begin(opened, "test")).rejects.toThrow(says);
});

test("a byte of the file is another: what is read is what was written, or it is refused", async () => {
  const whole = await left(STEPS);
  const content = whole.files.get("journal.db") ?? Buffer.alloc(0);
  const refused = new Set<string>();
  for (let at = 40; at < content.length; at += 997) {
    const damaged = Buffer.from(content);
    damaged[at] = (damaged[at] ?? 0) ^ 0x40;
    const now = found(laid({ ...whole, files: new Map([...whole.files, ["journal.db", damaged]]) }));
    if (now instanceof Failure) refused.add(now.code);
    else expect(now, `byte ${at}`).toEqual(whole.records);
  }
  expect(refused).toContain("journal.broken");
});

test("the disk is full: nothing is written after the gap, not even when there is room again; what was before is whole", async () => {
  const store = JournalStore.open(folder, PORTS);
  await store.begin(opened, "test");
  const database = Database.open(join(folder, "journal.db"));
  const liveness = new Holders(folder);
  const leases = new Leases(database, { ...PORTS, liveness });
  const last = [...store.chain("run1")].at(-1);
  const journal = new RunJournal(
    { database, commits: new Commits(database), leases, liveness, tail: new Tail(database) },
    { claim: leases.takeOver("run1"), end: { sequence: 1, hash: last?.hash ?? "" }, opening: () => {} },
    PORTS,
  );
  write(journal, "kept");
  journal.flush();
  database.exec("PRAGMA max_page_count = 1");
  const full = /the journal cannot be written \(attempt.intended of step "mint"\): .* cannot grow: database or disk is full/;
  expect(() => {
    for (let attempt = 0; ; attempt++) keep(journal, { ...intended("mint", attempt), message: "x".repeat(PAGE) } as Fact);
  }).toThrow(full);
  database.exec("PRAGMA max_page_count = 1000000");
  expect(() => keep(journal, intended("later"))).toThrow(full);
  const records = store.read("run1");
  expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, at) => at));
  expect(records.filter(({ kind }) => kind === "attempt.intended")).not.toContainEqual(
    expect.objectContaining({ step: "later" }),
  );
});

test("the file is removed while it is in use: the next record is not written into nothing", async () => {
  const store = JournalStore.open(folder, PORTS);
  const { journal } = await store.begin(opened, "test");
  copyFileSync(join(folder, "journal.db"), join(folder, "copy.db"));
  rmSync(join(folder, "journal.db"));
  expect(() => keep(journal, intended("mint"))).toThrow(/has been removed or replaced while it was in use/);
  expect(statSync(join(folder, "copy.db")).size).toBeGreaterThan(0);
});

test("what is no database, or no file, is told", () => {
  writeFileSync(join(folder, "journal.db"), "no database ".repeat(1_000));
  expect(() => JournalStore.open(folder, PORTS)).toThrow(/journal.db is damaged: file is not a database/);
  expect(() => JournalStore.open(join(folder, "journal.db"), PORTS)).toThrow(/cannot be read and written/);
});
