import { expect, test } from "vitest";
import { CHECK, COMPARISON, SIDE } from "../../../src/playbook/keywords/comparison.ts";
import { expression, type Keywords, type Values } from "../../../src/playbook/keywords/keyword.ts";
import { keywordsAt } from "../../../src/playbook/keywords/language.ts";
import { PLAYBOOK } from "../../../src/playbook/keywords/playbook.ts";
import { STEP } from "../../../src/playbook/keywords/step.ts";
import { playbookOrder } from "../../../src/playbook/keywords/key-order.ts";

test("a formatted playbook has its keywords in the order of their tables", () => {
  expect(playbookOrder([])).toEqual(Object.keys(PLAYBOOK));
  expect(playbookOrder(["steps", "*"])).toEqual(Object.keys(STEP));
  expect(playbookOrder(["steps", "*", "block", "*", "rescue", "*"])).toEqual(Object.keys(STEP));
  expect(playbookOrder(["steps", "*", "fails"])).toEqual(["condition", "status", "message"]);
  expect(playbookOrder(["steps", "*", "block", "*", "fails", "message"])).toEqual(["contains", "matches"]);
  expect(playbookOrder(["checks", "*"])).toEqual(Object.keys(CHECK));
  expect(playbookOrder(["reconcile", "*"])).toEqual(Object.keys(COMPARISON));
  expect(playbookOrder(["reconcile", "*", "left"])).toEqual(Object.keys(SIDE));
});

test("formatting keeps the order of inputs of the service, of names, and of types", () => {
  for (const path of [
    ["steps", "*", "with", "fails"],
    ["steps"],
    ["inputs"],
    ["inputs", "*"],
    ["inputs", "*", "properties"],
    ["actors"],
    ["steps", "*", "foreach"],
    ["steps", "*", "with"],
    ["steps", "*", "with", "steps", "*"],
    ["steps", "*", "toString"],
  ]) {
    expect(playbookOrder(path), path.join(".")).toBeUndefined();
  }
});

test("a keyword that needs a keyword of another table does not compile", () => {
  const until = expression("Until when.");
  const lonely = expression("How often.", { needs: { keyword: "untill", message: "it belongs to until" } });
  // @ts-expect-error: no keyword of this table is called `untill`.
  const table: Keywords<Values<"every" | "until">> = { every: lonely, until };
  expect(Object.keys(table)).toEqual(["every", "until"]);
});

test("a path leads through lists and maps to the keywords there", () => {
  expect(keywordsAt(["inputs", "amount"])).toHaveProperty("default");
  expect(keywordsAt(["reconcile", "0", "map", "token"])).toHaveProperty("from");
  expect(keywordsAt(["steps", "0", "uses"])).toBeUndefined();
});
