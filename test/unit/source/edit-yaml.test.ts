import { expect, test } from "vitest";
import { editYaml } from "../../../src/source/write-yaml.ts";

const AT = ["environments", "staging", "profile"] as const;
const EDITS = [
  { path: ["ledger", "pageSize"], value: 2 },
  { path: ["numbers"], value: "text" },
];

test("an edit changes only the lines of its map, and keeps the comments", () => {
  const text = `# ours
environments:
  staging: # shared
    ledger: {baseUrl: "x"}   # odd spacing
    profile: # asked on Monday
      # how large
      ledger: { pageSize: 25 } # to be confirmed
    protected: true
  other: embedded
`;
  const edited = editYaml(text, [...AT], EDITS);
  expect(edited).toContain('  staging: # shared\n    ledger: {baseUrl: "x"}   # odd spacing\n    profile:');
  for (const comment of ["# asked on Monday", "# how large", "# to be confirmed"]) expect(edited).toContain(comment);
  expect(edited).toContain(
    "ledger: { pageSize: 2 } # to be confirmed\n      numbers: text\n    protected: true\n  other: embedded\n",
  );
});

test("a new map is added after the others", () => {
  const text = `environments:\n  staging:\n    exclusive: true # alone\n\n  # the other one\n  other: embedded\n`;
  expect(editYaml(text, [...AT], EDITS)).toBe(
    `environments:\n  staging:\n    exclusive: true # alone\n    profile:\n      ledger:\n        pageSize: 2\n      numbers: text\n\n  # the other one\n  other: embedded\n`,
  );
});

test("an environment on one line stays on one line", () => {
  const text = `environments: { staging: { exclusive: true } } # short\n`;
  expect(editYaml(text, [...AT], EDITS)).toBe(
    `environments: { staging: { exclusive: true, profile: { ledger: { pageSize: 2 }, numbers: text } } } # short\n`,
  );
});

test("a value that is not a map is not edited", () => {
  expect(() => editYaml("environments: { staging: embedded }", [...AT], EDITS)).toThrow("it has no map environments.staging");
});
