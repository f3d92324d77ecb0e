import type { Json } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import { isoTime } from "../../base/time/date.ts";
import { present } from "../../base/present.ts";
import type { Compare } from "../../playbook/model.ts";
import type { Difference, Sighting, YoungDifference } from "../../reconcile/sighting.ts";
import { Gathered } from "../../reconcile/gathered.ts";
import { areAlike, differenceOf, judge, type Rules } from "../../reconcile/judge.ts";
import { keyParts, keyText, type Pair, type SideValue, type SideName, SIDES } from "../../reconcile/row.ts";
import { pauseBetweenLooks } from "../read/look-until.ts";
import type { RunContext } from "../run/run-context.ts";
import type { SourceReader, ReadRow } from "./source-reader.ts";

interface RecheckParts {
  /** The address of the step that compares. */
  readonly step: string;
  readonly reader: SourceReader;
  readonly rules: Rules;
  readonly times: Pick<Compare, "settleMs" | "recheckMs">;
  /** Returns since when earlier runs have seen this difference with the same values. */
  readonly known: (difference: Difference) => number | undefined;
}

/** A key that differed at the last look. */
interface Suspect {
  readonly pair: Pair;
  /** Since when its values have been the same, as far as they were looked at. */
  readonly since: number;
}

/** How the differences of the first look ended. */
export interface Rechecked {
  /** The differences that were seen twice with the same values. */
  readonly sightings: readonly Sighting[];
  /** The differences that changed with each look, or are too young. */
  readonly moving: readonly Pair[];
  /** The young differences: the same in each look, but for less than the settle time. */
  readonly young: readonly YoungDifference[];
  /** How many differences were gone. */
  readonly settled: number;
  /** How many keys could not be read again. */
  readonly lost: number;
  /** How often the sides were read, including the first look. */
  readonly looks: number;
}

/**
 * Reads differences again until each is gone, or was seen twice with the same values. A difference that is neither after `LIMITS.looks`
 * looks counts as moving. So does one that is younger than the settle time: a later run will find it old enough.
 */
export class Recheck {
  readonly #context: RunContext;
  readonly #parts: RecheckParts;
  readonly #sightings: Sighting[] = [];
  readonly #young: YoungDifference[] = [];
  readonly #youngPairs: Pair[] = [];
  #settled = 0;
  #lost = 0;

  constructor(context: RunContext, parts: RecheckParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Reads these differences again, and returns how each of them ended. Ends early when the run must stop. */
  async of(pairs: Iterable<Pair>): Promise<Rechecked> {
    const now = this.#context.ports.clock.now();
    let suspects = new Map(Array.from(pairs, (pair) => [pair.key, { pair, since: now }] as const));
    let looks = 1;
    while (suspects.size > 0 && looks < LIMITS.looks && !this.#context.stopping) {
      await this.#pause(suspects);
      if (this.#context.stopping) break;
      suspects = await this.#again(suspects);
      looks += 1;
    }
    const moving = [...Array.from(suspects.values(), ({ pair }) => pair), ...this.#youngPairs];
    return { sightings: this.#sightings, moving, young: this.#young, settled: this.#settled, lost: this.#lost, looks };
  }

  async #pause(suspects: ReadonlyMap<string, Suspect>): Promise<void> {
    const { clock } = this.#context.ports;
    // An older look than the first would show a new difference as gone.
    const ms = pauseBetweenLooks(this.#context.target, this.#parts.times.recheckMs);
    const what = `${count(suspects.size, "difference")}, to read again`;
    this.#context.notify({ kind: "step.waiting", step: this.#parts.step, for: what, untilMs: clock.now() + ms, at: clock.now() });
    await this.#context.pause(ms, this.#parts.step);
  }

  // A difference exists since the last change of its rows or since a look first saw the same values, whichever is earlier. Future times are
  // ignored.
  #sinceOf({ pair, since }: Suspect, differences: readonly Difference[], now: number): number {
    const changedAt = Math.max(pair.left?.at ?? Number.NEGATIVE_INFINITY, pair.right?.at ?? Number.NEGATIVE_INFINITY);
    const seenAlike = Math.max(...differences.map((difference) => this.#parts.known(difference) ?? since));
    return Math.min(Number.isFinite(changedAt) ? changedAt : now, seenAlike, now);
  }

  async #again(before: ReadonlyMap<string, Suspect>): Promise<Map<string, Suspect>> {
    const witnessed = await this.#parts.reader.readAgain(new Map(Array.from(before, ([key, { pair }]) => [key, pair])));
    const byKey = Map.groupBy(witnessed, ({ row }) => keyText(row.key));
    const gathered = new Gathered();
    for (const { row } of witnessed) gathered.add(row);
    const after = new Map<string, Suspect>();
    const now = this.#context.ports.clock.now();
    for (const [key, suspect] of before) {
      if (!this.#parts.reader.isWhole(key)) {
        this.#lost += 1; // it could not be read again; the report shows this as a gap
        continue;
      }
      const rows = byKey.get(key) ?? [];
      const pair = gathered.get(key);
      if (judge(pair, this.#parts.rules).length === 0) {
        this.#settled += 1;
        continue;
      }
      const isAlike = areAlike(pair, suspect.pair);
      const next = { pair, since: isAlike ? suspect.since : now };
      if (isAlike) this.#confirm(next, rows, now);
      else after.set(key, next);
    }
    return after;
  }

  #confirm(suspect: Suspect, rows: readonly ReadRow[], now: number): void {
    const { pair } = suspect;
    const differences = this.#differencesOf(pair, rows);
    const since = this.#sinceOf(suspect, differences, now);
    const evidence = { left: evidenceOf("left", pair.left, rows), right: evidenceOf("right", pair.right, rows) };
    if (now - since >= this.#parts.times.settleMs)
      this.#sightings.push(...differences.map((difference) => ({ ...difference, since, evidence })));
    else {
      this.#youngPairs.push(pair);
      this.#young.push(...differences.map((difference) => ({ ...difference, since })));
    }
  }

  #differencesOf({ key, left, right }: Pair, rows: readonly ReadRow[]): readonly Difference[] {
    return judge({ left, right }, this.#parts.rules).map((kind) => ({
      key: keyParts(key),
      kind,
      left: left?.value ?? null,
      right: right?.value ?? null,
      difference: differenceOf({ left, right }),
      values: valuesOf({ left, right }, rows, this.#parts.rules),
    }));
  }
}

// Everything that an acknowledgement covers. Where rows are not added up, each row counts, because their sum may stay the same.
function valuesOf(pair: Pick<Pair, "left" | "right">, rows: readonly ReadRow[], { sums }: Rules): string {
  const sides = SIDES.map((side) => {
    const own = recordsOf(side, pair[side], rows);
    const all = sums[side] ? [] : own.map(({ row }) => row.value?.canonical() ?? "").toSorted();
    return [pair[side]?.value ?? null, own.length, all];
  });
  return JSON.stringify(sides);
}

function recordsOf(side: SideName, seen: SideValue | undefined, rows: readonly ReadRow[]): readonly ReadRow[] {
  return seen === undefined ? [] : rows.filter(({ row }) => row.side === side && row.record !== null);
}

function evidenceOf(side: SideName, seen: SideValue | undefined, rows: readonly ReadRow[]): Json {
  const own = recordsOf(side, seen, rows);
  return {
    rows: String(own.length),
    read: own.slice(0, LIMITS.driftRows).map(({ row, origin: { at, operation, input, actor, page } }) => ({
      operation,
      input,
      actor,
      page: String(page),
      ...present({ place: row.place }),
      at: isoTime(at),
      record: row.record,
    })),
  };
}
