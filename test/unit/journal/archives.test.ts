import { hash as digestOf } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { systemClock } from "../../../src/base/ports.ts";
import { verifyArchives } from "../../../src/journal/archives/archive-chain.ts";
import { openArchives } from "../../../src/journal/archives/archive-journal.ts";
import { archiveName, archiveText, FIRST_PREVIOUS, readArchive } from "../../../src/journal/archives/archive-file.ts";
import { archiveRuns, type ArchivedRuns } from "../../../src/journal/archives/archive-runs.ts";
import { JOURNAL_PART } from "../../../src/journal/format.ts";
import { MovingJournal } from "../../../src/journal/moving.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import type { Fact, RunOutcome } from "../../../src/protocol/record.ts";
import { archive as archiveCommand } from "../../../src/cli/commands/see/runs-archive.ts";
import { ON_SERVER, TestState } from "../../state.ts";
import { silentShell } from "../cli/shell.ts";
import { answered, completed, intended, opened } from "../protocol/facts.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const LOOKING = { clock: systemClock, redact: (text: string): string => text };
let state: TestState;
let store: JournalStore;
let folder: string;
let now: number;

function reopened(): JournalStore {
  return JournalStore.open(state.place, { clock: { ...systemClock, now: () => now }, redact: (text) => text });
}

