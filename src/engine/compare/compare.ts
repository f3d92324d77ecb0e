import { adviceText, command } from "../../base/command-line.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { present } from "../../base/present.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import type { CheckStep, Compare, ConservedSides, GivenSides } from "../../playbook/model.ts";
import { type Comparison, type ComparisonCounts, type ComparisonName, type Gap, openFirst } from "../../protocol/comparison.ts";
import { nameInProject } from "../../protocol/identity.ts";
import type { StepProblem, StoppedOutcome } from "../../protocol/record.ts";
import type { ComparisonWords, DriftsAfterRun } from "../../reconcile/sighting.ts";
import type { Rules } from "../../reconcile/judge.ts";
import { keyParts, keyText, type SideName } from "../../reconcile/row.ts";
import type { RunContext } from "../run/run-context.ts";
import type { BegunStep, Place } from "../run/plan-steps.ts";
import { conservedRead } from "./conserved-sides.ts";
import { givenSources, scopeName } from "./given-sides.ts";
import { sameIdProblem } from "./same-id.ts";
import { comparisonName, playbookName } from "./unmade.ts";
import { SourceReader } from "./source-reader.ts";
import { readsInRounds, type RowSource } from "./row-source.ts";
import { Survey } from "./survey.ts";
import { type Rechecked, Recheck } from "./recheck.ts";

interface BegunComparison extends BegunStep<CheckStep> {
  readonly looks: Compare;
}

/**
 * Compares two sides: reads both to their ends, reads the differences again, and remembers the drifts. The step stops as `drift` when there is
 * an unacknowledged drift, as `failed` when a side could not be read to its end, and as `pending` when values are still changing.
 */
export async function compare(context: RunContext, beginning: BegunComparison): Promise<void> {
  const { place, looks, startedAt } = beginning;
  const comparing = begun(context, beginning);
  if ("code" in comparing) return context.stop(place, { startedAt, outcome: "failed", problem: comparing });
  const { reader } = comparing;
  const found = await comparing.find();
  const { requests } = reader;
  if (found.kind === "interrupted") return; // nothing is recorded: a resumed run compares again from the start
  if (found.kind === "problem") return context.stop(place, { startedAt, outcome: "failed", problem: found.problem, requests });
  const { comparison } = found;
  const stopped = verdictOf(comparison, reader.gaps, { young: found.young, settleMs: looks.settleMs });
  if (stopped === undefined) {
    const value = { outcome: "ok" };
    return context.complete(place, { outcome: "ok", value, startedAt, requests, comparison });
  }
  context.stop(place, { ...stopped, startedAt, requests, comparison });
}

function begun(context: RunContext, { place, step, looks }: BegunComparison): ComparisonInProgress | StepProblem {
  const { sides } = looks;
  const names = namesOf(sides);
  const scope = context.scopeAt(place);
  const { environment } = context.target;
  const { id, file: typed } = context.playbook;
  const file = nameInProject(context.opened);
  const name = {
    environment,
    playbook: playbookName(context),
    comparison: comparisonName(place.address),
    scope: scopeName(looks, scope),
  };
  const book = context.ports.drifts();
  const shared = sameIdProblem(context, book.fileOf(name));
  if (shared !== undefined) return shared;
  const words = { title: step.name, file, parts: looks.key, ...names };
  if (id === undefined) book.takeOver(name, words, typed);
  book.begin(name, words);
  const sources =
    sides.kind === "given" ? givenSources(context, place, { ...looks, sides }) : conservedSources(context, place, sides);
  if ("code" in sources) return sources;
  const reader = new SourceReader(context, sources, { step: place.address, names });
  return new ComparisonInProgress(context, { step: place.address, name, words, looks, reader });
}

function namesOf(sides: GivenSides | ConservedSides): Readonly<Record<SideName, string>> {
  if (sides.kind === "conserved") return sides.conserve.conserved.sides;
  const { left, right } = sides;
  return left.name === right.name
    ? { left: `${left.name} (left)`, right: `${right.name} (right)` }
    : { left: left.name, right: right.name };
}

function conservedSources(
  context: RunContext,
  place: Place,
  { foreach, conserve }: ConservedSides,
): readonly RowSource[] | StepProblem {
  const found = readsInRounds(context.scopeAt(place), foreach, (scope) =>
    conservedRead(context, { step: place.address, scope }, conserve),
  );
  return "code" in found ? found : [{ fixed: [0], ...found }];
}

