import { createRequire } from "node:module";
import type { Cron as Croner } from "croner";
import { messageOf } from "../failure.ts";
import { count } from "../text/text.ts";

// Loaded by the first playbook that has a schedule, so that other playbooks do not wait for it.
const load = createRequire(import.meta.url);
const croner = (): { readonly Cron: typeof Croner } => load("croner") as { readonly Cron: typeof Croner };

const WORDS = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

interface CronField {
  readonly name: string;
  readonly values: string;
  /** The library's number of the first value is 0. */
  readonly first: number;
}

const FIELDS: Readonly<Record<string, CronField>> = {
  second: { name: "second", values: "0 to 59", first: 0 },
  minute: { name: "minute", values: "0 to 59", first: 0 },
  hour: { name: "hour", values: "0 to 23", first: 0 },
  day: { name: "day of the month", values: "1 to 31", first: 1 },
  month: { name: "month", values: "1 to 12, or JAN to DEC", first: 1 },
  dayOfWeek: { name: "weekday", values: "0 to 7, or SUN to SAT", first: 0 },
};

// The library counts days and months from 0 in its messages.
function inWords(message: string): string {
  const [, part = "", value] = /Invalid value for (\w+): (-?\d+)$/.exec(message) ?? [];
  const outside = FIELDS[part === "nearestWeekdays" ? "day" : part];
  if (outside !== undefined) return refused(outside, String(Number(value) + outside.first));
  const [, place, written = ""] = /configuration entry (\d) \((.*)\) contains/.exec(message) ?? [];
  const misspelt = place === undefined ? undefined : Object.values(FIELDS)[Number(place)];
  return misspelt === undefined ? message.replace(/^CronPattern: (?:Syntax error, )?/, "") : refused(misspelt, written);
}

function refused({ name, values }: CronField, written: string): string {
  return `the ${name} is ${written}, and may be ${values}`;
}

/** A recurring time: a cron pattern in a time zone. */
export class Cron {
  /** The pattern as it was written. */
  readonly pattern: string;
  /** The name of the time zone, such as `Europe/Zurich`. */
  readonly timezone: string;
  readonly #croner: Croner;

  /**
   * Parses five fields, six fields that begin with seconds, or a word such as `@daily`. Throws an error that says what is wrong.
   * `isTimezone` must accept the zone.
   */
  constructor(pattern: string, timezone: string) {
    this.pattern = pattern;
    this.timezone = timezone;
    const fields = pattern.trim().split(/\s+/).length;
    if (pattern.startsWith("@")) {
      if (!WORDS.includes(pattern.toLowerCase())) throw new RangeError(`${pattern} is not one of ${WORDS.join(", ")}`);
    } else if (fields !== 5 && fields !== 6)
      throw new RangeError(`it has ${count(fields, "field")}, and needs five, or six with seconds before them`);
    const { Cron: Patterns } = croner();
    try {
      this.#croner = new Patterns(pattern, { timezone, mode: "5-or-6-parts", paused: true });
    } catch (error) {
      throw new RangeError(inWords(messageOf(error)), { cause: error });
    }
  }

  /** Returns the first moment after a given one, in milliseconds since the Unix epoch; `undefined` if there is none. */
  next(after: number): number | undefined {
    return this.#croner.nextRun(new Date(after))?.getTime();
  }

  /** Returns at most `most` moments right before a given one, the earliest first. */
  previous(before: number, most: number): readonly number[] {
    return this.#croner
      .previousRuns(most, new Date(before))
      .map((date) => date.getTime())
      .toReversed();
  }
}

/** Returns whether the system knows this time zone. */
export function isTimezone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Returns the names of the time zones that the system knows. */
export function timezones(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone")];
}

/** Returns a moment in the local time of a zone, with its offset: `2026-03-29 03:00:00 +02:00`. */
export function localTime(at: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en", { ...LOCAL, timeZone: timezone });
  const parts = new Map(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  const of = (...types: readonly Intl.DateTimeFormatPartTypes[]): readonly string[] => types.map((type) => parts.get(type) ?? "");
  const offset = (parts.get("timeZoneName") ?? "").replace("GMT", "") || "+00:00";
  return `${of("year", "month", "day").join("-")} ${of("hour", "minute", "second").join(":")} ${offset}`;
}

const LOCAL: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "longOffset",
};
