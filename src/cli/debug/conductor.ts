import type { Hold, HeldMoment } from "../../engine/run/hold.ts";
import { stepsAround } from "./stack.ts";

/** Why a run is held. */
export type HoldReason = "entry" | "breakpoint" | "step" | "pause" | "exception";

/** A moment at which the run is held. */
export interface Stop {
  /** Why the run is held. */
  readonly reason: HoldReason;
  /** Where the run is, and which values are known there. */
  readonly moment: HeldMoment;
}

/** The place of a step in its file. */
export interface BreakPlace {
  /** The absolute path of the file. */
  readonly path: string;
  /** The line on which the step begins, from 1. */
  readonly line: number;
}

// No step has this depth, so the run continues to the next breakpoint.
const NO_DEPTH = -1;

/**
 * Decides at which moments a run is held, and holds it there. It can only delay a run: it never repeats, skips or changes an action. The rounds of a parallel
 * loop are held one after the other.
 */
export class Conductor {
  readonly #onStop: (stop: Stop) => void;
  /** The lines of the steps with breakpoints, by the absolute path of the file. */
  readonly #lines = new Map<string, ReadonlySet<number>>();
  readonly #pathOf: (file: string) => string | undefined;
  /** The last thing that was shown about each step, by address. A step without news is not shown again. */
  readonly #shown = new Map<string, string>();
  /** The run is held at the next step that is at most this deep. */
  #heldDepth = NO_DEPTH;
  #isPauseAsked = false;
  /** Where the run is held only once: at a step, or at its first moment. */
  #once: BreakPlace | "first" | undefined;
  #stopsAtFailures = false;
  #isOver = false;
  #stop: Stop | undefined;
  #release: () => void = () => undefined;
  #released: Promise<void> = Promise.resolve();

  /** `pathOf` returns the absolute path of a playbook's file. */
  constructor(parts: { readonly onStop: (stop: Stop) => void; readonly pathOf: (file: string) => string | undefined }) {
    this.#onStop = parts.onStop;
    this.#pathOf = parts.pathOf;
  }

  /** The moment at which the run is held now, if any. */
  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** Holds a run at the moments that the editor has asked for. */
  readonly hold: Hold = (moment, stopping) => {
    if (this.#isOver || stopping.aborted) return undefined;
    // another round is held already, so this one waits
    if (this.#stop !== undefined) return this.#released.then(() => this.hold(moment, stopping));
    const reason = this.#reasonAt(moment);
    return reason === undefined ? undefined : this.#holdAt({ reason, moment }, stopping);
  };

  async #holdAt(stop: Stop, stopping: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const release = (): void => {
      this.#stop = undefined;
      resolve();
    };
    this.#released = promise;
    this.#release = release;
    stopping.addEventListener("abort", release, { once: true });
    this.#heldDepth = NO_DEPTH;
    this.#isPauseAsked = false;
    this.#once = undefined;
    this.#stop = stop;
    this.#onStop(stop);
    await promise;
  }

  #reasonAt(moment: HeldMoment): HoldReason | undefined {
    const { when, place, run } = moment;
    if (when === "after") {
      const news = newsAt(moment);
      if (news === undefined || this.#shown.get(place.address) === news) return undefined;
      this.#shown.set(place.address, news);
      if (this.#stopsAtFailures && run.state.steps.get(place.address)?.stopped !== undefined) return "exception";
    }
    if (this.#once === "first") return "entry";
    const around = stepsAround(run.playbook, place.address);
    const file = this.#pathOf(around[0]?.playbook.file ?? "");
    if (this.#once?.path === file && this.#once?.line === place.step.line) return "entry";
    if (file !== undefined && this.#lines.get(file)?.has(place.step.line) === true) return "breakpoint";
    if (this.#isPauseAsked) return "pause";
    return around.length <= this.#heldDepth ? "step" : undefined;
  }

  /** Replaces the breakpoints of a file. */
  setBreakpoints(path: string, lines: ReadonlySet<number>): void {
    this.#lines.set(path, lines);
  }

  /** Sets whether the run is held at each step that fails or ends as unknown. */
  stopAtFailures(stops: boolean): void {
    this.#stopsAtFailures = stops;
  }

  /** Stops at the next moment. */
  pause(): void {
    this.#isPauseAsked = true;
  }

  /** Stops once: at a step, or at the first moment of the run. */
  stopOnce(at: BreakPlace | "first"): void {
    this.#once = at;
  }

  /** Lets the run continue: to a breakpoint, to the next moment (`in`), past the steps inside this one (`over`), or out of the step around it (`out`). */
  continue(how: "breakpoint" | "in" | "over" | "out"): void {
    if (this.#stop === undefined) return;
    const { run, place } = this.#stop.moment;
    const depth = stepsAround(run.playbook, place.address).length;
    this.#heldDepth = { breakpoint: NO_DEPTH, in: Infinity, over: depth, out: depth - 1 }[how];
    this.#release();
  }

  /** Never holds the run again. */
  letGo(): void {
    this.#isOver = true;
    this.#release();
  }
}

// An answer, the result of probes, and the end of a step are news. A receipt and the completion of a write are not.
function newsAt({ place: { address }, run: { state } }: HeldMoment): string | undefined {
  const step = state.steps.get(address);
  const last = step?.attempts.at(-1);
  if (step?.stopped !== undefined) return `stopped ${state.sequence}`;
  if (last?.settled !== undefined) return `settled ${last.sequence}`;
  if (last?.answered !== undefined) return `answered ${last.sequence}`;
  const { completed } = step ?? {};
  return completed === undefined || completed.outcome === "skipped" ? undefined : `completed ${completed.sequence}`;
}
