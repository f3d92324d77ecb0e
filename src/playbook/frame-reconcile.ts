import { NUMERAL_PATTERN } from "../base/decimal.ts";
import { as, conserve, duration, foreach, name, sideRead, STEP_ID } from "./frame-parts.ts";

const ROW = "over row, response and the name of the side's foreach";
const expressionsByName = (description: string): object => ({
  anyOf: [
    { type: "string" },
    { type: "object", propertyNames: name, additionalProperties: { type: "string" }, minProperties: 1 },
  ],
  description,
});

const side = {
  type: "object",
  description: "One side of a comparison: rows that are read, or given.",
  properties: {
    name: { type: "string", pattern: "^[^\\[\\]/\\n]+$", description: "What reports call it." },
    foreach,
    as,
    read: sideRead.read,
    with: sideRead.with,
    rows: { type: "string", description: "In place of a read: an expression that gives a list, such as inputs.expected." },
    each: {
      type: "string",
      description:
        "The rows of one page: an expression over response. Left out: the list that is read, or the response as the only row.",
    },
    where: { type: "string", description: `Rows for which it does not hold are left out: an expression ${ROW}.` },
    key: expressionsByName(`By which rows of both sides are found: {NAME: expression, …}, or one expression, ${ROW}.`),
    value: {
      type: "string",
      description: `The number that is compared: an expression ${ROW}. Left out: only that the row is there.`,
    },
    combine: { enum: ["sum"], description: "Rows of one key are added up. Left out: a second one is a finding." },
    at: { type: "string", description: `When the row last changed: an expression ${ROW}.` },
  },
  required: ["key"],
  additionalProperties: false,
};

const mapping = {
  type: "object",
  description: "Which value of this part of the key on the left is which on the right.",
  properties: {
    from: { type: ["string", "array"], description: "A list of objects, such as ${{ inputs.tokens }}." },
    left: { type: "string", description: "The field with the left side's value." },
    right: { type: "string", description: "The field with the right side's value." },
  },
  required: ["from", "left", "right"],
  additionalProperties: false,
};

/** One of the `reconcile`. */
export const comparison: object = {
  type: "object",
  description:
    "Two sides that are to say the same, or a quantity that is conserved; each difference is a drift with a name of its own.",
  properties: {
    id: { type: "string", pattern: STEP_ID, description: "The name of the comparison: drifts are known by it from run to run." },
    name: { type: "string", description: "What is compared, for people." },
    left: side,
    right: side,
    map: {
      type: "object",
      propertyNames: name,
      additionalProperties: mapping,
      minProperties: 1,
      description: "What of a key has another name on each side.",
    },
    tolerance: {
      type: ["string", "number"],
      pattern: NUMERAL_PATTERN,
      minimum: 0,
      description: "Differences up to it are none; 0, when left out.",
    },
    settle: duration("A row that changed within this time is moving, and no drift yet; 0s, when left out."),
    recheck: duration("How long after it was seen a difference is read again, before it is believed; 2s, when left out."),
    totals: { type: "string", description: "A part of the key: the totals of both sides are told for each of its values." },
    scope: {
      type: "string",
      description: "What makes it another comparison than one of the same id: two scopes never clear each other's drifts.",
    },
    conserve,
    foreach,
    as,
  },
  required: ["id"],
  additionalProperties: false,
};
