import { getOrInsert } from "../../base/maps.ts";
import { writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import { oneLine } from "../../report/formats/foreign-text.ts";
import type { Contents } from "../../sandbox/sandbox.ts";

/** What a sandbox holds after a run, as far as another run of the same playbook must leave the same. */
export interface Ledger {
  /** Each write that took effect, in order; ids that the service made are all alike in it. */
  readonly writes: readonly string[];
  /** The transaction of each of the writes, in the same order. */
  readonly transactionIds: readonly string[];
  /** The operation of each of the writes, in the same order. */
  readonly operations: readonly string[];
  /** Writes, then resources; ids that the service made are called by the order in which they turn up. */
  readonly whole: readonly string[];
}

// What the service makes up: 64 digits for a transaction, 24 for what has no name, 40 for what is named after several things.
const MADE_ID = /\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{24})\b/g;
const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const UNIX_STAMP = /"timestampUnix":[\d.]+/g;
const MADE = "<made by the service>";

// A write is stamped with the moment of its commit, which may still be to come when it is settled early.
const AHEAD_MS = 60_000;

/** Reads a sandbox. What was stamped since the origin was filled is a time of the run, and not compared. */
export function ledgerOf({ commits, resources }: Contents, since: number): Ledger {
  const until = Date.now() + AHEAD_MS;
  const isOfRun = (instant: string): boolean => Date.parse(instant) >= since && Date.parse(instant) <= until;
  const timeless = (text: string): string =>
    text
      .replaceAll(INSTANT, (instant) => (isOfRun(instant) ? "<now>" : instant))
      .replaceAll(UNIX_STAMP, '"timestampUnix":"<now>"');
  const writes = commits.map(({ operation, actor, body }) => timeless(`${operation} ${writeJson(body)} by ${writeJson(actor)}`));
  const held = resources.map(({ kind, id, value }) => timeless(`${kind} ${id} ${writeJson(value)}`));
  const names = new Map<string, string>();
  const nameOf = (id: string): string => getOrInsert(names, id, () => `<${names.size + 1}>`);
  return {
    writes: writes.map((text) => text.replaceAll(MADE_ID, MADE)),
    transactionIds: commits.map(({ transactionId }) => transactionId),
    operations: commits.map(({ operation }) => operation),
    whole: [...writes, ...held].map((text) => text.replaceAll(MADE_ID, nameOf)),
  };
}

/** A write that a run has sent once more, because a second one sets what the first one set. */
export interface Repeat {
  /** The full name of its operation. */
  readonly operation: string;
  /** What it looks like in the ledger, where that is known. */
  readonly text: string | undefined;
}

/** The ledger without the repeats that it holds, and how many they were. */
export function withoutRepeats(ledger: Ledger, undisturbed: Ledger, repeats: readonly Repeat[]): readonly [Ledger, number] {
  const expected = tally(undisturbed.writes);
  const dropped = new Set<number>();
  for (const { operation, text } of repeats) {
    const at = ledger.writes.findLastIndex((write, index) => {
      if (dropped.has(index) || (text === undefined ? ledger.operations[index] !== operation : text !== write)) return false;
      const times = ledger.writes.filter((each, other) => each === write && !dropped.has(other)).length;
      return times > (expected.get(write) ?? 0);
    });
    if (at >= 0) dropped.add(at);
  }
  const kept = (list: readonly string[]): readonly string[] => list.filter((_, at) => !dropped.has(at));
  const { writes, transactionIds, operations, whole } = ledger;
  const left = { writes: kept(writes), transactionIds: kept(transactionIds), operations: kept(operations), whole: kept(whole) };
  return [left, dropped.size];
}

/** Whether the order of writes matters: it does not where rounds run side by side. */
export interface Comparing {
  /** Whether writes in another order are a difference. */
  readonly inOrder: boolean;
}

/** How a ledger differs from the one that the undisturbed run left, in words; nothing when they are the same. */
export function differences(undisturbed: Ledger, found: Ledger, { inOrder }: Comparing): readonly string[] {
  const differing = writesThatDiffer(undisturbed.writes, found.writes);
  if (differing.length > 0) return differing.slice(0, LIMITS.crashDifferences);
  const [expected, whole] = inOrder ? [undisturbed.whole, found.whole] : [unordered(undisturbed), unordered(found)];
  const places = Array.from({ length: Math.max(expected.length, whole.length) }, (_, at) => [expected[at], whole[at]] as const);
  return places
    .filter(([one, other]) => one !== other)
    .slice(0, LIMITS.crashDifferences)
    .flatMap(([one = NOTHING, other = NOTHING]) => [`undisturbed: ${oneLine(one)}`, `here:        ${oneLine(other)}`]);
}

const NOTHING = "(nothing)";

function unordered({ whole }: Ledger): readonly string[] {
  return whole.map((text) => text.replaceAll(/<\d+>/g, MADE)).toSorted();
}

function writesThatDiffer(undisturbed: readonly string[], found: readonly string[]): readonly string[] {
  const [expected, here] = [tally(undisturbed), tally(found)];
  return [...new Set([...undisturbed, ...found])].flatMap((text) => {
    const difference = (here.get(text) ?? 0) - (expected.get(text) ?? 0);
    if (difference === 0) return [];
    return difference > 0
      ? [`took effect ${count(difference, "time")} too often: ${oneLine(text)}`]
      : [`did not take effect: ${oneLine(text)}`];
  });
}

function tally(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** What a run that stopped did beyond a part of what the undisturbed run did, in words. */
export function excess(undisturbed: Ledger, found: Ledger, { inOrder }: Comparing): readonly string[] {
  const left = [...undisturbed.writes];
  const beyond = found.writes.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(inOrder ? 0 : at, inOrder ? at + 1 : 1);
    return at < 0;
  });
  return beyond.slice(0, LIMITS.crashDifferences).map((text) => `took effect too often, or too early: ${oneLine(text)}`);
}
