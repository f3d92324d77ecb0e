import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CATALOGUE, CODES } from "../../../src/base/catalogue/catalogue.ts";
import { environmentSchema } from "../../../src/environment/schema.ts";
import { contract } from "../../../src/contract/contract.ts";
import { playbookFrame } from "../../../src/playbook/keywords/frame.ts";
import { checkDocument } from "../../../src/interchange/check.ts";
import { realFiles } from "./helper.ts";
import { KEYWORD_CODES } from "../../../src/source/problems.ts";

const EXAMPLES = JSON.parse(readFileSync("src/cli/generated/examples.json", "utf8")) as Record<string, { printed: string }>;

const codesOf = (path: string): readonly string[] =>
  checkDocument(path, readFileSync(path, "utf8"), realFiles)
    .diagnostics.filter(({ file }) => file === path)
    .map(({ code }) => code);

test("the corpus of faulty playbooks reaches every code of the catalogue", () => {
  const reached = new Set(globSync("test/faulty/*.yaml").flatMap(codesOf));
  expect(CODES.filter((code) => !reached.has(code))).toEqual([]);
});

test.for(CODES)("the example of %s has this finding and no other", (code) => {
  expect(new Set(codesOf(`test/faulty/${CATALOGUE[code].example}.yaml`))).toEqual(new Set([code]));
});

test.for(CODES)("the printed example of %s has this finding", (code) => {
  expect(EXAMPLES[code]?.printed).toMatch(new RegExp(`^\\S+ (?:error|warning) ${code}$`, "m"));
});

test.for(CODES)("the meaning and the fix of %s are whole sentences", (code) => {
  const { title, meaning, cure } = CATALOGUE[code];
  expect(title).toMatch(/^.{10,80}[^.]$/);
  for (const text of [meaning, cure]) expect(text).toMatch(/^[A-Z`].{20,}$/);
});

// These keywords hold schemas within a schema. Everything under other keywords is data.
const MAPS = ["properties", "patternProperties", "$defs"];
const INNER = ["items", "additionalProperties", "propertyNames", "if", "then", "else", "not"];
const LISTS = ["anyOf", "oneOf", "allOf"];

function keywordsOf(schema: unknown): readonly string[] {
  if (schema === null || typeof schema !== "object") return [];
  const parts = schema as Record<string, unknown>;
  const inner = Object.entries(parts).flatMap(([keyword, value]) => {
    if (INNER.includes(keyword)) return [value];
    if (MAPS.includes(keyword) || LISTS.includes(keyword)) return Object.values(value as object);
    return [];
  });
  return [...Object.keys(parts), ...inner.flatMap(keywordsOf)];
}

test("every keyword with which a schema can refuse a value has a code", () => {
  const bodies = Object.values(contract.operations).flatMap(({ body, parameters }) => [
    body,
    ...parameters.map(({ schema }) => schema),
  ]);
  const used = new Set([playbookFrame, environmentSchema, { $defs: contract.$defs }, ...bodies].flatMap(keywordsOf));
  const silent = ["$schema", "$id", "$ref", "$defs", "title", "description", "default", "examples", "deprecated", "format"];
  const reported = ["required", "additionalProperties", "propertyNames", ...Object.keys(KEYWORD_CODES)];
  const known = new Set([...silent, ...reported, ...MAPS, ...INNER, ...LISTS]);
  expect([...used].filter((keyword) => !known.has(keyword) && !keyword.startsWith("x-"))).toEqual([]);
  expect(used.size).toBeGreaterThan(20);
});
