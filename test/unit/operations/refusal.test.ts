import { expect, test } from "vitest";
import { contract } from "../../../src/contract/contract.ts";
import { operationNamed } from "../../../src/operations/operation.ts";
import { isOwnError } from "../../../src/operations/own-error.ts";
import { conditionIn, conditionsOf, type ExpectedRefusal, refusalMeets } from "../../../src/operations/refusal.ts";

test("an error with nothing but a condition in the service's spelling is the service's own", () => {
  for (const name of ["investor.portfolio.tokens", "investor.payouts.tokenSchedule"])
    expect(isOwnError(operationNamed(name), { message: "Unauthorized User" }, []), name).toBe(true);
  expect(isOwnError(operationNamed("ledger.asset.get"), { message: "asset not found" }, [])).toBe(true);
});

const NOTHING: ExpectedRefusal = { condition: undefined, statuses: [], contains: undefined, matches: undefined };
const own = { status: 404, condition: "asset not found", message: "there is no Property with the id P1 left" };
const bare = (message: string) => ({ status: 404, condition: undefined, message });

const meets = (expected: Partial<ExpectedRefusal>, given: Parameters<typeof refusalMeets>[1]): boolean =>
  refusalMeets({ ...NOTHING, ...expected }, given);

test("a condition must equal the whole condition of the service, whatever the message is", () => {
  for (const condition of ["asset not found", "Asset Not Found", " asset  not found "]) {
    expect(meets({ condition }, own), condition).toBe(true);
  }
  for (const condition of ["e", "left", "404", "not found", "asset", "there is no Property with the id P1 left"]) {
    expect(meets({ condition }, own), condition).toBe(false);
  }
  expect(meets({ condition: "vault not found" }, { ...own, message: "vault not found" })).toBe(false);
});

test("without a field for the condition, the message must have its whole words", () => {
  expect(meets({ condition: "asset not found" }, bare("Asset not found"))).toBe(true);
  expect(meets({ condition: "asset not found" }, bare("asset not found: P1"))).toBe(true);
  expect(meets({ condition: "asset not found" }, bare('["P1: asset not found"]'))).toBe(true);
  expect(meets({ condition: "asset not found" }, bare("subasset not foundation"))).toBe(false);
  expect(meets({ condition: "request not found" }, bare("the approval request not found"))).toBe(false);
  expect(meets({ condition: "approval request not found" }, bare("the approval request not found"))).toBe(true);
  for (const condition of ["e", "left", "404"]) expect(meets({ condition }, bare("asset not found, e left 404"))).toBe(false);
});

test("a message with two conditions means the one that it begins with, or none", () => {
  expect(conditionIn(bare("server error: asset not found"))).toBe("server error");
  expect(conditionIn(bare("neither asset not found nor vault not found"))).toBeUndefined();
  expect(conditionIn(bare("asset not found; asset not found"))).toBe("asset not found");
});

test("a condition that is not listed must equal the field or the whole message", () => {
  expect(meets({ condition: "quota used up" }, { ...own, condition: "Quota used up" })).toBe(true);
  expect(meets({ condition: "quota used up" }, bare("Quota used up"))).toBe(true);
  expect(meets({ condition: "quota used up" }, bare("the quota used up today"))).toBe(false);
});

test("every given part of an expected refusal must fit", () => {
  const all = { condition: "asset not found", statuses: [404, 410], contains: "P1", matches: "^there .* left$" };
  expect(meets(all, own)).toBe(true);
  for (const wrong of [{ condition: "vault not found" }, { statuses: [403] }, { contains: "p1" }, { matches: "^no" }]) {
    expect(meets({ ...all, ...wrong }, own), JSON.stringify(wrong)).toBe(false);
  }
  expect(meets({ statuses: [404] }, { ...own, status: undefined })).toBe(false);
});

test("each call lists a condition only once, and in plain words", () => {
  for (const operation of Object.values(contract.operations)) {
    const words = conditionsOf(operation);
    expect(new Set(words.map((each) => each.toLowerCase())).size, operation.name).toBe(words.length);
    for (const each of words) expect(each).toMatch(/^[A-Za-z]+(?: [A-Za-z]+)+$/);
  }
});
