import { getOrInsert } from "../../base/maps.ts";
import { writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import { oneLine } from "../../report/formats/foreign-text.ts";
import type { Contents } from "../../sandbox/sandbox.ts";

/** A write that took effect. */
export interface LedgerWrite {
  /** The full name of its operation. */
  readonly operation: string;
  /** The ledger's id of its transaction. */
  readonly transactionId: string;
  /** What it did; ids that the service made are all alike in it. */
  readonly text: string;
  /** The same; ids that the service made are called by the order in which they turn up. */
  readonly named: string;
}

/** The content of a sandbox after a run, in a form that is the same after every run of the same playbook. */
export interface Ledger {
  /** Each write that took effect, in order. */
  readonly writes: readonly LedgerWrite[];
  /** What it holds; ids that the service made are called as in the writes. */
  readonly resources: readonly string[];
}

// Ids that the service generates: 64 digits for a transaction, 24 for a thing without a name, 40 for a thing that is named after several others.
const MADE_ID = /\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{24})\b/g;
const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const UNIX_STAMP = /"timestampUnix":[\d.]+/g;
const MADE = "<made by the service>";

// A write is stamped with the time of its commit. If the write is settled early, that time may still be in the future.
const AHEAD_MS = 60_000;

/** Reads a sandbox. Timestamps since the origin was filled depend on the time of the run and are not compared. */
export function ledgerOf({ commits, resources }: Contents, since: number): Ledger {
  const until = Date.now() + AHEAD_MS;
  const isOfRun = (instant: string): boolean => Date.parse(instant) >= since && Date.parse(instant) <= until;
  const timeless = (text: string): string =>
    text
      .replaceAll(INSTANT, (instant) => (isOfRun(instant) ? "<now>" : instant))
      .replaceAll(UNIX_STAMP, '"timestampUnix":"<now>"');
  const names = new Map<string, string>();
  const named = (text: string): string => text.replaceAll(MADE_ID, (id) => getOrInsert(names, id, () => `<${names.size + 1}>`));
  const writes = commits.map(({ operation, transactionId, actor, body }) => {
    const text = timeless(`${operation} ${writeJson(body)} by ${writeJson(actor)}`);
    return { operation, transactionId, text: text.replaceAll(MADE_ID, MADE), named: named(text) };
  });
  return { writes, resources: resources.map(({ kind, id, value }) => named(timeless(`${kind} ${id} ${writeJson(value)}`))) };
}

/** A write that a run has sent twice, because the second one sets the same value as the first. */
export interface Repeat {
  /** The full name of its operation. */
  readonly operation: string;
  /** The text of the write in the ledger, if known. */
  readonly text: string | undefined;
}

/** Returns the ledger without repeated writes, and how many there were. */
export function withoutRepeats(ledger: Ledger, undisturbed: Ledger, repeats: readonly Repeat[]): readonly [Ledger, number] {
  let { writes } = ledger;
  for (const { operation, text } of repeats) {
    const at = writes.findLastIndex(
      (write) =>
        (text === undefined ? write.operation === operation : write.text === text) &&
        timesOf(write.text, writes) > timesOf(write.text, undisturbed.writes),
    );
    if (at >= 0) writes = writes.toSpliced(at, 1);
  }
  return [{ ...ledger, writes }, ledger.writes.length - writes.length];
}

function timesOf(text: string, writes: readonly LedgerWrite[]): number {
  return writes.filter((write) => write.text === text).length;
}

/** How ledgers are compared. The order of writes does not matter if rounds run in parallel. */
export interface Comparing {
  /** Whether writes in another order are a difference. */
  readonly inOrder: boolean;
}

/** Describes how a ledger differs from that of the undisturbed run; empty if they are the same. */
export function differences(undisturbed: Ledger, found: Ledger, { inOrder }: Comparing): readonly string[] {
  const differing = writesThatDiffer(undisturbed.writes, found.writes);
  if (differing.length > 0) return differing.slice(0, LIMITS.crashDifferences);
  const [expected, here] = [linesOf(undisturbed, inOrder), linesOf(found, inOrder)];
  const places = Array.from({ length: Math.max(expected.length, here.length) }, (_, at) => [expected[at], here[at]] as const);
  return places
    .filter(([one, other]) => one !== other)
    .slice(0, LIMITS.crashDifferences)
    .flatMap(([one = NOTHING, other = NOTHING]) => [`undisturbed: ${oneLine(one)}`, `here:        ${oneLine(other)}`]);
}

const NOTHING = "(nothing)";

function linesOf({ writes, resources }: Ledger, inOrder: boolean): readonly string[] {
  const lines = [...writes.map(({ named }) => named), ...resources];
  return inOrder ? lines : lines.map((line) => line.replaceAll(/<\d+>/g, MADE)).toSorted();
}

function writesThatDiffer(undisturbed: readonly LedgerWrite[], found: readonly LedgerWrite[]): readonly string[] {
  const texts = new Set([...undisturbed, ...found].map(({ text }) => text));
  return [...texts].flatMap((text) => {
    const difference = timesOf(text, found) - timesOf(text, undisturbed);
    if (difference === 0) return [];
    return difference > 0
      ? [`took effect ${count(difference, "time")} too often: ${oneLine(text)}`]
      : [`did not take effect: ${oneLine(text)}`];
  });
}

/** Describes the writes of a stopped run that the undisturbed run did not make, or not in this order. */
export function excess(undisturbed: Ledger, found: Ledger, { inOrder }: Comparing): readonly string[] {
  const left = undisturbed.writes.map(({ text }) => text);
  const beyond = found.writes.filter(({ text }) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(inOrder ? 0 : at, inOrder ? at + 1 : 1);
    return at < 0;
  });
  return beyond.slice(0, LIMITS.crashDifferences).map(({ text }) => `took effect too often, or too early: ${oneLine(text)}`);
}
