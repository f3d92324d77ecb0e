import { getOrInsert } from "../base/maps.ts";
import type { Profile } from "../contract/profile.ts";
import type { KeptExchange } from "../exchanges/kept.ts";
import { refusalText } from "../operations/answer.ts";
import { type Operation, operations } from "../operations/operation.ts";
import { conditionIn, type GivenRefusal, plainWords } from "../operations/refusal.ts";
import { operationAt } from "../operations/route.ts";
import { isObject, type Json } from "../base/json/json.ts";
import type { AttemptReport, RunReport, StepReport } from "../report/shape.ts";
import { type Dimension, DIMENSION_NAMES } from "./dimensions.ts";
import { coverBy, itemsOf, LOST, type OperationItems, parsed } from "./items.ts";
import type { RunSummary } from "../journal/run-summary.ts";

/** The step that covered an item first. */
export interface CoveringStep {
  /** The id of the run. */
  readonly run: string;
  /** The step; null before the first step of the run. */
  readonly step: string | null;
}

/** An item of an operation that can be covered. */
export interface CoverageItem {
  /** The item, such as a field, a status code or a condition. */
  readonly name: string;
  /** The step that covered it; null if none did. */
  readonly by: CoveringStep | null;
  /** For a lost answer: the verdicts that were found. */
  readonly verdicts?: readonly string[];
}

/** The coverage of one operation. */
export interface OperationCoverage {
  /** The name of the operation, such as `ledger.token.mint`. */
  readonly operation: string;
  /** The number of its exchanges that these runs stored. */
  readonly exchanges: number;
  /** The entities and credentials that called it. */
  readonly actors: readonly string[];
  /** Everything about it that can be covered, by dimension. */
  readonly items: Readonly<Record<Dimension, readonly CoverageItem[]>>;
}

/** The number of items, and the number of covered ones. */
export interface CoverageCount {
  /** The number of items that at least one step covered. */
  readonly covered: number;
  /** The number of items. */
  readonly total: number;
}

/** The coverage of the service by some runs. */
export interface Coverage {
  /** The runs in the order in which they were taken. */
  readonly runs: readonly CoveredRun[];
  /** The counts over all operations, by dimension. */
  readonly totals: Readonly<Record<Dimension, CoverageCount>>;
  /** Every operation of the service, called or not. */
  readonly operations: readonly OperationCoverage[];
}

/** A run whose coverage was measured. */
export interface CoveredRun extends Pick<RunSummary, "id" | "playbook" | "environment"> {
  /** The number of its exchanges that were stored. */
  readonly exchanges: number;
}

interface Tally {
  readonly operation: Operation;
  readonly items: OperationItems;
  readonly covered: Map<string, CoveringStep>;
  readonly verdicts: Map<string, Set<string>>;
  readonly actors: Set<string>;
  exchanges: number;
}

/** Coverage that grows with each run. */
export class CoverageFold {
  readonly #tallies = new Map([...operations].map(([name, operation]) => [name, newTally(operation)]));
  readonly #runs: CoveredRun[] = [];

  /** Takes a run with its stored exchanges. */
  take({ run, steps }: RunReport, exchanges: Iterable<KeptExchange>, profile: Profile): void {
    for (const step of steps) this.#step(step, run.id);
    let kept = 0;
    for (const exchange of exchanges) {
      kept++;
      this.#exchange(exchange, { run: run.id, step: exchange.step }, profile);
    }
    this.#runs.push({ id: run.id, playbook: run.playbook.file, environment: run.target.environment, exchanges: kept });
  }

  /** Returns the coverage of the runs so far. */
  coverage(): Coverage {
    const all = Array.from(this.#tallies.values(), coverageOf);
    const totals = DIMENSION_NAMES.map(
      (dimension) => [dimension, countIn(all.flatMap(({ items }) => items[dimension]))] as const,
    );
    return { runs: this.#runs, totals: Object.fromEntries(totals) as Coverage["totals"], operations: all };
  }

  #step(step: StepReport, run: string): void {
    const tally = this.#tallies.get(step.uses);
    if (tally === undefined || !hasCalled(step, tally.operation)) return;
    const by = { run, step: step.step };
    cover(tally, "operations", "called", by);
    const isDone = (step.outcome === "ok" || step.outcome === "changed" || step.outcome === "unchanged") && step.refusal === null;
    if (isDone) cover(tally, "successes", "done", by);
    if (step.actor !== null) tally.actors.add(step.as ?? step.actor);
    for (const text of refusalTexts(step)) coverRefusal(tally, { condition: undefined, message: text }, by);
    for (const attempt of step.attempts) coverLost(tally, attempt, step, by);
  }

  #exchange(exchange: KeptExchange, by: CoveringStep, profile: Profile): void {
    const operation = operationAt(exchange.method, exchange.url);
    const tally = operation && this.#tallies.get(operation.name);
    if (operation === undefined || tally === undefined) return;
    tally.exchanges++;
    coverBy(exchange, operation, profile, (dimension, item) => cover(tally, dimension, item, by));
    const { status = 0, text = "" } = exchange.answer ?? {};
    // An error that is not a refusal does not show what a write did.
    if (status >= 400 && (!operation.writes || profile.refusals.includes(status))) {
      const body = parsed(text);
      coverRefusal(tally, refusalText(isObject(body) ? (body as Json) : undefined, text), by);
    }
  }
}

