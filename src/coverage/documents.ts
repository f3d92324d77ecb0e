import { getOrInsert } from "../base/maps.ts";
import { harmlessJson } from "../base/text/harmless.ts";
import { count } from "../base/text/text.ts";
import { junitSuite } from "../report/formats/junit.ts";
import { framed } from "../report/html/frame.ts";
import { type Child, el, type Markup } from "../report/html/markup.ts";
import { hint } from "../report/html/parts/phrases.ts";
import { type TableRow, tableOf } from "../report/html/parts/table.ts";
import {
  type Coverage,
  countIn,
  type CoverageCount,
  type CoverageItem,
  type CoveringStep,
  type OperationCoverage,
  percentOf,
} from "./coverage.ts";
import { type Dimension, DIMENSION_NAMES, DIMENSIONS, type Thresholds } from "./dimensions.ts";
import { missingLines } from "./text.ts";

/** Returns a line for each dimension whose coverage is below its threshold. */
export function belowThresholds({ totals }: Coverage, thresholds: Thresholds): readonly string[] {
  return DIMENSION_NAMES.flatMap((name) => below(name, totals[name], thresholds) ?? []);
}

function below(name: Dimension, count: CoverageCount, { [name]: least = 0 }: Thresholds): string | undefined {
  const percent = percentOf(count);
  if (percent >= least) return undefined;
  return `coverage of ${name} is ${percent}% (${count.covered} of ${count.total}), less than ${least}%`;
}

/** Returns the coverage as JSON. */
export function coverageJson(coverage: Coverage): string {
  return harmlessJson(`${JSON.stringify({ format: 1, ...coverage }, undefined, 1)}\n`);
}

/** Returns the coverage as JUnit XML, with a case for each dimension that fails below its threshold. */
export function coverageJunit({ totals, operations }: Coverage, thresholds: Thresholds): string {
  const cases = DIMENSION_NAMES.map((name) => ({
    name: `${name}: ${totals[name].covered} of ${totals[name].total}`,
    failure: below(name, totals[name], thresholds),
    output: operations
      .flatMap((each) => missingLines(each))
      .filter((line) => line.includes(`not covered, ${DIMENSIONS[name]}:`))
      .join("\n"),
  }));
  return junitSuite({ name: "coverage", cases });
}

/** Returns the coverage as one page: a heat map whose cells link to the items of an operation, and from each item to the step that covered it. */
export function coverageHtml(coverage: Coverage): Iterable<string> {
  const steps = new StepList();
  const sections = coverage.operations.map((each) => section(each, steps));
  return framed({ title: "Coverage" }, [
    el("h1", {}, "Coverage"),
    el("p", {}, `${count(coverage.runs.length, "run")}, ${count(sum(coverage.runs), "exchange")}.`),
    el("div", { class: "heat" }, tableOf("Coverage", ["operation", ...Object.values(DIMENSIONS)], heatRows(coverage))),
    sections,
    el("h2", {}, "Steps"),
    tableOf("Steps", ["Step", "Run", "Playbook"], steps.rows(coverage)),
  ]);
}

function sum(runs: Coverage["runs"]): number {
  return runs.reduce((total, { exchanges }) => total + exchanges, 0);
}

function heatRows({ operations, totals }: Coverage): readonly TableRow[] {
  return [
    ["all", ...DIMENSION_NAMES.map((name) => heat(totals[name], undefined))],
    ...operations.map(({ operation, items }): TableRow => [
      el("a", { href: `#${operation}` }, operation),
      ...DIMENSION_NAMES.map((name) => heat(countIn(items[name]), `#${operation}.${name}`)),
    ]),
  ];
}

const MOST = 50;

function heat(count: CoverageCount, href: string | undefined): Child {
  if (count.total === 0) return "";
  const percent = percentOf(count);
  const shade = count.covered === count.total ? "all" : percent >= MOST ? "most" : "few";
  const text = `${count.covered}/${count.total}`;
  return href === undefined ? el("span", { class: shade }, text) : el("a", { class: shade, href }, text);
}

function section({ operation, items, actors, exchanges }: OperationCoverage, steps: StepList): Markup {
  const parts = DIMENSION_NAMES.filter((name) => items[name].length > 0).map((name) =>
    el(
      "li",
      { id: `${operation}.${name}` },
      el("b", {}, `${DIMENSIONS[name]}: `),
      items[name].map((item, at) => [at === 0 ? "" : ", ", itemLink(item, steps)]),
    ),
  );
  const called = actors.length === 0 ? "" : `, by ${actors.join(", ")}`;
  return el(
    "section",
    { id: operation },
    el("h3", {}, operation),
    hint(`${count(exchanges, "exchange")}${called}`),
    el("ul", {}, parts),
  );
}

function itemLink({ name, by, verdicts = [] }: CoverageItem, steps: StepList): Child {
  const text = verdicts.length === 0 ? name : `${name} (${verdicts.join(", ")})`;
  return by === null
    ? el("span", { class: "failed" }, el("span", { class: "word" }, text))
    : el("a", { href: `#${steps.idOf(by)}` }, text);
}

/** The steps that covered something, each with a number. */
class StepList {
  readonly #steps = new Map<string, CoveringStep & { readonly id: string }>();

  idOf({ run, step }: CoveringStep): string {
    const key = JSON.stringify([run, step]);
    return getOrInsert(this.#steps, key, () => ({ run, step, id: `step-${this.#steps.size + 1}` })).id;
  }

  rows({ runs }: Coverage): readonly TableRow[] {
    const playbooks = new Map(runs.map(({ id, playbook }) => [id, playbook]));
    return Array.from(this.#steps.values(), ({ id, run, step }) => [
      el("span", { id }, step ?? "before the first step"),
      el("code", {}, run),
      playbooks.get(run) ?? "",
    ]);
  }
}
