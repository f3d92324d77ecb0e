import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { systemClock } from "../../../src/base/ports.ts";
import { Commits } from "../../../src/journal/commits.ts";
import { journalHealth } from "../../../src/journal/health.ts";
import { Holders } from "../../../src/journal/holder.ts";
import { RunJournal } from "../../../src/journal/journal.ts";
import { Leases } from "../../../src/journal/leases.ts";
import { acceptLoss } from "../../../src/journal/loss.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { FileTail, tailFileOf } from "../../../src/journal/tail.ts";
import type { Fact, RunRecord } from "../../../src/protocol/record.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { JOURNAL } from "../../../src/journal/format.ts";
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
  /** The content of the journal's tail when the first process had closed. */
  readonly earlierTail: Buffer;
}

function write(journal: RunJournal, step: string): void {
  keep(journal, { ...intended(step), input: { text: step.repeat(500) } } as never);
  keep(journal, answered(step, "acknowledged"));
  journal.note(completed(step));
}

/**
 * Returns the files of a killed process. The process before it did `closed` of the steps and closed the journal cleanly, so that the main
 * file holds all of them.
 */
async function left(closed: number): Promise<Left> {
  const at = mkdtempSync(join(folder, "whole-"));
  const first = JournalStore.open(at, PORTS);
  const { journal } = await first.begin(opened);
  for (let step = 0; step < closed; step++) write(journal, `first${step}`);
  await first.release(journal, "interrupted", 0);
  first.close();
  const earlierTail = readFileSync(join(at, "journal.tail"));
  const second = JournalStore.open(at, PORTS);
  const { journal: next } = await second.claim("run1");
  for (let step = closed; step < STEPS; step++) write(next, `second${step}`);
  next.flush();
  const files = FILES.map((name): [string, Buffer] => [name, readFileSync(join(at, name))]);
  const records = second.read("run1");
  second.close();
  return { files: new Map(files), records, earlierTail };
}

function laid({ files }: Left, without: readonly string[] = []): string {
  const at = mkdtempSync(join(folder, "damaged-"));
  for (const [name, content] of files) if (!without.includes(name)) writeFileSync(join(at, name), content);
  return at;
}

/** Returns what a process that wanted to continue the run would read there. */
function found(at: string): readonly RunRecord[] | Failure {
  let store: JournalStore | undefined;
  try {
    store = JournalStore.open(at, PORTS);
    return store.read("run1");
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  } finally {
    store?.close();
  }
}

// Returns the places to cut: around each page, and close together at the end, where the last writes are.
function cutsOf(size: number): readonly number[] {
  const pages = Array.from({ length: Math.ceil(size / PAGE) }, (_, page) => page * PAGE);
  const last = Array.from({ length: 8 }, (_, at) => size - 1 - at * (PAGE / 8));
  return [...new Set([...pages.flatMap((at) => [at, at + 1, at + 32]), ...last])].filter((at) => at < size);
}

