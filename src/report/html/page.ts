import { hash } from "node:crypto";
import { formatDuration } from "../../base/duration.ts";
import { VERSION } from "../../base/version.ts";
import { oneLine } from "../foreign.ts";
import type { RunReport } from "../shape.ts";
import { countsOf } from "../text.ts";
import { RUN_WORDS } from "../words.ts";
import { Budget } from "./budget.ts";
import { comparisonsOverTime } from "./history.ts";
import { el, escapeHtml, type Markup } from "./markup.ts";
import { runPieces } from "./run.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { type Row, tableOf } from "./table.ts";

/**
 * The reports as one HTML page that needs nothing else, neither a network nor JavaScript; its one script adds search, filters and a choice of
 * colours. Its policy lets nothing else run or load, whatever a text holds. Pure.
 */
export function* htmlReport(reports: readonly RunReport[]): Generator<string> {
  yield head(titleOf(reports));
  yield `<body>${el("a", { class: "skip", href: "#main" }, "Skip to the report").html}`;
  yield toolbar(reports).html;
  yield '<main id="main" tabindex="-1">';
  if (reports.length !== 1) yield indexOf(reports).html;
  yield comparisonsOverTime(reports)?.html ?? "";
  const budget = new Budget();
  for (const [at, report] of reports.entries()) yield* runPieces(report, { id: runId(at), isOnly: reports.length === 1, budget });
  yield `</main>${footer().html}<script>${SCRIPT}</script></body></html>\n`;
}

function head(title: string): string {
  const policy = [
    "default-src 'none'",
    `style-src '${digest(STYLE)}'`,
    `script-src '${digest(SCRIPT)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>`,
  ].join("\n");
}

function digest(text: string): string {
  return `sha256-${hash("sha256", text, "base64")}`;
}

function titleOf(reports: readonly RunReport[]): string {
  const [only, ...others] = reports;
  if (only === undefined || others.length > 0) return `${reports.length} runs – tokenbook`;
  const { mark, word } = RUN_WORDS[only.run.outcome];
  return `${mark} ${word}: ${oneLine(only.run.playbook.name)} – tokenbook`;
}

// Shown by the script that makes it work.
function toolbar(reports: readonly RunReport[]): Markup {
  const outcomes = new Set(reports.flatMap(({ steps }) => steps.map(({ outcome }) => outcome)));
  return el(
    "div",
    { class: "toolbar", role: "search" },
    el("label", { for: "search" }, "Search"),
    el("input", { id: "search", type: "search", placeholder: "step, operation, transaction …  ( / )", autocomplete: "off" }),
    el(
      "span",
      { class: "filters", role: "group", "aria-label": "Outcomes shown" },
      [...outcomes].map((outcome) =>
        el(
          "button",
          { type: "button", "data-filter": outcome, "aria-pressed": "false", class: outcome },
          outcome.replace("-", " "),
        ),
      ),
    ),
    el("span", { class: "shown", role: "status" }),
    el("button", { type: "button", class: "theme", "aria-label": "Colours: as the system has them" }, "◐"),
  );
}

function indexOf(reports: readonly RunReport[]): Markup {
  const outcomes = Array.from(
    Map.groupBy(reports, ({ run }) => run.outcome),
    ([outcome, { length }]) => `${length} ${RUN_WORDS[outcome].word}`,
  );
  return el(
    "nav",
    { class: "index", "aria-label": "Runs" },
    el("h1", {}, `${reports.length} runs: ${outcomes.join(", ") || "none"}`),
    tableOf("The runs of this page", ["Playbook", "Outcome", "Environment", "Steps", "Began", "Took"], reports.map(indexRow)),
  );
}

function indexRow({ run, totals }: RunReport, at: number): Row {
  const { mark, word } = RUN_WORDS[run.outcome];
  return [
    el("a", { href: `#${runId(at)}` }, oneLine(run.playbook.name)),
    el("span", { class: `verdict ${run.outcome}` }, `${mark} ${word}`),
    oneLine(run.target.environment),
    countsOf(totals),
    el("time", { datetime: run.startedAt }, run.startedAt),
    run.durationMs === null ? "" : formatDuration(run.durationMs),
  ];
}

function runId(at: number): string {
  return `run-${at + 1}`;
}

function footer(): Markup {
  return el("footer", {}, `tokenbook ${VERSION}. Times are UTC. What is not known is not shown as if it were.`);
}
