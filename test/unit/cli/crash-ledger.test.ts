import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import type { Json } from "../../../src/base/json/json.ts";
import { differences, excess, type Ledger, ledgerOf, withoutRepeats } from "../../../src/cli/crash/ledger.ts";

const FILLED_AT = Date.now() - 1_000;
const DIGITS = "0123456789abcdef";

let made = 0;
/** Returns an id as the service makes it. */
function madeId(length: number): string {
  return DIGITS.repeat(4).slice(0, length - 4) + String(++made).padStart(4, "0");
}

interface Held {
  readonly commits: readonly (readonly [operation: string, body: Json])[];
  readonly resources?: readonly (readonly [id: string, value: Json])[];
}

function ledger({ commits, resources = [] }: Held): Ledger {
  const logged = commits.map(([operation, body], at) => ({
    seq: at + 1,
    at: new Date().toISOString(),
    transactionId: madeId(64),
    interface: "ledger" as const,
    operation,
    actor: { userId: "alice" },
    body,
  }));
  return ledgerOf({ commits: logged, resources: resources.map(([id, value]) => ({ kind: "asset", id, value })) }, FILLED_AT);
}

const IN_ORDER = { inOrder: true };
const MINT = ["mint", { value: "10" }] as const;
const BURN = ["burn", { value: "3" }] as const;

test("times of the run and ids of the service make no difference, but references do", () => {
  const held = (request: string, other: string): Ledger =>
    ledger({
      commits: [["approve", { id: request }]],
      resources: [
        [request, { at: new Date().toISOString(), of: other, timestampUnix: Decimal.of(made) }],
        [other, {}],
      ],
    });
  const [a, b] = [madeId(24), madeId(24)];
  expect(differences(held(a, b), held(madeId(24), madeId(24)), IN_ORDER)).toEqual([]);
  expect(differences(held(a, b), held(a, a), IN_ORDER)).not.toEqual([]);
});

test("a time from outside the run is compared", () => {
  const until = (date: string): Ledger => ledger({ commits: [], resources: [["sale", { until: date }]] });
  expect(differences(until("2030-01-01T00:00:00.000Z"), until("2031-01-01T00:00:00.000Z"), IN_ORDER)).toEqual([
    'undisturbed: asset sale {"until":"2030-01-01T00:00:00.000Z"}',
    'here:        asset sale {"until":"2031-01-01T00:00:00.000Z"}',
  ]);
});

test("a write that happened twice, and one that did not happen, are reported by name", () => {
  const one = ledger({ commits: [MINT, BURN] });
  expect(differences(one, ledger({ commits: [MINT, MINT, BURN] }), IN_ORDER)).toEqual([
    'took effect 1 time too often: mint {"value":"10"} by {"userId":"alice"}',
  ]);
  expect(differences(one, ledger({ commits: [BURN] }), IN_ORDER)).toEqual([
    'did not take effect: mint {"value":"10"} by {"userId":"alice"}',
  ]);
});

test("another order is a difference, unless writes run in parallel", () => {
  const [one, other] = [ledger({ commits: [MINT, BURN] }), ledger({ commits: [BURN, MINT] })];
  expect(differences(one, other, IN_ORDER)).not.toEqual([]);
  expect(differences(one, other, { inOrder: false })).toEqual([]);
});

test("a missing or an additional resource is a difference", () => {
  const holding = (...ids: readonly string[]): Ledger => ledger({ commits: [], resources: ids.map((id) => [id, {}]) });
  expect(differences(holding("a", "b"), holding("a"), IN_ORDER)).not.toEqual([]);
  expect(differences(holding("a"), holding("a", "b"), IN_ORDER)).not.toEqual([]);
});

test("a stopped run may have done only a part, in order, and nothing twice", () => {
  const one = ledger({ commits: [MINT, BURN, MINT] });
  for (const commits of [[], [MINT], [MINT, BURN], [BURN, MINT]]) expect(excess(one, ledger({ commits }), IN_ORDER)).toEqual([]);
  for (const commits of [
    [MINT, MINT, MINT],
    [BURN, BURN],
  ])
    for (const inOrder of [true, false]) expect(excess(one, ledger({ commits }), { inOrder })).toHaveLength(1);
  expect(excess(one, ledger({ commits: [MINT, MINT, BURN] }), IN_ORDER)).toHaveLength(1);
  expect(excess(one, ledger({ commits: [MINT, MINT, BURN] }), { inOrder: false })).toEqual([]);
});

test("only repeated settings of a value are ignored, as often as they were sent", () => {
  const [one, twice] = [ledger({ commits: [MINT, BURN] }), ledger({ commits: [MINT, BURN, BURN] })];
  const burn = one.writes[1]?.text;
  const repeat = { operation: "burn", text: burn };
  for (const text of [burn, undefined]) {
    const [left, times] = withoutRepeats(twice, one, [{ operation: "burn", text }]);
    expect(times).toBe(1);
    expect(differences(one, left, IN_ORDER)).toEqual([]);
  }
  expect(withoutRepeats(one, one, [repeat])).toEqual([one, 0]);
  expect(withoutRepeats(twice, one, [{ operation: "mint", text: undefined }])).toEqual([twice, 0]);
  const [left] = withoutRepeats(ledger({ commits: [MINT, BURN, BURN, BURN] }), one, [repeat]);
  expect(differences(one, left, IN_ORDER)).toHaveLength(1);
});
