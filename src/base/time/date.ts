const DAY = "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,9})?)?";
const ZONE = "(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";

/** The pattern of a date: a day, or a moment with its zone (ISO 8601). */
export const DATE_PATTERN: string = `^${DAY}(?:T${TIME}${ZONE})?$`;

const DATE = new RegExp(DATE_PATTERN);
const WITHOUT_ZONE = new RegExp(`^${DAY}[T ]${TIME}$`);
const BELOW_MS = /\.\d{3}0*[1-9]/;

/** The form of a date, for messages. */
export const DATE_FORM = "2026-01-31, or 2026-01-31T12:00:00Z with its zone";

/** Returns why a text is not a date, as the rest of a sentence; `undefined` if it is one. */
export function dateProblem(text: string): string | undefined {
  if (WITHOUT_ZONE.test(text)) return `says no time zone: write Z, or an offset such as +02:00, behind the time`;
  if (!DATE.test(text)) return `is no date: write ${DATE_FORM}`;
  const day = text.slice(0, 10);
  if (!new Date(day).toISOString().startsWith(day)) return `is no date: the month has no such day`;
  return BELOW_MS.test(text) ? "is finer than a millisecond, which dates here are not" : undefined;
}

/** Returns the moment of a date; for a day, its first moment in UTC; `undefined` if the text is not a date. */
export function parseDate(text: string): Date | undefined {
  return dateProblem(text) === undefined ? new Date(text) : undefined;
}

/** The milliseconds of a day in UTC. */
export const DAY_MS = 86_400_000;

/** Returns a moment in milliseconds since the Unix epoch as a text: `2026-01-31T12:00:00.000Z`. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Returns a moment like `isoTime`; null if there is none. */
export function isoTimeOrNull(at: number | null | undefined): string | null {
  return typeof at === "number" ? isoTime(at) : null;
}

/** Returns the day of a moment in UTC: `2026-01-31`. */
export function isoDay(at: number): string {
  return isoTime(at).slice(0, 10);
}
