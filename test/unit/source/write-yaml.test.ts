import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { harmless } from "../../../src/base/text/harmless.ts";
import { toJson } from "../../../src/source/node.ts";
import { parseYaml } from "../../../src/source/parse.ts";
import { asNode, mapOf, onOneLine, writeDocument, writeYaml } from "../../../src/source/write-yaml.ts";

function readBack(text: string): unknown {
  const { root, diagnostics } = parseYaml("file.yaml", text);
  if (root === undefined) throw new SyntaxError(`${diagnostics[0]?.message} in\n${text}`);
  return toJson(root);
}

const value = fc.jsonValue({ maxDepth: 3 });

test("our reader and a reader of YAML 1.1 read back any value that is written", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom("yes", "0777", "2026-05-01", "1_000", "${{ steps.a.id }}", "a: b", "# c", " "),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const written = writeYaml([{ text }]);
      expect(readBack(written)).toEqual([{ text }]);
      expect(parse(written, { version: "1.1" })).toEqual([{ text }]);
    }),
  );
});

test("a value that is written on one line stays on it, however deep it is", () => {
  fc.assert(
    fc.property(value, (given) => {
      const document = writeDocument([{ key: "a", value: onOneLine(given) }]);
      const holdsLines = JSON.stringify(given).includes(String.raw`\n`);
      if (!holdsLines) expect(document.trimEnd().split("\n")).toHaveLength(1);
      expect(parse(document)).toEqual({ a: given });
    }),
  );
});

test("comments and empty lines stay with their fields", () => {
  const steps = mapOf([{ key: "id", value: asNode("mint"), above: " required: Id of the token." }]);
  const document = writeDocument([
    { key: "mode", value: onOneLine("read-only", " proved first") },
    { key: "with", value: steps, apart: true },
  ]);
  expect(document).toBe("mode: read-only # proved first\n\nwith:\n  # required: Id of the token.\n  id: mint\n");
});

test.for([
  "soft\u00adhyphen x\u200by",
  "see ##[section]x and ##vso[task]",
  "one\n::two\nthree",
  "::a",
  "\u202eabc \u{e0041}",
  `${"long ".repeat(40)}\n::set-output`,
  "\u0007\u001b[31m",
])("a text that could control a terminal or a log is written with escapes, and read back unchanged: %j", (text) => {
  const given = { [text]: text, list: [text, { inner: text }], id: "::" };
  for (const written of [
    writeYaml(given),
    writeDocument(Object.entries(given).map(([key, field]) => ({ key, value: onOneLine(field) }))),
  ]) {
    expect(harmless(written)).toBe(written);
    expect(parse(written)).toEqual(given);
  }
});
