import { wallClock } from "../../base/time/wall-clock.ts";

/** A time zone. Wall time is in milliseconds, as if the wall clock showed UTC. */
export class Zone {
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  /** Returns the time zone of a name such as `Europe/Lisbon`; `undefined` if there is none. */
  static named(name: string): Zone | undefined {
    return wallClock(0, name) === undefined ? undefined : new Zone(name);
  }

  /** Returns the wall time at an instant. */
  wallAt(instant: number): number {
    return Number(wallClock(instant, this.#name));
  }

  /** Returns the instant of a wall time. If the wall clock never shows this time, or shows it twice, the instant is nearby. */
  instantOf(wall: number): number {
    const guess = wall - (this.wallAt(wall) - wall);
    return wall - (this.wallAt(guess) - guess);
  }

  /** Returns the same wall time on the same day of the month, some months later. If that month is too short, its last day is used. */
  plusMonths(instant: number, months: number): number {
    const date = new Date(this.wallAt(instant));
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + months);
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    return this.instantOf(date.setUTCDate(Math.min(day, lastDay)));
  }
}
