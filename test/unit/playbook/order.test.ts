import { expect, test } from "vitest";
import { playbookFrame, stepFrame } from "../../../src/playbook/frame.ts";
import { PLAYBOOK_KEYS, playbookOrder, STEP_KEYS } from "../../../src/playbook/order.ts";

test("every key of the language has its place in the order, and no other", () => {
  expect(PLAYBOOK_KEYS.toSorted()).toEqual(Object.keys(playbookFrame.properties).toSorted());
  expect(STEP_KEYS.toSorted()).toEqual(Object.keys(stepFrame.properties).toSorted());
});

test("only the playbook and its steps are ordered: what is sent keeps its order", () => {
  expect(playbookOrder([])).toBe(PLAYBOOK_KEYS);
  expect(playbookOrder(["steps", "*"])).toBe(STEP_KEYS);
  for (const path of [["steps"], ["inputs"], ["inputs", "*"], ["steps", "*", "with"], ["steps", "*", "with", "steps", "*"]]) {
    expect(playbookOrder(path), path.join(".")).toBeUndefined();
  }
});
