import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CATALOGUE, CODES } from "../../src/base/catalogue/catalogue.ts";
import { inputFrame, inputPartFrame, playbookFrame, stepFrame } from "../../src/playbook/keywords/frame.ts";

// Texts for users must use plain words. For each word in this list there is one that more people know.
const WORDS = [
  /\b(?:tell|tells|telling|told)\b/i,
  /\b(?:stand|stands|stood)\b/i,
  /\b(?:mend|mends|mended|anew|borne|beforehand)\b/i,
  /\bso already\b/i,
  /\b(?:goes|go|went|carries) on with\b/i,
  /\bbears? with\b/i,
  /\b(?:wants a person|waits for somebody|by what it knows|reading alone)\b/i,
  /\bsendings?\b/i,
  /\b(?:is|are|was|were) to be\b/i,
  /\bbecame of\b/i,
  /\bof which\b/i,
  /\bin all\b/i,
];

const TEXTS: Readonly<Record<string, string>> = {
  "the catalogue of diagnostics": CODES.map((code) => Object.values(CATALOGUE[code]).join("\n")).join("\n"),
  "the keywords of a playbook": JSON.stringify([playbookFrame, stepFrame, inputFrame(), inputPartFrame()], undefined, 1),
  ...Object.fromEntries(
    ["schemas/environment.schema.json", "docs/limits.md", "docs/operations.md"].map((file) => [file, readFileSync(file, "utf8")]),
  ),
};

test.for(Object.keys(TEXTS))("%s contains only plain words", (name) => {
  const lines = (TEXTS[name] ?? "").split("\n");
  expect(lines.filter((line) => WORDS.some((word) => word.test(line)))).toEqual([]);
});

test.for(["nobody is told", "the place where it stands", "mend the file", "what became of it", "12 in all"])(
  "a word to avoid is found in: %s",
  (line) => {
    expect(WORDS.some((word) => word.test(line))).toBe(true);
  },
);
