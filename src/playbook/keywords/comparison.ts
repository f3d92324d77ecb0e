import { Decimal, UNSIGNED_PATTERN } from "../../base/numbers/decimal.ts";
import {
  type CompanionRule,
  choice,
  duration,
  type EditedKeywords,
  elementNode,
  expression,
  frameOf,
  type Keywords,
  node,
  text,
  type Values,
} from "./keyword.ts";
import type { OutsideKind } from "../../rows/outside.ts";
import { AS, CONSERVE, LOOP, NAME, REPORTED_NAME, SIDE_READ, type SideReadFields } from "./shared.ts";
import { STEP_ID } from "../../base/text/step-id.ts";

// The keywords of the checks and comparisons that run when all steps are complete.

/** The fields of a check. */
export interface CheckFields extends SideReadFields, Values<"foreach" | "that" | "conserve"> {
  /** What is checked, for people; `undefined` without one. */
  readonly name: string | undefined;
  /** With `warn`, a check that does not hold is only reported. */
  readonly severity: "error" | "warn";
}

/** The keywords of a check whose edit contradicts a run that has made it. */
export type FixedOfCheck = "foreach" | "as" | "read" | "with" | "that" | "conserve";

type ExcludedBy<Name> = { readonly excludedBy: CompanionRule<Name> };
const besides = <Name extends string>(keyword: Name, message: string): ExcludedBy<Name> => ({ excludedBy: { keyword, message } });
const notConserved = (field: string): ExcludedBy<"conserve"> =>
  besides("conserve", `conserve has its own reads, and no "${field}"`);

/** The keywords of a check. */
export const CHECK: EditedKeywords<CheckFields, FixedOfCheck> = {
  name: text("What is checked, for people.", { edit: "none" }, { pattern: REPORTED_NAME }),
  foreach: { ...LOOP, edit: "conflict" },
  as: { ...AS.as, edit: "conflict" },
  read: { ...SIDE_READ.read, ...notConserved("read"), edit: "conflict" },
  with: { ...SIDE_READ.with, ...notConserved("with"), edit: "conflict" },
  that: expression("An expression over response, the answer of the read.", { ...notConserved("that"), edit: "conflict" }),
  conserve: { ...CONSERVE, edit: "conflict" },
  severity: choice(["error", "warn"], "With warn, the report shows a failed check, and the run passes", {
    default: "error",
    edit: "none",
  }),
};

/** Rows that are read from outside of the service. */
export interface RowsFields extends Values<OutsideKind | "headers" | "each" | "next" | "properties" | "required"> {
  /** The SELECT that gives the rows of a database; `undefined` for a file or an API. */
  readonly query: string | undefined;
  /** How long a query may take for its next rows, or an API for one answer, in milliseconds. */
  readonly timeout: number;
}

// Without a pattern, because the check itself reports a wrong reference without showing it.
const REFERENCE = { type: "string" };
const FILE = "from the playbook's folder; plain or compressed with gzip";
const QUERY_OF = "The query under `query` gives the rows";

/** The keywords of rows from outside of the service. */
export const ROWS: Keywords<RowsFields> = {
  csv: node({ type: "string" }, `The path of a CSV file with a header, ${FILE}.`),
  ndjson: node({ type: "string" }, `The path of a file with a JSON object on each line, ${FILE}.`),
  sqlite: node({ type: "string" }, `The path of a SQLite file from the playbook's folder. ${QUERY_OF}.`),
  postgres: node(REFERENCE, `Where the address of a PostgreSQL database is: env:NAME. ${QUERY_OF}.`),
  http: node(REFERENCE, "Where the address of a JSON API is: env:NAME. tokenbook sends it GET requests."),
  query: text("One SELECT. Its first column names a row in messages, so begin with the primary key."),
  headers: node(
    { type: "object", propertyNames: { pattern: "^[A-Za-z0-9-]+$" }, additionalProperties: REFERENCE, minProperties: 1 },
    "The headers of each request, and where the value of each is: env:NAME, or file:PATH.",
  ),
  each: expression("The rows of an answer: an expression over response and page. By default, the answer itself."),
  next: expression(
    "Where the next page is: an expression over response and page that gives an address, a map of parameters, or null after the last page. By default, the Link header decides.",
  ),
  properties: node(
    { type: "object", minProperties: 1 },
    "The fields of a row that are used, with their types as in an input; others are left out.",
    { required: true },
  ),
  required: node(
    { type: "array", items: { type: "string" } },
    "The fields that must have a value; by default, all of them. NULL, null and an empty cell are no value.",
  ),
  timeout: duration("How long a query may take for its next rows, or an API for one answer", { default: "1m" }),
};

/** The fields of one side of a comparison. */
export interface SideFields
  extends SideReadFields, Values<"foreach" | "rows" | "each" | "where" | "key" | "value" | "once" | "at"> {
  /** Its name in reports; `undefined` if it has none. */
  readonly name: string | undefined;
  /** `sum`: rows with the same key are added up. `undefined`: a second row with the same key is a finding. */
  readonly combine: "sum" | undefined;
}

/** The keywords of a side whose edit contradicts a run that has compared it. */
export type FixedOfSide = "rows" | "read" | "each" | "where" | "key" | "value" | "combine" | "once" | "at";

const notGiven = (field: string): ExcludedBy<"rows"> =>
  besides("rows", `"${field}" belongs to a side that reads; the rows of this one are given`);
const fixed = { edit: "conflict" } as const;
const ROW = "over row, response and the name of the side's foreach";

