import { DAY_MS, dateProblem } from "../../base/time/date.ts";
import { wallClock } from "../../base/time/wall-clock.ts";
import { Duration } from "./duration.ts";

const NANOS_OF_MS = 1_000_000n;
const NANOS_OF_SECOND = 1_000_000_000n;
const FIRST = BigInt(new Date("0001-01-01").setUTCFullYear(1)) * NANOS_OF_MS;
const AFTER = BigInt(Date.UTC(10_000, 0)) * NANOS_OF_MS;

/** The parts of a date that expressions can ask for. CEL counts months, days of the year and `getDayOfMonth` from 0. */
export const PARTS: Readonly<Record<string, (local: Date) => number>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: dayOfYear,
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};

function dayOfYear(local: Date): number {
  const first = new Date(local);
  first.setUTCMonth(0, 1);
  return Math.round((local.getTime() - first.getTime()) / DAY_MS);
}

/** A date in an expression: a moment in the years 1 to 9999, exact to the nanosecond. It is independent of the machine's time zone. */
export class Moment {
  /** Nanoseconds since the Unix epoch. */
  readonly nanos: bigint;

  private constructor(nanos: bigint) {
    if (nanos < FIRST || nanos >= AFTER) throw new RangeError("a date is within the years 1 to 9999, and this one would not be");
    this.nanos = nanos;
  }

  /** Parses a moment. Throws a RangeError if the text is not one. */
  static of(text: string): Moment {
    const problem = dateProblem(text);
    if (problem !== undefined) throw new RangeError(`${JSON.stringify(text)} ${problem}`);
    return new Moment(BigInt(new Date(text).getTime()) * NANOS_OF_MS);
  }

  /** Returns the moment this many seconds after the Unix epoch. Throws a RangeError if its year is out of range. */
  static ofSeconds(seconds: bigint): Moment {
    return new Moment(seconds * NANOS_OF_SECOND);
  }

  /** Returns the moment after this duration. Throws a RangeError if its year is out of range. */
  plus({ nanos }: Duration): Moment {
    return new Moment(this.nanos + nanos);
  }

  /** Returns the moment before this duration. Throws a RangeError if its year is out of range. */
  minus({ nanos }: Duration): Moment {
    return new Moment(this.nanos - nanos);
  }

  /** Returns the time since another moment. */
  since(other: Moment): Duration {
    return new Duration(this.nanos - other.nanos);
  }

  /** Returns a date whose UTC parts are the local time in a zone, by default UTC. Throws a RangeError if there is no such zone. */
  clockIn(zone?: string): Date {
    const ms = Number(this.nanos / NANOS_OF_MS - (this.nanos % NANOS_OF_MS < 0n ? 1n : 0n));
    if (zone === undefined) return new Date(ms);
    const fixed = fixedOffset(zone);
    const local = fixed === undefined ? wallClock(ms, zone) : new Date(ms + fixed);
    if (local !== undefined) return local;
    throw new RangeError(`${JSON.stringify(zone)} is no time zone: write one such as Europe/Berlin, or an offset such as +02:00`);
  }
}

function fixedOffset(zone: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(zone) ?? [];
  return sign === undefined ? undefined : (sign === "-" ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes));
}