function rulesOf({ sides, tolerance }: Compare): Rules {
  const sums = sides.kind === "conserved" ? { left: true, right: true } : { left: sides.left.sums, right: sides.right.sums };
  return { tolerance, sums };
}

type Result =
  | { readonly kind: "found"; readonly comparison: Comparison; readonly young: number }
  | { readonly kind: "problem"; readonly problem: StepProblem }
  | { readonly kind: "interrupted" };

/** The names that identify a comparison. */
interface About {
  /** The address of the step. */
  readonly step: string;
  readonly name: ComparisonName;
  readonly words: ComparisonWords;
  readonly looks: Compare;
}

/** One comparison in progress. */
class ComparisonInProgress {
  readonly reader: SourceReader;
  readonly #context: RunContext;
  readonly #about: About;

  constructor(context: RunContext, { reader, ...about }: About & { readonly reader: SourceReader }) {
    this.#context = context;
    this.reader = reader;
    this.#about = about;
  }

  async find(): Promise<Result> {
    const survey = await this.#survey();
    if (this.#context.stopping) return { kind: "interrupted" };
    if (survey.differing.size > LIMITS.drifts) return { kind: "problem", problem: notAlike(survey.keys) };
    const { looks, name, words } = this.#about;
    // Nothing is recorded, because an empty comparison would clear all known drifts.
    if (survey.keys === 0 && !looks.mayBeEmpty && this.reader.gaps.length === 0)
      return { kind: "problem", problem: nothingCompared(words) };
    const book = this.#context.ports.drifts();
    const recheck = new Recheck(this.#context, {
      step: this.#about.step,
      reader: this.reader,
      rules: rulesOf(looks),
      times: looks,
      known: (difference) => book.unchangedSince(name, difference),
    });
    const seen = await recheck.of([...survey.differing.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)));
    if (this.#context.stopping) return { kind: "interrupted" };
    const recorded = book.record(name, words, {
      run: this.#context.opened.runId,
      openedAt: this.#context.state.openedAt,
      at: this.#context.ports.clock.now(),
      sightings: seen.sightings,
      young: seen.young,
      moving: seen.moving.map(({ key }) => keyParts(key)),
      read: this.reader,
    });
    return { kind: "found", comparison: this.#reported(survey, seen, recorded), young: countOfKeys(seen.young) };
  }

  async #survey(): Promise<Survey> {
    const { looks } = this.#about;
    const totalsOf = looks.totals === undefined ? undefined : looks.key.indexOf(looks.totals);
    const survey = new Survey(rulesOf(looks), (key) => this.reader.isWhole(key), totalsOf);
    await this.reader.readAll((pair) => survey.take(pair));
    return survey;
  }

  #reported(survey: Survey, seen: Rechecked, recorded: DriftsAfterRun): Comparison {
    const { looks } = this.#about;
    const counts: ComparisonCounts = {
      compared: survey.keys,
      tolerated: survey.tolerated,
      ...statesOf(recorded),
      cleared: recorded.cleared.length,
      moving: seen.moving.length,
      settled: seen.settled,
      notCompared: survey.notCompared + seen.lost,
    };
    const { reads, readCount } = this.reader.log;
    return {
      of: recorded.of,
      left: this.#side("left", survey),
      right: this.#side("right", survey),
      totalsOf: looks.totals ?? null,
      totals: cut(survey.totals()),
      looks: seen.looks,
      counts,
      drifts: cut(openFirst(recorded.drifts)),
      cleared: cut(recorded.cleared).map(({ id, kind, key, since }) => ({ id, kind, key, since })),
      moving: cut(seen.moving).map(({ key, left, right }) => ({
        key: namedKey(looks.key, key),
        left: left?.value ?? null,
        right: right?.value ?? null,
      })),
      gaps: cut(this.reader.gaps),
      reads,
      readCount,
      rows: survey.rows.map(({ key, left, right }) => ({
        key: namedKey(looks.key, key),
        leftRows: left?.rows ?? 0,
        rightRows: right?.rows ?? 0,
        left: left?.value ?? null,
        right: right?.value ?? null,
      })),
    };
  }

  #side(side: SideName, survey: Survey): Comparison["left"] {
    const { rows, requests, from, to } = this.reader.tallies[side];
    const { keys, sum } = survey.side(side);
    return { name: this.#about.words[side], rows, keys, sum, requests, from: from ?? null, to: to ?? null };
  }
}