/** The keywords of a side. */
export const SIDE: EditedKeywords<SideFields, FixedOfSide> = {
  name: text("Its name in reports.", { edit: "none" }, { pattern: REPORTED_NAME }),
  foreach: { ...LOOP, ...notGiven("foreach"), edit: "none" },
  as: { ...AS.as, ...notGiven("as"), edit: "none" },
  read: { ...SIDE_READ.read, ...notGiven("read"), ...fixed },
  with: { ...SIDE_READ.with, ...notGiven("with"), edit: "none" },
  rows: node(
    { ...frameOf(ROWS), type: ["string", "object"] },
    "In place of a read: an expression that gives a list, such as inputs.expected; or rows from outside of the service.",
    { inside: () => ROWS, ...fixed },
  ),
  each: expression(
    "The rows of one page: an expression over response. By default the list in the answer, or the response as the only row.",
    { ...notGiven("each"), ...fixed },
  ),
  where: expression(`Rows for which it does not hold are left out: an expression ${ROW}.`, fixed),
  key: node(
    {
      anyOf: [
        { type: "string" },
        { type: "object", propertyNames: NAME, additionalProperties: { type: "string" }, minProperties: 1 },
      ],
    },
    `The key that matches rows of both sides: {NAME: expression, …}, or one expression, ${ROW}.`,
    { required: true, ...fixed },
  ),
  value: expression(
    `The number that is compared: an expression ${ROW}. Without it, only the row's existence is compared.`,
    fixed,
  ),
  combine: choice(["sum"], "Rows of one key are added up. Without it, a second row of a key is a finding.", {
    ...fixed,
    needs: {
      keyword: "value",
      message: "`combine: sum` adds up values, and this side has no value",
      suggestion: "add a `value`; for a record that is listed several times, write `once`",
    },
  }),
  once: expression(
    `What identifies the record of a row: a record that is listed several times, with the same value, counts once. An expression ${ROW}.`,
    fixed,
  ),
  at: expression(`When the row last changed: an expression ${ROW}.`, fixed),
};

/** The keywords of an entry of `map`. */
export const MAPPING: Keywords<Values<"from"> & Readonly<Record<"left" | "right", string | undefined>>> = {
  from: node({ type: ["string", "array"] }, "A list of objects, such as ${{ inputs.tokens }}.", { required: true }),
  left: text("The field with the left side's value.", { required: true }),
  right: text("The field with the right side's value.", { required: true }),
};

/** The fields of a comparison. */
export interface ComparisonFields extends Values<"scope" | "foreach" | "as" | "conserve" | "left" | "right" | "map" | "totals"> {
  /** The name of the comparison, which identifies its drifts from run to run. */
  readonly id: string | undefined;
  /** What is compared, for people; `undefined` if it has no name. */
  readonly name: string | undefined;
  /** Differences up to this amount are ignored. */
  readonly tolerance: Decimal;
  /** A younger difference is moving, and not yet a drift; in milliseconds. */
  readonly settle: number;
  /** How long to wait before a difference is read again, to confirm it, in milliseconds. */
  readonly recheck: number;
  /** Whether the comparison fails or passes if neither side has a row. */
  readonly empty: "fail" | "pass";
}

/** The keywords of a comparison whose edit contradicts a run that has made it. */
export type FixedOfComparison = "left" | "right" | "conserve" | "tolerance";

const notOwn = (field: string): ExcludedBy<"conserve"> => besides("conserve", `conserve has its own sides, and no "${field}"`);
const ofConserve = (field: string): { readonly needs: CompanionRule<"conserve"> } => ({
  needs: { keyword: "conserve", message: `"${field}" belongs to a side, or to conserve` },
});
const side = elementNode(SIDE, "One side of a comparison: rows that are read, or given.", fixed);
const mapping = elementNode(MAPPING, "Which value of this key part on the left matches which on the right.");

/** The keywords of a comparison. */
export const COMPARISON: EditedKeywords<ComparisonFields, FixedOfComparison> = {
  id: text(
    "The name of the comparison: it identifies drifts from run to run.",
    { required: true, edit: "none" },
    { pattern: STEP_ID },
  ),
  name: text("What is compared, for people.", { edit: "none" }),
  scope: node(
    { type: "string" },
    "Separates it from other comparisons of the same id: two scopes never clear each other's drifts.",
    { edit: "none" },
  ),
  foreach: { ...LOOP, ...ofConserve("foreach"), edit: "none" },
  as: { ...AS.as, ...ofConserve("as"), edit: "none" },
  conserve: { ...CONSERVE, edit: "conflict" },
  left: { ...side, ...notOwn("left") },
  right: { ...side, ...notOwn("right") },
  map: node(
    { type: "object", propertyNames: NAME, additionalProperties: mapping.schema, minProperties: 1 },
    "The parts of a key whose values differ between the sides.",
    { each: () => MAPPING, ...notOwn("map"), edit: "none" },
  ),
  tolerance: {
    ...node({ type: ["string", "number"], pattern: UNSIGNED_PATTERN, minimum: 0 }, "Differences up to it are ignored", {
      default: "0",
      ...notOwn("tolerance"),
      ...fixed,
    }),
    read: (value) => Decimal.parse(value?.kind === "scalar" ? String(value.value) : "0") ?? Decimal.of(0),
  },
  settle: duration("A younger difference is moving, and not yet a drift", { default: "0s", edit: "none" }),
  // Values change while they are read. A moment later, a transfer is complete on both sides.
  recheck: duration("How long to wait before a difference is read again, to confirm it", {
    default: "2s",
    edit: "none",
  }),
  empty: choice(["fail", "pass"], "What happens when neither side has a row, so that nothing is compared", {
    default: "fail",
    edit: "none",
  }),
  totals: node({ type: "string" }, "A part of the key: the totals of both sides are reported for each of its values.", {
    edit: "none",
  }),
};