test.for([
  ["journal.db", STEPS / 2],
  ["journal.db-wal", 1],
] as const)("if %s is cut at any byte, no acknowledged record is lost unnoticed", async ([name, closed]) => {
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

/** Returns what the ways to open a journal say: those that write, those that only read, and those that may not change any file. */
function refusals(at: string): readonly string[] {
  const ways = [
    () => JournalStore.open(at, PORTS),
    () => JournalStore.existing(at),
    () => JournalStore.look(at),
    () => journalHealth(at),
  ];
  return ways.map((open) => {
    try {
      const store = open();
      if (store instanceof JournalStore) store.close();
      return "accepted";
    } catch (error) {
      if (error instanceof Failure) return error.code;
      throw error;
    }
  });
}

const cutToNothing = (at: string, name: string): void => truncateSync(join(at, name), 0);
const remove = (at: string, ...names: readonly string[]): void => names.forEach((name) => rmSync(join(at, name)));

interface Damage {
  readonly what: string;
  readonly code: string;
  readonly damage: (at: string, whole: Left) => void;
}

const DAMAGES: readonly Damage[] = [
  { what: "the tail is missing", code: "journal.no-tail", damage: (at) => remove(at, "journal.tail") },
  {
    what: "the tail is missing, and the log is cut",
    code: "journal.no-tail",
    damage: (at) => {
      remove(at, "journal.tail");
      truncateSync(join(at, "journal.db-wal"), PAGE * 3);
    },
  },
  {
    what: "the tail and the log are missing",
    code: "journal.no-tail",
    damage: (at) => remove(at, "journal.tail", "journal.db-wal"),
  },
  { what: "the tail is empty", code: "journal.no-tail", damage: (at) => cutToNothing(at, "journal.tail") },
  { what: "the tail is cut", code: "journal.no-tail", damage: (at) => truncateSync(join(at, "journal.tail"), 600) },
  {
    what: "the tail is garbled",
    code: "journal.no-tail",
    damage: (at) => writeFileSync(join(at, "journal.tail"), "x".repeat(1_024)),
  },
  {
    what: "the tail is that of an earlier version",
    code: "journal.no-tail",
    damage: (at) => writeFileSync(join(at, "journal.tail"), `${`run1 1 ${"0".repeat(64)}`.padEnd(199)}\n`),
  },
  { what: "the journal is missing", code: "journal.lost", damage: (at) => remove(at, "journal.db", "journal.db-wal") },
  {
    what: "only the tail is left, and it is garbled",
    code: "journal.lost",
    damage: (at) => {
      remove(at, "journal.db", "journal.db-wal");
      writeFileSync(join(at, "journal.tail"), "x");
    },
  },
  { what: "the journal is empty", code: "journal.lost", damage: (at) => cutToNothing(at, "journal.db") },
  { what: "only the log is left", code: "journal.lost", damage: (at) => remove(at, "journal.db", "journal.tail") },
  { what: "the log is missing", code: "journal.lost", damage: (at) => remove(at, "journal.db-wal") },
  {
    what: "the log is cut",
    code: "journal.lost",
    damage: (at) => truncateSync(join(at, "journal.db-wal"), PAGE * 3),
  },
];

test.for(DAMAGES)("$what: no way to open the journal accepts it, and the restored files are whole", async ({ code, damage }) => {
  const whole = await left(1);
  const at = laid(whole);
  damage(at, whole);
  const damaged = FILES.filter((name) => !isAsIn(whole, at, name));
  expect(refusals(at)).toEqual([code, code, code, code]);
  for (const name of damaged) writeFileSync(join(at, name), whole.files.get(name) ?? "");
  expect(found(at)).toEqual(whole.records);
});

function isAsIn({ files }: Left, at: string, name: string): boolean {
  return existsSync(join(at, name)) && readFileSync(join(at, name)).equals(files.get(name) ?? Buffer.alloc(0));
}

test("every way to open a journal accepts what a crash or a loss of power may leave", async () => {
  const whole = await left(1);
  const tail = whole.files.get("journal.tail") ?? Buffer.alloc(0);
  const torn = [0, 512].map((from) => Buffer.concat([tail.subarray(0, from), Buffer.alloc(512, "?"), tail.subarray(from + 512)]));
  for (const content of [...torn, whole.earlierTail]) {
    const at = laid(whole);
    writeFileSync(join(at, "journal.tail"), content);
    expect(found(at)).toEqual(whole.records);
  }
});

test("a journal is usable at whatever moment the process that created it died", () => {
  const made = join(folder, "made");
  JournalStore.open(made, PORTS).close();
  for (const names of [["journal.tail"], ["journal.tail", "journal.db"], ["journal.tail", "journal.db", "journal.db-wal"]]) {
    const at = mkdtempSync(join(folder, "begun-"));
    for (const name of names) {
      const path = join(made, name);
      // The file exists, but has nothing in it yet.
      if (name === "journal.tail") copyFileSync(path, join(at, name));
      else writeFileSync(join(at, name), "");
    }
    expect(refusals(at)).not.toContain("journal.lost");
    expect(refusals(at)).not.toContain("journal.no-tail");
  }
});

test("all processes that create the same journal at once find it whole", async () => {
  const at = join(folder, "together");
  const script = `import { JournalStore } from ${JSON.stringify(fileURLToPath(new URL("../../../src/journal/store.ts", import.meta.url)))};
    const store = JournalStore.open(process.argv[1], { clock: { now: Date.now }, redact: (text) => text });
    store.close();`;
  const ends = Array.from({ length: 6 }, () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, at], { stdio: ["ignore", "ignore", "pipe"] });
    const errors = textOf(child.stderr);
    return once(child, "exit").then(async ([code]) => [code, code === 0 ? "" : await errors]);
  });
  expect(await Promise.all(ends)).toEqual(ends.map(() => [0, ""]));
  expect(refusals(at)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
});

