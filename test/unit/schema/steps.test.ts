import { expect, test } from "vitest";
import { type Json, parseJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { userSchema } from "../../../src/playbook/inputs/user-schema.ts";

// A schema may come with anybody's project, and anybody who reviews a pull request checks it.

const json = (value: unknown): Json => parseJson(JSON.stringify(value));

/** Validates a value against a schema. Returns the problems, or why the schema cannot be used. */
function judged(schema: object, value: Json): readonly string[] | string {
  const ready = userSchema(json(schema));
  if ("message" in ready) return `${ready.path.join("/")}: ${ready.message}`;
  return ready.validate(value).map(({ message }) => message);
}

const TOO_MANY = [
  `cannot be checked against the schema: it takes more than ${LIMITS.validationSteps.toLocaleString("en")} steps, which is the limit (validationSteps)`,
];

/** Returns a schema in which each definition refers to the next one twice. */
function doubling(keyword: string, times: number): object {
  const next = (at: number): object => ({ [keyword]: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] });
  const definitions = Array.from({ length: times }, (_, at) => [`d${at}`, at === times - 1 ? { type: "string" } : next(at)]);
  return { $ref: "#/$defs/d0", $defs: Object.fromEntries(definitions) };
}

test.for(["allOf", "anyOf", "oneOf"])("a check with references that double 30 times by %s ends", (keyword) => {
  expect(judged(doubling(keyword, 30), "fits")).toEqual(TOO_MANY);
});

test("a schema that would be compiled too many times is refused at the reference that is too much", () => {
  const wide = { properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { type: "string" }])) };
  // Refers to the same place with a different spelling each time.
  const spelt = (at: number): string => `#/$defs/${"widespread".slice(0, at)}${escaped("widespread".slice(at))}`;
  const references = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`r${at}`, { $ref: spelt(at) }]));
  expect(judged({ properties: references, $defs: { widespread: wide } }, {})).toMatch(
    /^properties\/r\d: cannot be used: "properties\.r\d" has more than 2,000 parts with what it refers to/,
  );
  expect(judged({ properties: { ...wide.properties, ...references }, $defs: { widespread: {} } }, {})).toEqual([]);
  const wider = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`p${at}`, {}]));
  expect(judged({ properties: wider }, {})).toMatch(/^: cannot be used: it has more than 2,000 parts/);
});

function escaped(text: string): string {
  return text.replaceAll(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

test.for([
  ["itself", { $ref: "#" }, "", '"#"'],
  [
    "itself by way of a choice",
    { $defs: { a: { anyOf: [{ type: "string" }, { $ref: "#/$defs/a" }] } } },
    "$defs/a/anyOf/1",
    '"#/$defs/a"',
  ],
  [
    "one another",
    { $defs: { a: { not: { $ref: "#/$defs/b" } }, b: { if: { $ref: "#/$defs/a" } } } },
    "$defs/b/if",
    '"#/$defs/a"',
  ],
  ["itself by a dynamic anchor", { $dynamicAnchor: "n", allOf: [{ $dynamicRef: "#n" }] }, "allOf/0", '"#n"'],
] as const)("a schema that refers to %s for the same value is refused at that reference", ([, schema, path, reference]) => {
  const message = judged(schema, null);
  expect(message).toContain(`${path}: cannot be used: `);
  expect(message).toContain(`refers to itself without end: ${reference}`);
});

test("if only a check can find an endless reference, the check ends", () => {
  expect(judged({ $id: "http://a.example/b", allOf: [{ $ref: "http://a.example/b" }] }, null)).toEqual([
    "cannot be checked against the schema: the schema is too wide, or refers to itself without end",
  ]);
});

test("a schema can refer to itself for parts of the value", () => {
  const tree = { type: "object", properties: { next: { $ref: "#" }, n: { type: "number" } } };
  expect(judged(tree, json({ next: { next: { n: 1 } } }))).toEqual([]);
  expect(judged(tree, json({ next: { next: { n: "1" } } }))).toEqual(["must be number"]);
});

test("a reference into data is refused", () => {
  expect(judged({ enum: [{ type: "string" }], properties: { a: { $ref: "#/enum/0" } } }, {})).toBe(
    'properties/a: cannot be used: "properties.a" refers to "#/enum/0", which is data and no schema',
  );
});

test("a hundred thousand records that must differ are compared fast", () => {
  const records = Array.from({ length: 100_000 }, (_, at) => ({ id: `r${at}`, parts: [at] }));
  const schema = { type: "array", uniqueItems: true };
  expect(judged(schema, json(records))).toEqual([]);
  expect(judged(schema, json([...records, { parts: [5], id: "r5" }]))).toEqual(["must hold each item once"]);
});

test.for([
  ["[1.0000000000000000000001, 1.0000000000000000000002]", []],
  ['[{"a": 1.50, "b": 2}, {"b": 2.0, "a": 1.5}]', ["must hold each item once"]],
  ["[1e2, 100]", ["must hold each item once"]],
  ['[1, "1", true, null, [], {}]', []],
] as const)("the items of %s are compared with all their digits", ([text, problems]) => {
  expect(judged({ uniqueItems: true }, parseJson(text))).toEqual(problems);
  expect(judged({ properties: { list: { uniqueItems: true } } }, parseJson(`{ "list": ${text} }`))).toEqual(problems);
});

test.for([
  [
    "patterns of keys",
    { patternProperties: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`a${at}(b|c)*d`, {}])) },
    Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`${"a".repeat(20)}${at}`, 1])),
  ],
  [
    "a pattern with many parts",
    { items: { pattern: "(?:a?){450}[bc]?" } },
    Array.from({ length: 1_000 }, () => "a".repeat(1_000)),
  ],
  [
    "a choice of many values",
    { items: { enum: Array.from({ length: 1_000 }, (_, at) => ({ at })) } },
    Array.from({ length: 20_000 }, () => ({ at: 999 })),
  ],
  [
    "long lists in lists",
    { items: { contains: { minimum: 5 } } },
    Array.from({ length: 500 }, () => [...Array.from({ length: 1_000 }, () => 1), 9]),
  ],
] as const)("a check with too many steps ends: %s", ([, schema, value]) => {
  expect(judged(schema, json(value))).toEqual(TOO_MANY);
});

test("a very long text never fits a format", () => {
  expect(judged({ format: "url" }, `http://${":".repeat(100_000)}`)).toEqual(['must match format "url"']);
  expect(judged({ format: "uri" }, `http://a.example/${"a".repeat(1_500)}`)).toEqual([]);
});

test("of very many problems, only the first is reported", () => {
  const row = { type: "object", properties: { amount: { type: "number" } } };
  const schema = { type: "array", items: { $ref: "#/$defs/row" }, $defs: { row } };
  expect(judged(schema, json(Array.from({ length: 60 }, () => ({ amount: "1" }))))).toHaveLength(60);
  expect(judged(schema, json(Array.from({ length: 100_000 }, () => ({ amount: "1" }))))).toEqual(["must be number"]);
});
