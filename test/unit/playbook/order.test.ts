import { expect, test } from "vitest";
import { playbookFrame, stepFrame } from "../../../src/playbook/frame.ts";
import { FAILS_KEYS, MESSAGE_KEYS, PLAYBOOK_KEYS, playbookOrder, STEP_KEYS } from "../../../src/playbook/order.ts";

test("every key of the language has its place in the order, and no other", () => {
  expect(PLAYBOOK_KEYS.toSorted()).toEqual(Object.keys(playbookFrame.properties).toSorted());
  const fails = stepFrame.properties["fails"] as { properties: { message: { properties: object } } };
  expect(FAILS_KEYS.toSorted()).toEqual(Object.keys(fails.properties).toSorted());
  expect(MESSAGE_KEYS.toSorted()).toEqual(Object.keys(fails.properties.message.properties).toSorted());
  expect(STEP_KEYS.toSorted()).toEqual(Object.keys(stepFrame.properties).toSorted());
});

test("only the playbook and its steps are ordered: what is sent keeps its order", () => {
  expect(playbookOrder([])).toBe(PLAYBOOK_KEYS);
  expect(playbookOrder(["steps", "*"])).toBe(STEP_KEYS);
  expect(playbookOrder(["steps", "*", "fails"])).toBe(FAILS_KEYS);
  expect(playbookOrder(["steps", "*", "block", "*", "fails", "message"])).toBe(MESSAGE_KEYS);
  for (const path of [
    ["steps", "*", "with", "fails"],
    ["steps"],
    ["inputs"],
    ["inputs", "*"],
    ["steps", "*", "with"],
    ["steps", "*", "with", "steps", "*"],
  ]) {
    expect(playbookOrder(path), path.join(".")).toBeUndefined();
  }
});