// A step also begins, and may end well, without a request: an expression has no value, `ensure` holds already, or nobody listens at the address.
function hasCalled({ attempts, requests, problem }: StepReport, { writes }: Operation): boolean {
  if (writes) return attempts.some(({ meaning }) => meaning !== "not-sent");
  return requests > 0 && problem?.code !== "service.unreachable";
}

function newTally(operation: Operation): Tally {
  const items = itemsOf(operation);
  return { operation, items, covered: new Map(), verdicts: new Map(), actors: new Set(), exchanges: 0 };
}

function keyOf(dimension: Dimension, item: string): string {
  return `${dimension} ${item}`;
}

function cover({ covered }: Tally, dimension: Dimension, item: string, by: CoveringStep): void {
  const key = keyOf(dimension, item);
  if (!covered.has(key)) covered.set(key, by);
}

// The sandbox's words for a refusal that a fault plan has caused. The service itself refused nothing.
const PLANNED = "a fault of the plan";

function coverRefusal(tally: Tally, refusal: Pick<GivenRefusal, "condition" | "message">, by: CoveringStep): void {
  if (refusal.message.includes(PLANNED)) return;
  const condition = plainWords(conditionIn(refusal) ?? "");
  const listed = tally.items.refusals.find((each) => plainWords(each) === condition);
  if (listed !== undefined) cover(tally, "refusals", listed, by);
}

function refusalTexts({ refusal, problem, attempts }: StepReport): readonly string[] {
  const isRefused = problem !== null && REFUSED.has(problem.code);
  const texts = attempts.flatMap(({ meaning, message, receipt }) => [
    ...(meaning === "refused" ? [message] : []),
    ...(receipt?.committed === false ? [receipt.message] : []),
  ]);
  const all = [...texts, refusal, ...(isRefused ? [problem.message] : [])];
  return all.flatMap((text) => (text === null ? [] : [text.replace(/^.*?HTTP \d+: /, "")]));
}

const REFUSED: ReadonlySet<string> = new Set(["service.refused", "service.key-refused", "receipt.failed"]);

function coverLost(tally: Tally, { meaning, status, settled }: AttemptReport, { outcome }: StepReport, by: CoveringStep): void {
  if (meaning !== null && meaning !== "ambiguous") return;
  const how = meaning === null ? LOST.ended : status === null ? LOST.none : LOST.untrusted;
  cover(tally, "lost", how, by);
  getOrInsert(tally.verdicts, how, () => new Set()).add(settled?.verdict ?? outcome);
}

function coverageOf({ operation, items, covered, verdicts, actors, exchanges }: Tally): OperationCoverage {
  const itemOf = (dimension: Dimension, name: string): CoverageItem => ({
    name,
    by: covered.get(keyOf(dimension, name)) ?? null,
    ...(dimension === "lost" ? { verdicts: [...(verdicts.get(name) ?? [])].toSorted() } : {}),
  });
  const all = DIMENSION_NAMES.map((dimension) => [dimension, items[dimension].map((name) => itemOf(dimension, name))]);
  return {
    operation: operation.name,
    exchanges,
    actors: [...actors].toSorted(),
    items: Object.fromEntries(all) as OperationCoverage["items"],
  };
}

/** Returns how many of some items are covered. */
export function countIn(items: readonly CoverageItem[]): CoverageCount {
  return { covered: items.filter(({ by }) => by !== null).length, total: items.length };
}

/** Returns a count as a percentage, rounded down; 100 if there is nothing to cover. */
export function percentOf({ covered, total }: CoverageCount): number {
  return total === 0 ? 100 : Math.floor((covered * 100) / total);
}
