import { expect, test } from "vitest";
import { resolve } from "../../../src/contract/contract.ts";
import { inputParameters, inputSchema, itemSchema } from "../../../src/operations/input.ts";
import { operationNamed, operations } from "../../../src/operations/operation.ts";
import { MOVING_OPERATIONS } from "../../../src/services/ledger/probes/moves.ts";

const all = [...operations.values()];
const EFFECTS = ["read", "unique", "absolute", "marked", "transition", "additive"];

test("each of the 67 operations has a meaning", () => {
  expect(all).toHaveLength(67);
  for (const { name, meaning } of all) expect(EFFECTS, name).toContain(meaning.effect);
});

test("each GET is a read, and each PUT, PATCH or DELETE is a write", () => {
  for (const { name, call, writes } of all) {
    if (call.method === "GET") expect(writes, name).toBe(false);
    if (["PUT", "PATCH", "DELETE"].includes(call.method)) expect(writes, name).toBe(true);
  }
});

test("each write names the reads that show its effect", () => {
  for (const { name, writes, meaning } of all) if (writes) expect(meaning.readBack, name).toBeTruthy();
});

test("exactly the writes that change holdings declare what they move", () => {
  const moving = all.filter(({ meaning }) => {
    if (meaning.effect === "read" || meaning.sets.undoneBy === "nothing") return false;
    return meaning.sets.settings.some(({ what }) => what === "holdings");
  });
  expect(moving.map(({ name }) => name).toSorted()).toEqual(MOVING_OPERATIONS.toSorted());
});

test("each discovery uses a read, with an input that the read accepts", () => {
  const input = { id: ["A1"], approvalType: "x", assetType: "P" };
  for (const { meaning } of all) {
    if (meaning.discovery === undefined) continue;
    const read = operationNamed(meaning.discovery.read);
    expect(read.writes).toBe(false);
    const taken = Object.keys(inputSchema(read).properties ?? {});
    expect(taken).toEqual(expect.arrayContaining(Object.keys(meaning.discovery.with(input))));
  }
});

test("no two fields of a `with` have the same name", () => {
  for (const operation of all) {
    const body = resolve(operation.call.body ?? {});
    const shared = Object.keys(body.properties ?? {}).filter((name) => name !== operation.meaning.wraps);
    const item = operation.batches ? Object.keys(resolve(itemSchema(operation)).properties ?? {}) : [];
    const names = [...inputParameters(operation).map(({ name }) => name), ...shared, ...item];
    expect(new Set(names).size, operation.name).toBe(names.length);
    expect(names, operation.name).not.toContain("items");
  }
});

test("the error of an unknown operation suggests the nearest one", () => {
  expect(() => operationNamed("ledger.token.mnt")).toThrow(
    expect.objectContaining({ code: "operation.unknown", next: "tokenbook operations ledger.token.mint" }),
  );
});
