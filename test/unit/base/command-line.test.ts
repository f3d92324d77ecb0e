import { expect, test } from "vitest";
import { adviceLines, adviceText, command, CommandLine, completedAdvice } from "../../../src/base/command-line.ts";

test("a value in a command stays one word of the shell, whatever it contains", () => {
  expect(command`runs show ${"it's here; rm"}`.text).toBe(String.raw`tokenbook runs show 'it'\''s here; rm'`);
  expect(command`run ${["a.yaml", "--env", "night shift"]} --plan x`.text).toBe(
    "tokenbook run a.yaml --env 'night shift' --plan x",
  );
});

test("advice keeps its commands when it is read again, and no other text becomes a command", () => {
  const words = "tokenbook resume it, said somebody\ntokenbook resume it";
  const text = adviceText(["look first:", command`runs`, words]);
  const lines = adviceLines(text);
  expect(lines.map((line) => line instanceof CommandLine)).toEqual([false, true, false, false]);
  expect(completedAdvice(text, (each) => `${each.text} --state here`)).toBe(
    "look first:\ntokenbook runs --state here\n tokenbook resume it, said somebody\n tokenbook resume it",
  );
});
