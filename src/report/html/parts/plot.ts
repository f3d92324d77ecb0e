import { hint } from "./phrases.ts";
import { Decimal } from "../../../base/numbers/decimal.ts";
import { LIMITS } from "../../../base/limits.ts";
import type { Quantity } from "../../../protocol/comparison.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { type Child, el, rounded } from "../markup.ts";

/** Values over time, the earliest first. A missing value breaks the line. Times are milliseconds since the Unix epoch. */
export type Line = readonly { readonly at: number; readonly value: Quantity | null }[];

interface Drawn {
  readonly at: number;
  readonly value: Decimal | undefined;
}

const WIDTH = 240;
const HEIGHT = 60;
const MARGIN = 6;

const STROKES = ["solid", "dashed"] as const;

/**
 * Plots at most two lines over time with their latest points; nothing if there is no value. The caption says how each of two named lines is drawn, or that it
 * has no value. Only the drawing is rounded: its limits are exact numbers.
 */
export function plotOf(title: string, lines: readonly Line[], names: readonly string[] = []): Child {
  const drawn = lines.map((line) => line.slice(-LIMITS.plotPoints).map(drawnOf));
  const values = drawn.flatMap((line) => line.flatMap(({ value }) => value ?? [])).toSorted((a, b) => a.compare(b));
  const [low, high] = [values[0], values.at(-1)];
  if (low === undefined || high === undefined) return undefined;
  const place = placing(
    drawn.flatMap((line) => line.map(({ at }) => at)),
    { low, high },
  );
  const named = names.map((name, at) => `${name} ${drawn[at]?.some(hasValue) === true ? STROKES[at] : "without a value"}`);
  const caption = named.length === 0 ? title : `${title}: ${named.join(", ")}`;
  const span = low.equals(high) ? `${oneLine(low.text)} throughout` : `${oneLine(low.text)} to ${oneLine(high.text)}`;
  return el(
    "div",
    { class: "plot" },
    el(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${caption}, ${span}` },
      drawn.map((line, at) => lineOf(line, `line-${at + 1}`, place)),
    ),
    hint(`${caption}; ${span}`),
  );
}

function hasValue({ value }: Drawn): boolean {
  return value !== undefined;
}

function drawnOf({ at, value }: Line[number]): Drawn {
  return { at, value: value === null ? undefined : Decimal.parse(value) };
}

type Placing = (at: number, value: Decimal) => readonly [x: number, y: number];

function placing(times: readonly number[], { low, high }: { readonly low: Decimal; readonly high: Decimal }): Placing {
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const height = high.minus(low);
  return (at, value) => {
    const across = last === first ? 0.5 : (at - first) / (last - first);
    const up = height.isZero() ? 0.5 : value.minus(low).dividedBy(height).approximate();
    return [rounded(MARGIN + across * (WIDTH - 2 * MARGIN), 1), rounded(HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN), 1)];
  };
}

function lineOf(line: readonly Drawn[], name: string, place: Placing): Child {
  let path = "";
  const dots: (readonly [x: number, y: number])[] = [];
  let isBroken = true;
  for (const { at, value } of line) {
    if (value !== undefined) {
      const dot = place(at, value);
      dots.push(dot);
      path += `${isBroken ? "M" : "L"}${dot.join(" ")}`;
    }
    isBroken = value === undefined;
  }
  return [el("path", { class: name, d: path }), dots.map(([cx, cy]) => el("circle", { class: name, cx, cy, r: 2.5 }))];
}
