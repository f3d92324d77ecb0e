import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import type { Json, JsonObject } from "../../../src/base/json/json.ts";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import type { OtherWrite, Probe, Sent, Sight } from "../../../src/services/probe.ts";
import { minted } from "../../../src/services/ledger/probes/supply.ts";
import { unitMinted, unitMoved } from "../../../src/services/ledger/probes/units.ts";

const BOB = { orgId: "org1", userId: "bob" };

// Returns what a look shows of a unit with this data that was minted for bob. He held `before` then, and holds `now`.
function seen(
  nftData: JsonObject,
  { before, now, earlier = [] }: { before: readonly string[]; now: readonly string[]; earlier?: readonly OtherWrite[] },
): Sight {
  const accounts = (nftIds: readonly string[]): JsonObject => ({ accounts: [{ entity: BOB, nftIds: [...nftIds] }] });
  const sent: Sent = {
    input: { id: "seats", to: BOB, nftData },
    actor: BOB,
    names: { id: () => "", mark: "" },
    profile: DEFAULT_PROFILE,
  };
  return unitMinted.judge({
    ...sent,
    before: unitMinted.keep?.(accounts(before), sent),
    since: undefined,
    now: accounts(now),
    rivals: [],
    bystanders: [],
    isSpent: () => false,
    earlier,
  });
}

test("a unit with the same text as another can be found by its number, but nobody can prove that it was never minted", () => {
  const seventh = { number: Decimal.of(7), beside: "S1" };
  expect(seen(seventh, { before: ["S1"], now: ["S1"] })).toEqual({ seen: "nothing" });
  expect(seen(seventh, { before: ["S1"], now: ["S1", "7"] })).toMatchObject({ seen: "effect", by: { unit: "7" } });
});

test("an existing unit can never be minted, and a new one can be minted only once", () => {
  expect(seen({ id: "S1" }, { before: ["S1"], now: ["S1"] })).toEqual({ seen: "nothing", again: "never" });
  expect(seen({ id: "S2" }, { before: ["S1"], now: ["S1"] })).toEqual({ seen: "nothing", again: "unique" });
});

test("a new unit may be minted twice if the run has defined its token without a primary key", () => {
  const definedAs = (...items: readonly JsonObject[]): OtherWrite[] =>
    items.map((input, at) => ({
      operation: at === 0 ? "ledger.token.create" : "ledger.token.update",
      input: { id: "seats", ...input },
      actor: BOB,
      transactions: [`t${at}`],
    }));
  const key = { nftFields: [{ name: "id", isPrimaryKey: true }] };
  const plain = { nftFields: [{ name: "id" }] };
  for (const [definitions, again] of [
    [[plain], undefined],
    [[{}], undefined],
    [[key], "unique"],
    [[key, { description: "Seats" }], "unique"],
    [[plain, key], "unique"],
  ] as const) {
    const sight = seen({ id: "S2" }, { before: [], now: [], earlier: definedAs(...definitions) });
    expect(sight).toEqual({ seen: "nothing", ...(again === undefined ? {} : { again }) });
  }
});

const ALICE = { orgId: "org1", userId: "alice" };
const EVERYBODY = { orgId: "org1" };
const heldBy = (entity: JsonObject | null): JsonObject => ({ accounts: entity === null ? [] : [{ entity, nftIds: ["S1"] }] });

// Returns what a look shows of a unit that a write should have moved to another holder, or burnt.
function moved(route: { from: JsonObject; to: Json }, { before, now }: { before: JsonObject; now: JsonObject }): Sight {
  const probe: Probe = unitMoved(
    () => "S1",
    () => route.to,
  );
  const sent: Sent = { input: { ...route }, actor: ALICE, names: { id: () => "", mark: "" }, profile: DEFAULT_PROFILE };
  return probe.judge({
    ...sent,
    before: probe.keep?.(before, sent),
    since: undefined,
    now,
    rivals: [],
    bystanders: [],
    isSpent: () => false,
    earlier: [],
  });
}

test("a unit that stays with one user has not moved to or from the whole organization", () => {
  const toAll = { from: ALICE, to: EVERYBODY };
  expect(moved(toAll, { before: heldBy(ALICE), now: heldBy(ALICE) })).toEqual({ seen: "nothing" });
  expect(moved(toAll, { before: heldBy(ALICE), now: heldBy(EVERYBODY) })).toMatchObject({ seen: "effect" });
  const fromAll = { from: EVERYBODY, to: ALICE };
  expect(moved(fromAll, { before: heldBy(ALICE), now: heldBy(ALICE) })).toEqual({ seen: "nothing" });
  expect(moved(fromAll, { before: heldBy(EVERYBODY), now: heldBy(ALICE) })).toMatchObject({ seen: "effect" });
});

const FLATS: readonly JsonObject[] = [
  { id: "1", rooms: "2" },
  { id: "2", rooms: "1" },
];
const DEFINED: OtherWrite = {
  operation: "ledger.token.create",
  input: { id: "flats", nftFields: [{ name: "id", isPrimaryKey: true }] },
  actor: ALICE,
  transactions: ["t0"],
};

// Returns what a look shows of a batch that mints two flats. The units in `units` exist, made by one transaction.
function batch(units: readonly string[], earlier: readonly OtherWrite[]): Sight {
  const transactionDetails = units.map((id) => ({ tokenId: "flats", to: BOB, amount: Decimal.of(1), data: { id } }));
  const transaction = { id: "t1", type: "MINT", createdBy: ALICE, createdAt: "2026-11-26T12:00:09.000Z", transactionDetails };
  return minted.judge({
    input: { items: FLATS.map((nftData) => ({ id: "flats", to: BOB, nftData })) },
    actor: ALICE,
    names: { id: () => "", mark: "" },
    profile: DEFAULT_PROFILE,
    before: { "held.0": [], "held.1": [] },
    since: Date.parse("2026-11-26T12:00:00.000Z"),
    now: Object.fromEntries(
      FLATS.flatMap((_, at) => [
        [`accounts.${at}`, [{ entity: BOB, nftIds: [...units] }]],
        [`transactions.${at}`, [transaction]],
      ]),
    ),
    rivals: [],
    bystanders: [],
    isSpent: () => false,
    earlier,
  });
}

test("a unit that fits two parts of a batch proves neither", () => {
  expect(batch(["1"], [])).toMatchObject({ seen: "unclear" });
  expect(batch(["1", "2"], [])).toMatchObject({ seen: "unclear" });
});

test("if the run defined the id field, each unit proves one part", () => {
  expect(batch(["1"], [DEFINED])).toMatchObject({ seen: "conflict" });
  expect(batch(["1", "2"], [DEFINED])).toMatchObject({ seen: "effect", rests: "record", spends: ["t1"] });
  const redefined = {
    ...DEFINED,
    operation: "ledger.token.update",
    input: { id: "flats", nftFields: [{ name: "rooms", isPrimaryKey: true }] },
  };
  expect(batch(["1", "2"], [DEFINED, redefined])).toMatchObject({ seen: "unclear" });
});