function cut<T>(list: readonly T[]): readonly T[] {
  return list.slice(0, LIMITS.driftsShown);
}

function namedKey(parts: readonly string[], key: string): Readonly<Record<string, string>> {
  const values = keyParts(key);
  return Object.fromEntries(parts.map((part, at) => [part, values[at] ?? ""]));
}

function statesOf({ drifts }: DriftsAfterRun): Pick<ComparisonCounts, "new" | "persisting" | "changed" | "acknowledged"> {
  const of = (state: string): number => drifts.filter((drift) => drift.state === state).length;
  return { new: of("new"), persisting: of("persisting"), changed: of("changed"), acknowledged: of("acknowledged") };
}

function notAlike(keys: number): StepProblem {
  return {
    code: "reconcile.not-alike",
    message: `more than ${LIMITS.drifts} of ${count(keys, "key")} differ`,
    why: "the two sides hold different things, or build their keys differently, so none of these is recorded as a drift",
    next: "check `key`, `map` and `where` of both sides",
  };
}

function nothingCompared({ left, right }: ComparisonWords): StepProblem {
  return {
    code: "reconcile.empty",
    message: `nothing was compared: neither ${left} nor ${right} has a row`,
    why: "two sides without a row are no evidence that they agree",
    next: "look at `foreach` and `where` of both sides; if both may be empty, write `empty: pass` in the comparison",
  };
}

/** Returns how a comparison stops its step; `undefined` when both sides agree, or every drift is acknowledged. */
function verdictOf(
  { counts, drifts, moving }: Comparison,
  gaps: readonly Gap[],
  settling: Settling,
): { readonly outcome: StoppedOutcome; readonly problem: StepProblem } | undefined {
  const open = counts.new + counts.persisting + counts.changed;
  if (open > 0)
    return { outcome: "drift", problem: driftProblem(open, counts, drifts.find(({ state }) => state !== "acknowledged")?.id) };
  const [gap] = gaps;
  if (gap !== undefined) {
    const first = `${gaps.length === 1 ? "" : "the first, "}${gap.of}: ${gap.message}`;
    const message = `the comparison is incomplete: ${count(gaps.length, "read")} did not finish (${first}), so ${count(counts.notCompared, "key")} and the rows that were not read are not compared`;
    return { outcome: "failed", problem: { code: "reconcile.incomplete", message } };
  }
  return moving.length === 0 ? undefined : { outcome: "pending", problem: movingProblem(counts.moving, settling) };
}

/** How many differences are younger than the settle time, and how long that is. */
interface Settling {
  readonly young: number;
  readonly settleMs: number;
}

function movingProblem(moving: number, { young, settleMs }: Settling): StepProblem {
  const unsteady = moving - young;
  const changed = `${count(unsteady, "row")} changed each time ${unsteady === 1 ? "it was" : "they were"} read`;
  const waiting = `${count(young, "difference")} ${young === 1 ? "is" : "are"} younger than the settle time of ${formatDuration(settleMs)}`;
  const why = "what moves is neither equal nor a drift; the next run compares it again";
  const message = [...(unsteady > 0 ? [changed] : []), ...(young > 0 ? [waiting] : [])].join("; ");
  return { code: "reconcile.moving", message, why };
}

function countOfKeys(young: readonly { readonly key: readonly string[] }[]): number {
  return new Set(young.map(({ key }) => keyText(key))).size;
}

function driftProblem(open: number, counts: ComparisonCounts, first: string | undefined): StepProblem {
  const parts = [
    [counts.new, "new"],
    [counts.persisting, "persisting"],
    [counts.changed, "changed since acknowledged"],
  ] as const;
  const words = parts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  const acknowledged = counts.acknowledged === 0 ? "" : `; ${counts.acknowledged} more acknowledged`;
  return {
    code: "reconcile.drift",
    message: `${count(open, "drift")}: ${words.join(", ")}${acknowledged}`,
    ...present({ next: first && adviceText(command`drift show ${first}`) }),
  };
}