beforeEach(() => {
  state = new TestState();
  now = START;
  store = reopened();
  folder = mkdtempSync(join(tmpdir(), "tokenbook-archives-"));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly outcome?: RunOutcome;
  readonly playbook?: string;
  readonly key?: string;
  readonly facts?: readonly Fact[];
  /** For how long after its end another run may still find its write; `open` leaves a write open. */
  readonly arrives?: number | "open";
}

/** Records a run that has ended. Each run ends one day after the previous one. */
async function ended(
  runId: string,
  { outcome = "passed", playbook = "a.yaml", key, facts = [], arrives = 0 }: Ended = {},
): Promise<void> {
  const about = { ...opened, runId, playbook: { ...opened.playbook, file: playbook } };
  const { journal } = await store.begin(key === undefined ? about : { ...about, idempotencyKey: key });
  for (const fact of facts) journal.note(fact);
  journal.note({ kind: "run.closed", outcome, outputs: {} });
  await store.release(journal, outcome, arrives === "open" ? undefined : now + arrives);
  now += DAY;
}

function archive(more: Partial<Parameters<typeof archiveRuns>[1]> = {}): ArchivedRuns {
  return archiveRuns(store, { folder, before: now, now, neededFor: () => undefined, ...more });
}

function killedAt(moment: "written" | "named"): void {
  const reached = (at: string): void => {
    if (at === moment) throw new Error("killed");
  };
  expect(() => archive({ reached })).toThrow("killed");
}

function sealedIn({ archives }: ArchivedRuns): readonly (readonly string[])[] {
  return archives.map(({ runs }) => runs);
}

const MINTED = [intended("mint"), answered("mint", "acknowledged", { payload: { transactionId: "t1" } }), completed("mint")];

test("archiving moves finished runs from the journal into a file that can be verified alone", async () => {
  await ended("one", { facts: MINTED });
  await ended("two", { outcome: "failed" });
  await ended("three");
  const records = store.count("one") + store.count("two");
  const exported = [...store.chain("one")].map(({ hash }) => hash);
  expect(archive()).toMatchObject({
    archives: [{ number: 1, runs: ["one", "two"], records, wasBegun: false }],
    kept: [{ id: "three", because: "last of its playbook" }],
  });
  expect(store.runs.ids()).toEqual(["three"]);
  expect(state.rows(JOURNAL_PART, "SELECT DISTINCT run_id FROM record")).toEqual([{ run_id: "three" }]);
  expect(state.rows(JOURNAL_PART, "SELECT DISTINCT run_id FROM lease")).toEqual([{ run_id: "three" }]);
  expect(verifyArchives(folder, store.archives.all())).toMatchObject([{ number: 1, runs: 2, records, problem: null }]);
  const text = readFileSync(join(folder, archiveName(1)), "utf8");
  for (const hash of exported) expect(text).toContain(hash);
  expect(() => store.read("one")).toThrow(`the run one, which ended passed, is in the archive ${join(folder, archiveName(1))}`);
  expect(() => store.named("tw")).toThrow("the run two, which ended failed, is in the archive");
  // The journal is also whole for a process that opens it now, although its tail may name a record that is in the archive.
  reopened().close();
});

test("a run stays in the journal while its write may still take effect", async () => {
  await ended("one", { facts: MINTED, arrives: 2 * DAY });
  await ended("two");
  expect(sealedIn(archive())).toEqual([]);
  expect(sealedIn(archive({ before: now + DAY + 1 }))).toEqual([["one"]]);
});

test("each archive has the digest of the archive before it", async () => {
  for (const run of ["one", "two", "three"]) {
    await ended(run);
    archive();
  }
  const [first, second] = verifyArchives(folder, store.archives.all());
  expect([first?.previous, second?.previous]).toEqual(["0".repeat(64), first?.digest]);
  expect([first?.problem, second?.problem]).toEqual([null, null]);
});

test("an archive gives back a run as it was in the journal", async () => {
  await ended("one", { facts: MINTED });
  await ended("two", { outcome: "failed" });
  await ended("three");
  const records = store.read("one");
  const path = join(folder, archiveName(1));
  archive();
  for (const place of [folder, path]) {
    const shown = openArchives({ path: place, known: store.archives.all(), named: ["on"] }, LOOKING);
    expect(shown.read("one")).toEqual(records);
    expect(shown.runs.latest(9).map(({ id, outcome }) => [id, outcome])).toEqual([
      ["two", "failed"],
      ["one", "passed"],
    ]);
    shown.close();
  }
  const open = (where: string, name: string, known = store.archives.all()): void =>
    openArchives({ path: where, known, named: [name] }, LOOKING).close();
  expect(() => open(folder, "three")).toThrow(`there is no run "three" in ${folder}`);
  expect(() => open(join(folder, "nowhere"), "one")).toThrow("cannot be read");
  const known = store.archives.all().map((each) => ({ ...each, digest: "other" }));
  for (const place of [folder, path]) expect(() => open(place, "one", known)).toThrow("not the archive that the journal wrote");
  writeFileSync(path, readFileSync(path, "utf8").replace("t1", "t2"));
  for (const place of [folder, path]) expect(() => open(place, "two")).toThrow("is damaged at line");
});

test("a run stays in the journal if it is open, unknown, pending, held, too young, or needed by a drift", async () => {
  await ended("pending", { outcome: "pending" });
  await ended("unknown", { outcome: "unknown", facts: [intended("mint")], arrives: "open" });
  await ended("conflict", { outcome: "conflict" });
  await ended("interrupted", { outcome: "interrupted" });
  await ended("open", { outcome: "failed", facts: [intended("mint")], arrives: "open" });
  await ended("drift", { outcome: "drift" });
  await ended("held");
  await store.begin({ ...opened, runId: "under-way" });
  await ended("other", { playbook: "b.yaml" });
  const before = now;
  await ended("young");
  await ended("last");
  const held = store.take("held");
  const { archives, kept } = archive({ before, neededFor: (run) => (run === "drift" ? "open drift" : undefined) });
  expect(archives).toEqual([]);
  expect(Object.fromEntries(kept.map(({ id, because }) => [id, because]))).toEqual({
    pending: "unfinished",
    unknown: "unfinished",
    conflict: "unfinished",
    interrupted: "unfinished",
    open: "open write",
    drift: "open drift",
    held: "held",
    "under-way": "unfinished",
    other: "last of its playbook",
  });
  store.leases.release(held, false);
  expect(sealedIn(archive({ before }))).toEqual([["drift", "held"]]);
});

test("an archived run keeps its key, and its transactions prove no other write", async () => {
  await ended("paid", { key: "ORDER-17", facts: MINTED });
  await ended("last");
  archive();
  expect(() => store.withKey("ORDER-17")).toThrow("the key names the run paid, which ended passed and is in the archive");
  await expect(store.begin({ ...opened, runId: "again", idempotencyKey: "ORDER-17" })).rejects.toThrow(
    "the key names the run paid",
  );
  const { journal } = await store.begin({ ...opened, runId: "later" });
  expect(journal.provenElsewhere("t1")).toEqual([{ runId: "paid", step: "mint", target: opened.target }]);
});

test("a moved state still knows its archives and their keys", async () => {
  await ended("paid", { key: "ORDER-17", facts: MINTED });
  await ended("last");
  archive();
  const elsewhere = new TestState();
  const [source, copy] = [state, elsewhere].map(({ place }) => MovingJournal.open({ place, name: "somewhere" }));
  copy?.beginTarget("m1", "somewhere");
  if (source !== undefined) copy?.copyFrom(source, "m1");
  copy?.finishTarget("m1");
  for (const each of [source, copy]) each?.close();
  const moved = elsewhere.openJournal();
  expect([moved.runs.ids(), moved.archives.all()]).toEqual([["last"], store.archives.all()]);
  expect(() => moved.withKey("ORDER-17")).toThrow("the key names the run paid");
  moved.close();
});

test("if archiving is killed at any point, each run is in the journal or in an archive, and a second command completes the work", async () => {
  await ended("one");
  await ended("two");
  await ended("last");
  const file = join(folder, archiveName(1));
  killedAt("written");
  const [draft = "", ...others] = readdirSync(folder);
  expect([others, store.runs.ids()]).toEqual([[], ["one", "two", "last"]]);
  const whole = readFileSync(join(folder, draft));
  killedAt("named");
  expect([readdirSync(folder), store.runs.ids()]).toEqual([[archiveName(1)], ["one", "two", "last"]]);
  expect(readArchive(file)).toMatchObject({ problem: undefined, runs: [{ id: "one" }, { id: "two" }] });
  // A process that was killed while it wrote the file has left only a part of it.
  writeFileSync(join(folder, draft), whole.subarray(0, 1_000));
  expect(archive()).toMatchObject({ archives: [{ number: 1, runs: ["one", "two"], wasBegun: true }] });
  expect([readdirSync(folder), store.runs.ids()]).toEqual([[archiveName(1)], ["last"]]);
  expect(archive().archives).toEqual([]);
  expect(verifyArchives(folder, store.archives.all())).toMatchObject([{ problem: null }]);
});

test("many runs go into several archives, each with a short commit, and a killed command continues with the next archive", async () => {
  const many = Array.from({ length: LIMITS.archiveRuns }, (_, at) => `run-${at}`);
  for (const run of [...many, "another", "last"]) await ended(run);
  const beforeSecond = (at: string): void => {
    if (at === "named" && store.archives.all().length === 1) throw new Error("killed");
  };
  const removed: string[] = [];
  expect(() => archive({ reached: beforeSecond, removed: ({ runs }) => removed.push(...runs) })).toThrow("killed");
  expect(removed).toEqual(many);
  expect(store.runs.ids()).toEqual(["another", "last"]);
  expect(sealedIn(archive())).toEqual([["another"]]);
  expect(verifyArchives(folder, store.archives.all())).toMatchObject([
    { runs: many.length, problem: null },
    { runs: 1, problem: null },
  ]);
});

test.skipIf(ON_SERVER)("the command prints the digest of each archive, even if it cannot write the next one", async () => {
  for (let run = 0; run < LIMITS.archiveRuns + 2; run++) await ended(`run-${run}`);
  writeFileSync(join(folder, archiveName(2)), "somebody else's");
  let printed = "";
  const shell = silentShell((text) => void (printed += text));
  const older = START - now; // archives all of them, whatever the machine's clock says
  const archiving = archiveCommand(shell, { state: state.folder, to: folder, older: older * 1_000 });
  await expect(archiving).rejects.toMatchObject({ code: "archive.of-another" });
  expect(printed).toContain(store.archives.last()?.digest);
});

test("two processes that archive at the same time write one archive", async () => {
  await ended("one");
  await ended("two");
  await ended("last");
  const other = reopened();
  const reached = (at: string): void => {
    if (at === "written") archiveRuns(other, { folder, before: now, now: now + 1, neededFor: () => undefined });
  };
  expect(() => archive({ reached })).toThrow("another process archived runs");
  other.close();
  expect(store.runs.ids()).toEqual(["last"]);
  expect(verifyArchives(folder, store.archives.all())).toMatchObject([{ runs: 2, problem: null }]);
});

test("a run that continued after its archive was written is archived again as a whole", async () => {
  await ended("one", { outcome: "failed" });
  await ended("two");
  await ended("last");
  killedAt("named");
  const { journal } = await store.claim("one");
  journal.note({ kind: "run.closed", outcome: "passed", outputs: {} });
  await store.release(journal, "passed", 0);
  now += DAY;
  expect(archive()).toMatchObject({ archives: [{ number: 1, runs: ["one", "two"], wasBegun: false }] });
  expect(verifyArchives(folder, store.archives.all())).toMatchObject([{ problem: null }]);
});

test("a run that continues while its archive is written stays in the journal", async () => {
  await ended("one", { outcome: "failed" });
  await ended("last");
  expect(() => archive({ reached: () => void store.take("one") })).toThrow("was continued");
  expect(store.runs.ids()).toEqual(["one", "last"]);
});

test("a run that continues after it was chosen for an archive is neither reported as damaged nor removed", async () => {
  await ended("one", { outcome: "failed" });
  await ended("last");
  const chosen = [...store.archives.older(now, () => undefined)].filter((run) => "end" in run);
  const { journal } = await store.claim("one");
  await store.release(journal, "failed", 0);
  const file = join(folder, archiveName(1));
  const heading = { number: 1, previous: FIRST_PREVIOUS, sealedAt: now };
  writeFileSync(file, [...archiveText(heading, chosen, (run) => store.chain(run))].join(""));
  const { runs, digest = "", problem } = readArchive(file);
  expect(problem).toBeUndefined();
  const changed = expect.objectContaining({ code: "archive.changed" });
  expect(() => store.archives.remove({ number: 1, digest, file, sealedAt: now }, runs)).toThrow(changed);
});

test("archiving neither continues nor replaces the archives of another journal", async () => {
  const own = store;
  store = new TestState().openJournal();
  await ended("theirs");
  await ended("their-last");
  now = Date.now() + DAY;
  archive();
  store.close();
  store = own;
  await ended("one");
  await ended("last");
  const file = join(folder, archiveName(1));
  const theirs = readFileSync(file, "utf8");
  expect(() => archive()).toThrow(`${file} is not an archive of this journal`);
  expect([readFileSync(file, "utf8"), store.runs.ids()]).toEqual([theirs, ["one", "last"]]);
  const damaged = theirs.replace('"number":1', '"number":x');
  writeFileSync(file, damaged);
  expect(() => archive()).toThrow("is damaged at line 1: this line is not a JSON object");
  expect([readFileSync(file, "utf8"), store.runs.ids()]).toEqual([damaged, ["one", "last"]]);
});

test("archives are compared with the journal in any folder: a copy has the known digests, and a rewritten archive does not", async () => {
  for (const run of ["one", "two", "three", "four", "last"]) {
    await ended(run);
    archive();
  }
  const known = store.archives.all();
  const [copy, link] = [mkdtempSync(join(tmpdir(), "tokenbook-copy-")), join(folder, "link")];
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(folder, copy, { recursive: true });
  symlinkSync(copy, link);
  const found = (at: string, all = known): readonly unknown[] =>
    verifyArchives(at, all).map(({ compared, problem }) => problem?.code ?? compared);
  for (const at of [copy, link]) expect(found(at)).toEqual([true, true, true, true]);
  expect(found(copy, [])).toEqual([false, false, false, false]);
  const last = join(copy, archiveName(4));
  const lines = readFileSync(last, "utf8").replace('"runKey":"', '"runKey":"x').split("\n");
  writeFileSync(last, sealedAgain(lines));
  for (const at of [copy, link]) expect(found(at)).toEqual([true, true, true, "archive.other"]);
  for (const place of [copy, last])
    expect(() => openArchives({ path: place, known, named: [] }, LOOKING)).toThrow("is not the archive that the journal wrote");
  rmSync(last);
  expect(found(copy)).toEqual([true, true, true, "archive.missing"]);
  const notes: string[] = [];
  for (const all of [known, []])
    openArchives({ path: folder, known: all, named: [], uncompared: () => notes.push("none") }, LOOKING).close();
  expect(notes).toEqual(["none"]);
});

// Seals changed lines again, as somebody would who knows the format.
function sealedAgain(lines: readonly string[]): string {
  const again: string[] = [];
  let previous = "";
  for (const line of lines.slice(0, -2)) {
    const [place = "", body] = line.split(',"body":');
    if (body === undefined) {
      previous = "0".repeat(64);
      again.push(line);
      continue;
    }
    const { sequence, epoch, at, kind } = JSON.parse(`${place}}`) as Readonly<Record<string, unknown>>;
    const own = digestOf("sha256", [previous, sequence, epoch, at, kind, body.slice(0, -1)].join("\n"));
    again.push(line.replace(/"previous":"\w+","hash":"\w+"/, `"previous":"${previous}","hash":"${own}"`));
    previous = own;
  }
  const text = again.join("\n").replace(/(?<="records":\d+,"hash":")\w+/, previous);
  return `${text}\n${(lines.at(-2) ?? "").replace(/(?<="digest":")\w+/, digestOf("sha256", `${text}\n`))}\n`;
}

test("missing archives are reported as a range, however large, and files with other names are no archives", async () => {
  for (const run of ["one", "two", "last"]) {
    await ended(run);
    archive();
  }
  for (const name of ["5000000", "99999999999999999999", "0000001"])
    writeFileSync(join(folder, `tokenbook-archive-${name}.ndjson`), "");
  const second = readFileSync(join(folder, archiveName(2)));
  writeFileSync(join(folder, "tokenbook-archive-0000002.ndjson"), second);
  const found = verifyArchives(folder, store.archives.all()).map(({ file, problem }) => `${file} ${problem?.code ?? "intact"}`);
  expect(found).toEqual([
    "tokenbook-archive-0000001.ndjson archive.damaged",
    "tokenbook-archive-000001.ndjson intact",
    "tokenbook-archive-0000002.ndjson archive.renamed",
    "tokenbook-archive-000002.ndjson intact",
    "tokenbook-archive-000003.ndjson archive.missing",
    "tokenbook-archive-5000000.ndjson archive.damaged",
    "tokenbook-archive-5000001.ndjson archive.missing",
    "tokenbook-archive-99999999999999999999.ndjson archive.damaged",
  ]);
});

test("verification finds each change, cut, removal and renaming of an archive", async () => {
  for (const run of ["one", "two", "three", "four", "last"]) {
    await ended(run, { facts: MINTED });
    archive();
  }
  const known = store.archives.all();
  const problems = (): readonly (string | undefined)[] => verifyArchives(folder, known).map(({ problem }) => problem?.message);
  const [first = "", second = "", third = "", fourth = ""] = readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name));
  expect(problems()).toEqual([undefined, undefined, undefined, undefined]);
  const text = readFileSync(second, "utf8");
  const spoilt = (spoil: (text: string) => string): readonly (string | undefined)[] => {
    writeFileSync(second, spoil(text));
    return problems();
  };
  const lines = text.split("\n");
  expect(spoilt(() => text.replace('"id":"t1"', '"id":"t2"'))[1]).toMatch(/line 5: this record does not follow/);
  expect(spoilt(() => text.replace('"environment":"test"', '"environment":"best"'))[1]).toMatch(/contradicts its records/);
  expect(spoilt(() => text.replace('"sealedAt":"2026', '"sealedAt":"2025'))[1]).toMatch(/the digest in its seal/);
  expect(spoilt(() => text.slice(0, -200))[1]).toMatch(/ends within this line/);
  expect(spoilt(() => `${lines.slice(0, -2).join("\n")}\n`)[1]).toMatch(/it has no seal/);
  expect(spoilt(() => lines.toSpliced(-3, 1).join("\n"))[1]).toMatch(/the run two end too early/);
  expect(spoilt(() => `${text}{}\n`)[1]).toMatch(/something follows its seal/);
  expect(spoilt(() => "")[1]).toMatch(/it has no seal/);
  expect(spoilt(() => readFileSync(third, "utf8"))).toEqual([
    undefined,
    expect.stringContaining("gave it another name"),
    undefined,
    undefined,
  ]);
  writeFileSync(second, text);
  rmSync(third);
  expect(problems()).toEqual([undefined, undefined, `${archiveName(3)} is missing in ${folder}`, undefined]);
  rmSync(fourth);
  expect(problems()[2]).toBe(`${archiveName(3)} to ${archiveName(4)} are missing in ${folder}`);
  rmSync(first);
  expect(verifyArchives(folder, []).map(({ number, problem }) => [number, problem])).toEqual([[2, null]]);
});
