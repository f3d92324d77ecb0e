import { Recent } from "../recent.ts";

/** Returns a date whose UTC parts are the local time in a zone at a moment; `undefined` if there is no such zone. */
export function wallClock(at: number, zone: string): Date | undefined {
  const format = formats.of(zone);
  if (format === undefined) return undefined;
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get("era") === "BC" ? 1 - part("year") : part("year");
  const local = new Date(0);
  local.setUTCFullYear(year, part("month") - 1, part("day"));
  local.setUTCHours(part("hour"), part("minute"), part("second"), part("fractionalSecond"));
  return local;
}

const formats = new Recent((zone) => {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      fractionalSecondDigits: 3,
    });
  } catch {
    return undefined;
  }
});
