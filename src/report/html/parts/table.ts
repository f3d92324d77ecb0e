import { type Child, el, type Markup } from "../markup.ts";

/** A row of a table: the first cell names it. */
export type TableRow = readonly [Child, ...(readonly Child[])];

/** Returns a table that scrolls by itself if the page is too narrow. */
export function tableOf(label: string, columns: readonly string[], rows: readonly TableRow[]): Markup {
  const head = columns.map((name) => el("th", { scope: "col" }, name));
  const body = rows.map(([name, ...cells]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      cells.map((cell) => el("td", {}, cell)),
    ),
  );
  return el(
    "div",
    { class: "wide", role: "group", tabindex: 0, "aria-label": label },
    el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)),
  );
}
