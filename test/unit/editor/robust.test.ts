import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { complete } from "../../../src/editor/completion.ts";
import { definition } from "../../../src/editor/definition.ts";
import { hover } from "../../../src/editor/hover.ts";
import { stepUses } from "../../../src/editor/references.ts";
import { isNightly } from "../../sizes.ts";
import { folderOf } from "./cursor.ts";

// The number of parts into which each document is cut.
const CUTS = isNightly ? 16 : 2;

// A document is broken most of the time while somebody writes it. Every question about it must get an answer anyway.

const books = globSync("test/faulty/*.yaml").filter((path) => readFileSync(path, "utf8").length < 4_000);
const files = folderOf(Object.fromEntries(books.map((path) => [path, readFileSync(path, "utf8")])));

test.for(books)("each place of %s can be completed and explained, even if the text is cut there", (path) => {
  const text = readFileSync(path, "utf8");
  const step = Math.max(1, Math.floor(text.length / CUTS));
  for (let offset = 0; offset <= text.length; offset += step) {
    const cut = text.slice(0, offset);
    for (const file of [
      { path, text },
      { path, text: cut },
    ]) {
      for (const { replaces, label } of complete(file, offset, files)) {
        expect(label).not.toBe("");
        expect(replaces.start).toBeLessThanOrEqual(offset);
        expect(replaces.end).toBeGreaterThanOrEqual(offset);
      }
    }
    const range = hover({ path, text }, offset, files)?.range;
    expect(range?.start ?? 0).toBeLessThanOrEqual(offset);
    definition({ path, text }, offset, files);
    stepUses({ path, text }, offset, files);
  }
});
