import type { Comparison } from "../../protocol/comparison.ts";
import { oneLine } from "../foreign.ts";
import type { RunReport } from "../shape.ts";
import { type Child, el, type Markup } from "./markup.ts";
import { type Row, tableOf } from "./table.ts";

/** One comparison as one of several runs made it. */
interface Point {
  readonly at: string;
  readonly comparison: Comparison;
}

/** How the comparisons that several runs of a page made went on from run to run; nothing when each was made once. */
export function comparisonsOverTime(reports: readonly RunReport[]): Markup | undefined {
  const points = reports.flatMap(({ run, steps }) =>
    steps.flatMap(({ step, comparison }) =>
      comparison === null ? [] : [{ of: `${run.playbook.file}: ${step}`, at: run.startedAt, comparison }],
    ),
  );
  const repeated = [...Map.groupBy(points, ({ of }) => of)].filter(([, all]) => all.length > 1);
  if (repeated.length === 0) return undefined;
  return el(
    "section",
    { class: "over-time" },
    el("h2", { class: "part" }, "Drift over time"),
    repeated.map(([of, all]) =>
      seriesOf(
        of,
        all.toSorted((a, b) => a.at.localeCompare(b.at)),
      ),
    ),
  );
}

function seriesOf(of: string, points: readonly Point[]): Child {
  const [first] = points;
  const [left, right] = [oneLine(first?.comparison.left.name ?? ""), oneLine(first?.comparison.right.name ?? "")];
  const rows = points.map(({ at, comparison }): Row => {
    const { counts } = comparison;
    return [
      el("time", { datetime: at }, at),
      comparison.left.sum ?? "",
      comparison.right.sum ?? "",
      String(openIn(comparison)),
      String(counts.acknowledged),
      String(counts.cleared),
    ];
  });
  return el(
    "div",
    { class: "series" },
    el("p", { class: "label" }, oneLine(of)),
    el(
      "div",
      { class: "plots" },
      plotOf(`Sums: ${left} solid, ${right} dashed`, sumsOf(points)),
      plotOf("Open drifts", [points.map(({ comparison }) => openIn(comparison))]),
    ),
    tableOf(
      `${oneLine(of)}, run by run`,
      ["Run began", `Sum of ${left}`, `Sum of ${right}`, "Open", "Acknowledged", "Cleared"],
      rows,
    ),
  );
}

function openIn({ counts }: Comparison): number {
  return counts.new + counts.persisting + counts.changed;
}

function sumsOf(points: readonly Point[]): readonly (readonly number[])[] {
  const sums = (["left", "right"] as const).map((side) =>
    points.map(({ comparison }) => Number(comparison[side].sum ?? Number.NaN)),
  );
  return sums.every((sum) => sum.every(Number.isFinite)) ? sums : [];
}

const WIDTH = 240;
const HEIGHT = 60;
const MARGIN = 6;

// Only the picture is rounded: the table beside it has every digit.
function plotOf(caption: string, lines: readonly (readonly number[])[]): Child {
  const values = lines.flat();
  if (values.length === 0) return undefined;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (at: number, length: number): number => round(MARGIN + (at / Math.max(1, length - 1)) * (WIDTH - 2 * MARGIN));
  const y = (value: number): number =>
    round(high === low ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN));
  return el(
    "div",
    { class: "plot" },
    el(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${caption}, from ${low} to ${high}` },
      lines.map((line, number) => [
        el("path", {
          class: `line-${number + 1}`,
          d: `M${line.map((value, at) => `${x(at, line.length)} ${y(value)}`).join(" L")}`,
        }),
        line.map((value, at) => el("circle", { cx: x(at, line.length), cy: y(value), r: 2.5 })),
      ]),
    ),
    el("p", { class: "hint" }, `${caption}; ${low === high ? `${low} throughout` : `${low} to ${high}`}`),
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
