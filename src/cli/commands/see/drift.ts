import { command } from "../../../base/command-line.ts";
import { Failure } from "../../../base/failure.ts";
import { LIMITS } from "../../../base/limits.ts";
import { count, didYouMean } from "../../../base/text/text.ts";
import { DAY_MS, isoDay, isoTime, isoTimeOrNull, parseDate } from "../../../base/time/date.ts";
import type { ExplainedDrift, HistoryEntry, KnownComparison, KnownDrift } from "../../../protocol/drift.ts";
import { DriftBook } from "../../../reconcile/drift-book.ts";
import { driftLine, keyOf, kindWords, lastDayOf, unfinishedWords, wordsOf } from "../../../report/comparison.ts";
import { acknowledgingCommand, evidenceLines } from "../../../report/drift.ts";
import { knownStatePlace, type MemoryOptions } from "../../project/state-place.ts";
import { reasonOf } from "../../reason.ts";
import { printData, printLines } from "../../print/result.ts";
import { type Command, type Shell, userOf } from "../../shell.ts";

interface DriftListOptions extends MemoryOptions {
  readonly all?: boolean;
  readonly limit: number;
}

/** `tokenbook drift list`: lists the differences that the last run of each comparison left. */
export const listDrifts: Command<DriftListOptions> = async (shell, options) => {
  const { all = false, limit } = options;
  using book = openBook(shell, options);
  const drifts = book.list({ all, limit, now: book.clock.now() });
  const [total, known, unfinished] = [book.count(all), book.known(), book.unfinished()];
  if (options.json === true) {
    const counts = { comparisons: known.length, unfinished: unfinished.length };
    return printData(shell, { ...counts, total, drifts: drifts.map(asData) });
  }
  const left = total - drifts.length;
  const more = left > 0 ? [`… and ${left} more: --limit ${total}`] : [];
  const groups = [...Map.groupBy(drifts, comparisonOf)].flatMap(([name, found]) => [
    name,
    ...found.map((drift) => `  ${line(drift)}`),
  ]);
  const none = known.length === 0 ? "nothing has been compared here yet" : "no drift";
  const found = drifts.length === 0 ? (unfinished.length === 0 ? [none] : []) : [...groups, ...more];
  return printLines(shell, [...found, ...unfinishedLines(unfinished, limit)]);
};

function unfinishedLines(unfinished: readonly KnownComparison[], limit: number): readonly string[] {
  if (unfinished.length === 0) return [];
  const names = unfinished.slice(0, limit).map((comparison) => `  ${comparisonOf(comparison)}`);
  const left = unfinished.length - names.length;
  return [`${unfinishedWords(unfinished.length)}:`, ...names, ...(left > 0 ? [`  … and ${left} more`] : [])];
}

interface DriftShowOptions extends MemoryOptions {
  readonly drift: string;
}

/** `tokenbook drift show ID`: shows one drift with the values of both sides, and its history since it was first seen. */
export const showDrift: Command<DriftShowOptions> = async (shell, options) => {
  using book = openBook(shell, options);
  const now = book.clock.now();
  const drift = book.explain(idOf(book, options.drift), now);
  if (options.json === true) {
    const { evidence, history } = drift;
    return printData(shell, { drift: { ...asData(drift), evidence, history: history.map(historyData) } });
  }
  return printLines(shell, page(shell, drift, now));
};

function page({ hint }: Shell, drift: ExplainedDrift, now: number): readonly string[] {
  const { id, kind, of, key, state, clearedAt, acknowledged } = drift;
  const scope = of.scope === "" ? "" : `, scope ${of.scope}`;
  return [
    `${id}  ${kindWords(kind, drift.sides)}  ${clearedAt === null ? state : `cleared ${isoTime(clearedAt)}`}`,
    `  of: ${keyOf(key)}`,
    `  comparison: ${drift.title} (${of.comparison} of ${of.playbook}, environment ${of.environment}${scope})`,
    `  ${wordsOf(drift, drift.sides)}`,
    ...evidenceLines(drift),
    "  history:",
    ...drift.history.map((entry) => `    ${historyLine(entry)}`),
    ...(clearedAt === null && acknowledged === null ? [`  to acknowledge it: ${hint(acknowledgingCommand(id, now))}`] : []),
  ];
}

function historyLine({ at, what, by, left, right, difference, because, until }: HistoryEntry): string {
  if (what === "cleared") return `${isoTime(at)}  cleared       run ${by}`;
  const values = `${left ?? "nothing"} | ${right ?? "nothing"}${difference === null ? "" : ` (${difference})`}`;
  if (what === "seen") return `${isoTime(at)}  seen          run ${by}  ${values}`;
  if (what === "closed") return `${isoTime(at)}  closed        ${by}: ${because ?? ""}`;
  return `${isoTime(at)}  acknowledged  ${by}, until ${lastDayOf(until ?? at)}  ${values}: ${because ?? ""}`;
}

interface AckOptions extends MemoryOptions {
  readonly drift: string;
  readonly because?: string;
  readonly until?: string;
}

/** `tokenbook drift ack ID --because TEXT --until DATE`: acknowledges a drift as it is now, until a day. */
export const acknowledgeDrift: Command<AckOptions> = async (shell, options) => {
  using book = openBook(shell, options);
  const now = book.clock.now();
  const { until } = options;
  const incomplete = {
    code: "drift.ack-incomplete",
    message: "say why you acknowledge it, and until when",
    next: acknowledgingCommand(options.drift, now),
  };
  if (until === undefined) throw new Failure(incomplete);
  const because = reasonOf(options.because, incomplete);
  const word = { who: userOf(shell), because, until: dayAfter(until, now), at: now };
  const drift = book.acknowledge({ id: idOf(book, options.drift), ...word });
  if (options.json === true) return printData(shell, { drift: asData(drift) });
  const acknowledged = `${drift.id} is acknowledged until ${lastDayOf(word.until)}, says ${word.who}: ${because}`;
  return printLines(shell, [acknowledged, `with these values only: ${wordsOf(drift, drift.sides)}`]);
};

