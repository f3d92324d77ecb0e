const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The pattern of a duration: a number and a unit, such as `500ms`, `30s`, `10m`, `2h`, `1d`. */
export const DURATION_PATTERN = "^\\d+(?:\\.\\d+)?(?:ms|s|m|h|d)$";

/** The rule of that pattern in words. */
export const DURATION_RULE = "must be a duration, such as 500ms, 30s, 5m, 2h or 1d";

/** Returns the milliseconds of a duration; `undefined` if the text is not one. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? Number.NaN);
}

const UNIT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ms|msecs?|millis|milliseconds?)$/i, "ms"],
  [/^(?:s|secs?|seconds?)$/i, "s"],
  [/^(?:m|mins?|minutes?)$/i, "m"],
  [/^(?:h|hrs?|hours?)$/i, "h"],
  [/^(?:d|days?)$/i, "d"],
];

/** Returns the duration that a person probably meant by `6 hours`, `1h30m` or `300`. */
export function meantDuration(text: string): string | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return `${text}s`;
  if (!/^\s*(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/i.test(text)) return undefined;
  const parts = Array.from(text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi), ([, number = "", word = ""]) => ({
    number,
    unit: UNIT_WORDS.find(([words]) => words.test(word))?.[1],
  }));
  const [first, ...others] = parts;
  if (first === undefined || parts.some(({ unit }) => unit === undefined)) return undefined;
  if (others.length === 0) return `${first.number}${first.unit}`;
  const ms = parts.reduce((sum, { number, unit = "" }) => sum + Number(number) * (UNIT_MS[unit] ?? Number.NaN), 0);
  const whole = ["d", "h", "m", "s", "ms"].find((unit) => Number.isSafeInteger(ms / (UNIT_MS[unit] ?? Number.NaN)));
  return whole === undefined ? undefined : `${ms / (UNIT_MS[whole] ?? 1)}${whole}`;
}

/** Returns a duration for people: `0.4 s`, `12 s`, `3 min 20 s`; an empty text if it is unknown. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return "";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_500) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
