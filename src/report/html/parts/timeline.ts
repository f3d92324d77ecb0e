import { rounded } from "../markup.ts";
import type { RunReport, StepReport } from "../../shape.ts";

/** Units of the axis of a timeline. */
export const AXIS = 1_000;

const LEAST_WIDTH = 8;
/** The largest part of the axis for one pause. */
const PAUSE_PART = 0.05;

interface Busy {
  readonly from: number;
  to: number;
  /** Where it begins on the axis, in milliseconds with shortened pauses. */
  at: number;
}

/** The positions of a run's steps in time. A pause in which nothing was done, such as before a resume, is drawn short. */
export class Timeline {
  readonly #busy: readonly Busy[];
  readonly #length: number;
  /** Whether a pause is drawn shorter than it was. */
  readonly hasPauses: boolean;

  constructor({ steps }: Pick<RunReport, "steps">) {
    const busy = mergedOf(steps.flatMap(spanOf));
    const worked = busy.reduce((sum, { from, to }) => sum + to - from, 0);
    const longest = Math.max(1, worked * PAUSE_PART);
    let at = 0;
    let hasPauses = false;
    for (const [number, each] of busy.entries()) {
      const gap = number === 0 ? 0 : each.from - (busy[number - 1]?.to ?? each.from);
      hasPauses ||= gap > longest;
      at += Math.min(gap, longest);
      each.at = at;
      at += each.to - each.from;
    }
    this.#busy = busy;
    this.#length = Math.max(1, at);
    this.hasPauses = hasPauses;
  }

  /** Returns the bar of a step in units of the axis; `undefined` if the step never began. */
  barOf(step: StepReport): { readonly x: number; readonly width: number } | undefined {
    const [span] = spanOf(step);
    if (span === undefined) return undefined;
    const from = this.#at(span.from);
    const width = Math.max(LEAST_WIDTH, this.#at(span.to) - from);
    return { x: rounded(Math.min(from, AXIS - LEAST_WIDTH), 1), width: rounded(Math.min(width, AXIS), 1) };
  }

  #at(moment: number): number {
    let [low, high] = [0, this.#busy.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#busy[middle]?.from ?? 0) <= moment) low = middle;
      else high = middle - 1;
    }
    const { from = 0, to = 0, at = 0 } = this.#busy[low] ?? {};
    return ((at + Math.min(moment, to) - from) / this.#length) * AXIS;
  }
}

function spanOf({ startedAt, durationMs, waitedMs }: StepReport): readonly { readonly from: number; readonly to: number }[] {
  if (startedAt === null) return [];
  const from = Date.parse(startedAt);
  return [{ from, to: from + (durationMs ?? 0) + (waitedMs ?? 0) }];
}

// A step with other steps spans their pauses too. So only a time outside all spans is a pause.
function mergedOf(spans: readonly { readonly from: number; readonly to: number }[]): readonly Busy[] {
  const merged: Busy[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to, at: 0 });
  }
  return merged;
}