interface CloseOptions extends MemoryOptions {
  readonly drifts: readonly string[];
  readonly playbook?: string;
  readonly because?: string;
}

/** `tokenbook drift close ID… --because TEXT`: closes drifts that no run will clear. */
export const closeDrifts: Command<CloseOptions> = async (shell, options) => {
  const { playbook } = options;
  const incomplete = {
    code: "drift.close-incomplete",
    message: "name the drifts, or with --playbook all of one playbook, and why you close them",
    next: command`drift close ${options.drifts.length > 0 ? options.drifts : ["--playbook", playbook ?? "FILE"]} --because TEXT`,
  };
  if ((playbook === undefined) === (options.drifts.length === 0)) throw new Failure(incomplete);
  const because = reasonOf(options.because, incomplete);
  using book = openBook(shell, options);
  const word = { who: userOf(shell), because, at: book.clock.now() };
  const { drifts: closed, comparisons } =
    playbook === undefined
      ? { drifts: book.closeDrifts([...new Set(options.drifts.map((drift) => idOf(book, drift)))], word), comparisons: [] }
      : book.closePlaybook(playbook, word);
  if (playbook !== undefined && closed.length + comparisons.length === 0) throw nothingOpen(book, playbook);
  if (options.json === true)
    return printData(shell, { closed: closed.map(asData), comparisons: comparisons.map(({ of }) => ({ ...of })) });
  const lines = [...closed.map(({ id, key }) => `${id}  ${keyOf(key)}`), ...comparisons.map(comparisonOf)];
  return printLines(
    shell,
    lines.map((each) => `closed ${each}`),
  );
};

function nothingOpen(book: DriftBook, playbook: string): Failure {
  const others = book.playbooks();
  const near = didYouMean(playbook, others);
  return new Failure({
    code: "drift.unknown",
    message: `the playbook ${playbook} has no open drift${near === undefined ? "" : `; did you mean ${near}?`}`,
    ...(others.length === 0 ? {} : { why: `playbooks with open drifts: ${others.slice(0, SOME).join(", ")}` }),
    next: command`drift list`,
  });
}

const SOME = 10;
const EXAMPLE_DAYS = 7;

// The named day itself is included.
function dayAfter(until: string, now: number): number {
  const day = until.includes("T") ? undefined : parseDate(until)?.getTime();
  const next = `--until ${isoDay(now + EXAMPLE_DAYS * DAY_MS)}`;
  if (day === undefined) throw new Failure({ code: "drift.until", message: `"${until}" is not a day`, next });
  const end = day + DAY_MS;
  if (end <= now) throw new Failure({ code: "drift.until", message: `${until} is over`, next });
  if (end - now <= LIMITS.acknowledgedDays * DAY_MS) return end;
  const why = "an acknowledgement ends, so that somebody looks at the drift again";
  throw new Failure({ code: "drift.until", message: `${until} is more than ${LIMITS.acknowledgedDays} days away`, why, next });
}

// An id may be shortened if only one drift has that beginning.
function idOf(book: DriftBook, beginning: string): string {
  const ids = book.idsLike(beginning);
  const [only] = ids;
  if (only !== undefined && (ids.length === 1 || only === beginning)) return only;
  if (ids.length > 1) {
    const message = `${count(ids.length, "drift")} begin with ${beginning}: ${ids.join(", ")}`;
    throw new Failure({ code: "drift.unknown", message, next: "write more of the id" });
  }
  const near = didYouMean(beginning, book.ids());
  throw new Failure({
    code: "drift.unknown",
    message: `there is no drift ${beginning}${near === undefined ? "" : `; did you mean ${near}?`}`,
    next: near === undefined ? command`drift list --all` : command`drift show ${near}`,
  });
}

function comparisonOf({ title, of: { environment, playbook, scope } }: Pick<KnownDrift, "title" | "of">): string {
  return `${title} (${playbook}, environment ${environment}${scope === "" ? "" : `, scope ${scope}`})`;
}

function line(drift: KnownDrift): string {
  const { state, since, clearedAt } = drift;
  const found = state === "new" ? `; found ${isoTime(since)}` : "";
  return `${driftLine(drift, drift.sides)}${found}${clearedAt === null ? "" : `; cleared ${isoTime(clearedAt)}`}`;
}

/** Returns a drift in the published format of `--json`. */
function asData(drift: KnownDrift): object {
  const { id, kind, state, key, left, right, difference, of, title, sides, lastRun, clearedAt, acknowledged } = drift;
  return {
    id,
    kind,
    state,
    key,
    left,
    right,
    difference,
    title,
    of,
    sides,
    since: isoTime(drift.since),
    lastSeen: isoTime(drift.lastSeen),
    lastRun,
    clearedAt: isoTimeOrNull(clearedAt),
    acknowledged: acknowledged === null ? null : { ...acknowledged, until: isoTime(acknowledged.until) },
  };
}

function historyData({ at, until, ...entry }: HistoryEntry): object {
  return { at: isoTime(at), ...entry, until: isoTimeOrNull(until) };
}

function openBook(shell: Shell, options: MemoryOptions): DriftBook {
  return DriftBook.existing(knownStatePlace(shell, options));
}
