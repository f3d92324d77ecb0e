import type { Comparison } from "../../../protocol/comparison.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { RunReport } from "../../shape.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "./moment.ts";
import { type Line, plotOf } from "./plot.ts";
import { type TableRow, tableOf } from "./table.ts";

/** A comparison in one of several runs. */
interface HistoryPoint {
  readonly at: string;
  readonly comparison: Comparison;
}

/** Returns how comparisons that several runs of a page made have changed from run to run; nothing if each was made only once. */
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

function seriesOf(of: string, points: readonly HistoryPoint[]): Child {
  const [first] = points;
  const [left, right] = [oneLine(first?.comparison.left.name ?? ""), oneLine(first?.comparison.right.name ?? "")];
  const rows = points.map(({ at, comparison }): TableRow => {
    const { counts } = comparison;
    return [
      moment(at),
      comparison.left.sum ?? "",
      comparison.right.sum ?? "",
      openText(comparison),
      String(counts.acknowledged),
      String(counts.cleared),
    ];
  });
  return el(
    "div",
    { class: "series" },
    el("p", { class: "label" }, oneLine(of)),
    plotsOf(points),
    tableOf(
      `${oneLine(of)}, run by run`,
      ["Run started", `Sum of ${left}`, `Sum of ${right}`, "Open", "Acknowledged", "Cleared"],
      rows,
    ),
  );
}

/** Returns plots of the sums of both sides and of the open drifts from run to run. */
export function plotsOf(points: readonly HistoryPoint[]): Markup {
  const { left, right } = points.at(-1)?.comparison ?? { left: { name: "" }, right: { name: "" } };
  return el(
    "div",
    { class: "plots" },
    plotOf("Sums", sumsOf(points), [oneLine(left.name), oneLine(right.name)]),
    plotOf("Open drifts", [points.map(({ at, comparison }) => ({ at: Date.parse(at), value: openIn(comparison) }))]),
  );
}

/** Returns how many drifts of a comparison nobody has acknowledged. If a read did not finish, there may be more. */
export function openText(comparison: Comparison): string {
  return openIn(comparison) ?? `${foundIn(comparison)} or more`;
}

function openIn(comparison: Comparison): string | null {
  return comparison.gaps.length > 0 ? null : String(foundIn(comparison));
}

function foundIn({ counts }: Comparison): number {
  return counts.new + counts.persisting + counts.changed;
}

function sumsOf(points: readonly HistoryPoint[]): readonly Line[] {
  return (["left", "right"] as const).map((side) =>
    points.map(({ at, comparison }) => ({ at: Date.parse(at), value: comparison[side].sum })),
  );
}