test("an accepted loss is recorded: unfinished runs are over, and new runs can begin", async () => {
  const whole = await left(STEPS / 2);
  const at = laid(whole, ["journal.db-wal"]);
  const what = acceptLoss(at, PORTS, { who: "olga", because: "I looked" });
  expect(what).toMatch(/no longer|, is gone/);
  const store = JournalStore.open(at, PORTS);
  expect(store.losses()).toMatchObject([{ who: "olga", because: "I looked", what }]);
  expect(store.runs.notPassed(10)).toEqual([]);
  await expect(store.claim("run1")).rejects.toThrow(/cannot be resumed: the journal had lost records, which olga accepted/);
  const { journal } = await store.begin({ ...opened, runId: "run2" });
  await store.release(journal, "failed", 0);
  expect(store.runs.notPassed(10).map(({ id }) => id)).toEqual(["run2"]);
  store.close();
  expect(() => acceptLoss(at, PORTS, { who: "olga", because: "again" })).toThrow(/no loss of .* is known/);
});

test("a person can accept the loss of a whole journal, but not while a live process holds a run", async () => {
  const whole = await left(1);
  const gone = laid(whole, ["journal.db", "journal.db-wal"]);
  acceptLoss(gone, PORTS, { who: "olga", because: "I looked" });
  const again = JournalStore.open(gone, PORTS);
  expect([again.runs.total(), again.losses().length]).toEqual([0, 1]);
  again.close();
  const held = join(folder, "held");
  const store = JournalStore.open(held, PORTS);
  await store.begin(opened);
  remove(held, "journal.tail");
  expect(() => acceptLoss(held, PORTS, { who: "olga", because: "I looked" })).toThrow(/is held by process/);
});

test("a copy without the log, or an old copy, is refused with the record that is missing", async () => {
  const whole = await left(STEPS / 2);
  const last = whole.records.at(-1)?.sequence;
  const says = new RegExp(`record ${last} of run run1, the last that was written, is gone`);
  const without = found(laid(whole, ["journal.db-wal"]));
  expect(without).toBeInstanceOf(Failure);
  expect((without as Failure).message).toMatch(says);
  const empty = laid(whole, ["journal.db", "journal.db-wal"]);
  expect((found(empty) as Failure).message).toMatch(says);
  expect(() => JournalStore.open(empty, PORTS)).toThrow(says);
});

test("if a byte of the file changes, the journal is refused or gives what was written", async () => {
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

test("after the disk was full, a run records nothing more, even when there is space again, and its earlier records are whole", async () => {
  const store = JournalStore.open(folder, PORTS);
  await store.begin(opened);
  const database = Database.open(join(folder, "journal.db"), JOURNAL);
  const liveness = new Holders(folder);
  const leases = new Leases(database, { ...PORTS, liveness });
  const last = [...store.chain("run1")].at(-1);
  const journal = new RunJournal(
    { database, commits: new Commits(database, PORTS), leases, liveness, tail: new FileTail(tailFileOf(database.path)) },
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

test("if the file is removed while it is in use, the next record is refused", async () => {
  const store = JournalStore.open(folder, PORTS);
  const { journal } = await store.begin(opened);
  copyFileSync(join(folder, "journal.db"), join(folder, "copy.db"));
  rmSync(join(folder, "journal.db"));
  expect(() => keep(journal, intended("mint"))).toThrow(/has been removed or replaced while it was in use/);
  expect(statSync(join(folder, "copy.db")).size).toBeGreaterThan(0);
});

test("a file that is no database, and a file in place of the folder, are reported", () => {
  writeFileSync(join(folder, "journal.db"), "no database ".repeat(1_000));
  expect(() => JournalStore.open(folder, PORTS)).toThrow(/journal.db is damaged: file is not a database/);
  expect(() => JournalStore.open(join(folder, "journal.db"), PORTS)).toThrow(/journal.db is a file, and no folder/);
});
