import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { type Json, jsonEquals, writeJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { redactor, Secret } from "../../../src/base/secret.ts";
import { decode, encode } from "../../../src/journal/codec.ts";
import type { Fact } from "../../../src/protocol/record.ts";
import { answered, completed, expanded, intended, opened, settled } from "../protocol/facts.ts";

const asIs = (text: string): string => text;

/** Writes a fact, and returns what the reader makes of it. */
function readBack(fact: Fact): unknown {
  const { body } = encode(fact, asIs);
  const {
    kind,
    sequence: _sequence,
    epoch: _epoch,
    at: _at,
    ...rest
  } = decode({ kind: fact.kind, sequence: 1, epoch: 1, at: 1, body });
  return { kind, ...rest };
}

function nested(levels: number, inner: Json): Json {
  let value = inner;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const numbers = fc.oneof(
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.tuple(fc.bigInt(), fc.stringMatching(/^\d{1,30}$/)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.constantFrom("-0", "1e1000", "-1E-1000", `-${"9".repeat(LIMITS.decimalDigits)}`, "1.50"),
);
const leaves = fc.oneof(
  numbers.map((text) => Decimal.fromJsonSource(text)),
  fc.string({ unit: "binary" }),
  fc.boolean(),
  fc.constant(null),
);
const keys = fc.oneof(
  { arbitrary: fc.string(), weight: 30 },
  { arbitrary: fc.constantFrom("__proto__", "constructor"), weight: 1 },
);
const values = fc
  .letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaves,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(keys, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }))
  .value.chain((value) =>
    fc
      .integer({ min: 0, max: 1 })
      .chain((isDeep) => fc.integer({ min: 0, max: isDeep * 220 }).map((levels) => nested(levels, value))),
  );

const facts = values.chain((value): fc.Arbitrary<Fact> =>
  fc.constantFrom(
    { ...intended("mint"), input: { value } } as Fact,
    { kind: "step.expanded", step: "all", rounds: [{ key: "k", item: value }] },
    { ...opened, inputs: { value } },
    { ...completed("read"), value: { outcome: "ok", response: value } } as Fact,
    { kind: "run.closed", outcome: "passed", outputs: { value } },
    { ...completed("compare"), comparison: { reads: [{ side: "left", input: value, rows: 12 }], looks: 2 } } as unknown as Fact,
  ),
);

test("the reader returns each record that the writer accepts, unchanged", () => {
  let accepted = 0;
  const tried = 2_000;
  fc.assert(
    fc.property(facts, (fact) => {
      let body: string;
      try {
        ({ body } = encode(fact, asIs));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        expect(error).toMatchObject({ code: "journal.unreadable" });
        return;
      }
      accepted += 1;
      const back = readBack(fact);
      expect(jsonEquals(back as Json, fact as unknown as Json), body).toBe(true);
      expect(writeJson(back)).toBe(writeJson(fact));
    }),
    { numRuns: tried },
  );
  expect(accepted).toBeGreaterThan(tried / 3);
});

test("the writer accepts records as deep as the reader reads, and no deeper", () => {
  // Three levels surround an item: the record, its list of rounds, and the round.
  const item = (levels: number): Fact => ({ ...expanded("all"), rounds: [{ key: "k", item: nested(levels, null) }] }) as Fact;
  expect(readBack(item(LIMITS.recordDepth - 3))).toEqual(item(LIMITS.recordDepth - 3));
  expect(() => encode(item(LIMITS.recordDepth - 2), asIs)).toThrow(
    'the journal cannot record this (step.expanded of step "all"): it is nested deeper than 216 levels',
  );
});

test.each(["__proto__", "constructor", "prototype"])("the writer refuses a record with the key %s", (key) => {
  const outputs = Object.fromEntries([[key, "x"]]) as Record<string, Json>;
  expect(() => encode({ kind: "run.closed", outcome: "passed", outputs }, asIs)).toThrow(
    `(run.closed): the key "${key}" is not allowed`,
  );
});

test("the input of a read in a comparison keeps its digits", () => {
  const input = { investment: Decimal.fromJsonSource("9007199254740993") };
  const comparison = { reads: [{ side: "left", input, rows: 12 }], looks: 2, counts: { compared: 3 } };
  const back = readBack({ ...completed("compare"), comparison } as unknown as Fact) as { readonly comparison: unknown };
  expect(back.comparison).toEqual(comparison);
});

const KEY = "sandbox-ledger-key";
// Has every field, besides the result itself, into which a service could write a key.
const REPEATED: readonly Fact[] = [
  answered("mint", "acknowledged", { receiptId: KEY }),
  { ...intended("mint"), baseline: {}, baselineAt: { date: `Tue ${KEY}`, sequence: 1 } } as Fact,
  { ...settled("mint", "applied"), transactionId: KEY, spends: `receipt ${KEY}`, alsoSpends: [KEY] } as Fact,
];

test.each(REPEATED)("no record contains a secret that the service gives as an id or a time: $kind", (fact) => {
  const { clean, body } = encode(fact, redactor([new Secret("KEY", KEY)]));
  expect(body).not.toContain(KEY);
  expect(body).toContain("${{ secrets.KEY }}");
  expect(JSON.stringify(clean)).not.toContain(KEY);
});

test("a name that tokenbook gives is not masked, even if it is a secret by chance", () => {
  const { clean } = encode(
    intended("mint-of-the-day"),
    redactor([new Secret("PIN", "mint-of-the-day"), new Secret("PIN", "ledger.token.mint")]),
  );
  expect(clean).toMatchObject({ step: "mint-of-the-day", operation: "ledger.token.mint" });
});
