import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { averageLength, filesOf, LONGEST_AVERAGE, PAGES, sentencesOf, wordsToAvoid } from "../scripts/words.ts";

const FILES = filesOf(PAGES);

test("each word to avoid is found, with its place and what to write instead", () => {
  const text = "# Title\n\nThe change is told.\n\n```console printed\n$ tokenbook run\nmend it\n```\n\nGo on.\n";
  expect(wordsToAvoid("page.md", text)).toEqual([
    'page.md:3:15 "told": write report, show, say, list, notify',
    'page.md:10:1 "Go on": write continue, resume',
  ]);
});

test("a phrase is found over the lines of a comment, and a word within a name", () => {
  const text = "// Whoever has carried\n  // on with it.\nconst isTold = tellAll(mends);\nconst toldoff = tellurium;\n";
  expect(wordsToAvoid("code.ts", text)).toEqual([
    'code.ts:1:16 "carried on": write continue, resume',
    'code.ts:3:7 "isTold": write another name',
    'code.ts:3:16 "tellAll": write another name',
    'code.ts:3:24 "mends": write fix',
  ]);
});

test("sentences are counted without code blocks, tables and headings", () => {
  const text =
    "# A title of five words\n\nOne two three. Four `tokenbook run x` six (see [a page](page.md)).\n\n- Seven\n  eight nine:\n\n```sh\nls\n```\n\n| a |\n|---|\n| b. |\n";
  expect(sentencesOf(text)).toEqual(["One two three.", "Four CODE six (see a page).", "Seven eight nine:"]);
  expect(averageLength(sentencesOf(text))).toBe(4);
});

test.for(FILES)("%s has no word that plain English avoids", (path) => {
  expect(wordsToAvoid(path, readFileSync(path, "utf8"))).toEqual([]);
});

test.for(FILES.filter((path) => path.endsWith(".md")))("%s has short sentences", (path) => {
  expect(averageLength(sentencesOf(readFileSync(path, "utf8")))).toBeLessThanOrEqual(LONGEST_AVERAGE);
});
