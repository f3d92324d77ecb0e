import { wallClock } from "../../base/time/wall-clock.ts";

/** A timezone. Wall time is in milliseconds, as if the wall clock showed UTC. */
export class Zone {
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  /** The timezone of a name such as `Europe/Lisbon`; `undefined` when there is none. */
  static named(name: string): Zone | undefined {
    return wallClock(0, name) === undefined ? undefined : new Zone(name);
  }

  /** What the wall shows at an instant. */
  wallAt(instant: number): number {
    return Number(wallClock(instant, this.#name));
  }

  /** The instant at which the wall shows this; of a time that the wall shows never, or twice, one nearby. */
  instantOf(wall: number): number {
    const guess = wall - (this.wallAt(wall) - wall);
    return wall - (this.wallAt(guess) - guess);
  }

  /** The same day of the month, or the last that there is, and the same time on the wall, so many months later. */
  plusMonths(instant: number, months: number): number {
    const date = new Date(this.wallAt(instant));
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + months);
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    return this.instantOf(date.setUTCDate(Math.min(day, lastDay)));
  }
}
