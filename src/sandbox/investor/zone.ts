const WALL: Intl.DateTimeFormatOptions = {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
};
const SECOND_MS = 1_000;

/** A timezone. Wall time is in milliseconds, as if the wall clock showed UTC. */
export class Zone {
  readonly #format: Intl.DateTimeFormat;

  private constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  /** The timezone of a name such as `Europe/Lisbon`; `undefined` when there is none. */
  static named(name: string): Zone | undefined {
    try {
      return new Zone(new Intl.DateTimeFormat("en-US", { ...WALL, timeZone: name }));
    } catch {
      return undefined;
    }
  }

  /** What the wall shows at an instant. */
  wallAt(instant: number): number {
    const parts = new Map(this.#format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
    const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
    return shown + (((instant % SECOND_MS) + SECOND_MS) % SECOND_MS);
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
