import { oneLine } from "../../formats/foreign-text.ts";
import { el, type Markup } from "../markup.ts";

const READABLE = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** Returns a time in UTC as people read it, with the exact time as its tooltip. */
export function moment(at: string): Markup {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return el("time", {}, oneLine(at));
  return el("time", { datetime: at, title: oneLine(at) }, READABLE.format(time));
}
