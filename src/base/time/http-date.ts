import { formatDuration } from "./duration.ts";

// The oldest form names no zone, and is in UTC. JavaScript would read it as local time, and finds a time in almost any text with a number.
const WITHOUT_ZONE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
const WITH_ZONE = /\d\d:\d\d:\d\d(?:\.\d+)? ?(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/;

/** Returns the time of a `Date` header, in milliseconds since the Unix epoch; `undefined` if it is missing or invalid. */
export function timeOfHeader(date: string | null | undefined): number | undefined {
  const given = date ?? "";
  const zoned = WITHOUT_ZONE.test(given) ? `${given} GMT` : WITH_ZONE.test(given) ? given : "";
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? undefined : time;
}

/** Returns the words for the pause that an answer asks for, to end a sentence; an empty text for none. */
export function pauseWords({ retryAfterMs }: { readonly retryAfterMs: number | null }): string {
  return retryAfterMs === null ? "" : `; the answer asks for a pause of ${formatDuration(Math.round(retryAfterMs))}`;
}

/**
 * Returns the pause for which an answer asks in `Retry-After`, in milliseconds; `undefined` if it gives neither seconds nor a time. A time is
 * compared with the `Date` of the same answer, because this machine's clock may differ.
 */
export function pauseAskedIn(headers: Readonly<Record<string, string>>, now?: number): number | undefined {
  const { "retry-after": wait = "", date } = headers;
  if (/^\d{1,15}(?:\.\d+)?$/.test(wait)) return Number(wait) * 1_000;
  const [until, since = now] = [timeOfHeader(wait), timeOfHeader(date)];
  return until === undefined || since === undefined ? undefined : Math.max(0, until - since);
}
