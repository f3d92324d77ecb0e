import { expect, test } from "vitest";
import { PLAIN_HINT } from "../../../../src/base/command-line.ts";
import { canShowTree, chooseView } from "../../../../src/cli/view/choose.ts";
import { LiveView } from "../../../../src/cli/view/live-view.ts";
import { PlainView } from "../../../../src/cli/view/plain.ts";
import { FakeScreen } from "./screen.ts";

const ORDINARY = { screen: new FakeScreen(80), variables: { TERM: "xterm-256color" }, runs: 1, steps: 12 } as const;

test("a terminal shows a tree, also without colour", () => {
  expect(canShowTree(ORDINARY)).toBe(true);
  expect(canShowTree({ ...ORDINARY, variables: { NO_COLOR: "1", CI: "", TERM: "xterm" } })).toBe(true);
  expect(canShowTree({ ...ORDINARY, variables: { CI: "false" } })).toBe(true);
  expect(canShowTree({ ...ORDINARY, screen: new FakeScreen(40), runs: 8, steps: 200 })).toBe(true);
});

test.each([
  ["a pipe", { screen: { isTTY: false, columns: 80, rows: 24, write: () => undefined } }],
  ["a narrow terminal", { screen: new FakeScreen(39) }],
  ["CI", { variables: { CI: "true" } }],
  ["a dumb terminal", { variables: { TERM: "dumb" } }],
  ["many steps", { steps: 201 }],
  ["many runs", { runs: 9 }],
])("the view is plain lines for %s", (_, change) => {
  expect(canShowTree({ ...ORDINARY, ...change })).toBe(false);
});

test("each choice gives its view", async () => {
  const viewing = {
    ...ORDINARY,
    detail: "full" as const,
    files: ["a.yaml"],
    hint: PLAIN_HINT,
    clock: { now: () => 0 },
    onCrash: () => undefined,
  };
  const live = await chooseView(viewing);
  expect(live).toBeInstanceOf(LiveView);
  await live.end();
  expect(await chooseView({ ...viewing, steps: 3_000 })).toBeInstanceOf(PlainView);
});
