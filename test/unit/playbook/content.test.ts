import * as fc from "fast-check";
import { expect, test } from "vitest";
import { writeJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { readContent } from "../../../src/playbook/inputs/file-content.ts";
import type { ValueShape } from "../../../src/playbook/declarations.ts";
import { userSchema } from "../../../src/playbook/inputs/user-schema.ts";

const HOLDERS: ValueShape = {
  type: "list",
  items: {
    type: "object",
    properties: new Map<string, ValueShape>([
      ["holder", { type: "entity" }],
      ["amount", { type: "decimal", minimum: "0.01" }],
      ["active", { type: "boolean" }],
      ["since", { type: "date" }],
      ["note", { type: "string" }],
    ]),
    required: new Set(["holder", "amount"]),
  },
};

/** Returns the value of a file, or its problems. */
function read(path: string, text: string, shape: ValueShape = HOLDERS): string | readonly string[] {
  const content = readContent({
    path,
    text,
    shape,
    rule: { format: undefined, path: undefined, validate: undefined },
    isQuoted: true,
  });
  return "value" in content ? writeJson(content.value) : content.problems.map(({ message }) => message);
}

test("cells get the types of their columns, with every digit", () => {
  expect(read("h.csv", "holder,amount,active,since,note\nuserId:alice,12345678901234567890.50,true,2026-01-31,5\n")).toBe(
    '[{"holder":{"userId":"alice"},"amount":12345678901234567890.50,"active":true,"since":"2026-01-31","note":"5"}]',
  );
});

test("a byte order mark, foreign line ends, quotes, commas and line breaks in cells are read", () => {
  expect(read("h.csv", '\uFEFFholder,amount,note\r\nuserId:a,1,"x, ""y""\r\nz"\n\nuserId:b,2.0,\r')).toBe(
    '[{"holder":{"userId":"a"},"amount":1,"note":"x, \\"y\\"\\r\\nz"},{"holder":{"userId":"b"},"amount":2.0}]',
  );
});

test("an empty cell counts as absent if the column is optional", () => {
  expect(read("h.csv", "holder,amount,active\nuserId:a,1,\n")).toBe('[{"holder":{"userId":"a"},"amount":1}]');
  expect(read("h.csv", "holder,amount\nuserId:a,\n")).toEqual([
    'h.csv:2 (row 1, column "amount") must be of type decimal, and is empty',
  ]);
});

test("a wrong cell is reported by line, row and column, even after line breaks in earlier cells", () => {
  expect(read("h.csv", 'holder,amount,note\nuserId:a,1,"two\nlines"\n\nuserId:b,"1,000",x\nuserId:c,0.001,"a\nb"\n')).toEqual([
    'h.csv:5 (row 2, column "amount") must be of type decimal, and is "1,000"',
    'h.csv:6 (row 3, column "amount") is 0.001, which is less than 0.01',
  ]);
});

test("line numbers are the same for all kinds of line ends, also within cells", () => {
  const table = 'holder,amount,note\nuserId:a,1,"two\nlines"\n\nuserId:b,1,"a\n\nb"\nuserId:c,x,\nuserId:d,1\n';
  const wrongCell = 'h.csv:8 (row 3, column "amount") must be of type decimal, and is "x"';
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = table.replaceAll("\n", end);
    expect(read("h.csv", text)).toEqual(["h.csv:9: the row has 2 cells, and the header 3"]);
    expect(read("h.csv", `${text.trimEnd()},`)).toEqual([wrongCell]);
  }
});

test.each([
  ["holder,amuont\nuserId:a,1\n", ['h.csv:1 has an unknown column "amuont"', 'h.csv:1 lacks the column "amount"']],
  ["holder,amount\nuserId:a\n", ["h.csv:2: the row has 1 cell, and the header 2"]],
  ["holder,amount\nuserId:a,1,2\n", ["h.csv:2: the row has 3 cells, and the header 2"]],
  ['holder,amount\nuserId:a,"1\n2,3\n', ['h.csv:2: column "amount": a double quote is not closed']],
  ['holder,amount\nuserId:a, "1"\n', ['h.csv:2: column "amount": a double quote in the middle of a cell']],
  ['holder,amount\nuserId:a,"1"0\n', ['h.csv:2: column "amount": text after the closing double quote']],
  ["holder;amount\n", ['h.csv:1: the first line has no comma: "holder;amount"']],
  ["holder,holder\n", ['h.csv:1: two columns are called "holder"']],
  ["holder,,amount\n", ["h.csv:1: column 2 has no name"]],
  ["holder,__proto__\na,b\n", ['h.csv:1: a column cannot be called "__proto__"']],
  ["", ["h.csv:1: the file is empty"]],
])("the table %j is refused", (text, problems) => {
  expect(read("h.csv", text)).toEqual(problems);
});

test("the rows of a table, and its listed problems, have a limit", () => {
  const rows = (count: number, cell: string): string => `holder,amount\n${`userId:a,${cell}\n`.repeat(count)}`;
  expect(read("h.csv", rows(LIMITS.dataRows + 1, "1"))).toEqual([
    `h.csv:${LIMITS.dataRows + 2}: more than ${LIMITS.dataRows} rows`,
  ]);
  const problems = read("h.csv", rows(LIMITS.inputProblems + 5, "x"));
  expect(problems).toHaveLength(LIMITS.inputProblems + 1);
  expect(problems.at(-1)).toBe("and 5 problems more");
});

test("numbers of JSON and YAML keep their digits, and quoted numbers become numbers where the type is a number", () => {
  expect(read("h.json", '[{"holder":{"userId":"a"},"amount":1.50},{"holder":"userId:b","amount":"2.50"}]')).toBe(
    '[{"holder":{"userId":"a"},"amount":1.50},{"holder":{"userId":"b"},"amount":2.50}]',
  );
  expect(read("h.yml", "- holder: userId:a\n  amount: 0.10\n  since: 2026-01-31\n")).toBe(
    '[{"holder":{"userId":"a"},"amount":0.10,"since":"2026-01-31"}]',
  );
});

test("problems in JSON and YAML are reported by line, column and path", () => {
  expect(read("h.json", '[{"holder":"userId:a","amount":1},\n {"holder":"userId:b","amount":"x"}]')).toEqual([
    'h.json:2:32 ([1].amount) must be of type decimal, and is "x"',
  ]);
  expect(read("h.yaml", "- holder: userId:a\n  amount: 1\n- holder: b\n  amuont: 2\n")).toEqual([
    'h.yaml:3:3 ([1]) lacks the field "amount"',
    'h.yaml:3:11 ([1].holder) must be of type entity, and is "b"',
    'h.yaml:3:3 ([1]) has an unknown field "amuont"',
  ]);
  expect(read("h.json", '\t[\n\t\t{"holder": "userId:a", "amount": 1},\n\t\t{"holder": 5, "amount": 1}]')).toEqual([
    expect.stringMatching(/^h\.json.* \(?\[1\]\.holder\)? must be of type entity, and is 5$/),
  ]);
});

test.each([
  ['[{"a": 1},\n {"a": one}]', "h.json:2:8: this is not valid JSON: Unexpected token 'o'"],
  ['{"a": 1', "h.json:1:8: this is not valid JSON: Expected ',' or '}' after property value"],
  ["", "h.json: this is not valid JSON: Unexpected end of JSON input"],
  ['{"__proto__": 1}', 'h.json: this is not valid JSON: the key "__proto__" is not allowed'],
])("the text %j is refused as JSON, with the place of the mistake", (text, problem) => {
  expect(read("h.json", text)).toEqual([problem]);
});

test("a repeated key is refused in JSON, as in YAML and in the header of a table", () => {
  const twice = '[{"holder": "userId:a", "amount": 1,\n "amount" : 2}]';
  expect(read("h.json", twice)).toEqual(['h.json:2:2: the key "amount" is already on line 1']);
  expect(read("h.json", twice.replace("[", `[${" ".repeat(1_100_000)}`))).toEqual(["h.json: a key occurs twice in an object"]);
  const note = JSON.stringify([{ holder: "userId:a", amount: 1, note: String.raw`"amount": 2, \"holder\":` }]);
  expect(read("h.json", note)).toContain("amount");
});

test("a file without a known extension is refused until its format is given", () => {
  expect(read("h.txt", "holder,amount\n")).toEqual(["h.txt has no extension of a known format"]);
});

function against(schema: object, path: string, text: string): string | readonly string[] {
  const ready = userSchema(schema as never);
  if ("message" in ready) return ready.message;
  const { shape, validate } = ready;
  const table = shape.type === "any" ? { type: "list" as const } : shape;
  const content = readContent({
    path,
    text,
    shape: table,
    rule: { format: undefined, path: undefined, validate },
    isQuoted: true,
  });
  return "value" in content ? writeJson(content.value) : content.problems.map(({ message }) => message);
}

const PRICES = {
  type: "array",
  items: {
    type: "object",
    properties: {
      id: { type: "string", pattern: "^T" },
      price: { type: "number", exclusiveMinimum: 0, multipleOf: 0.01 },
      day: { type: ["string", "null"], format: "date" },
    },
    required: ["id", "price"],
  },
};

test("a JSON Schema gives cells their types, and compares numbers exactly", () => {
  expect(against(PRICES, "p.csv", "id,price,day,more\nT1,1000000000000000.01,2026-01-31,5\nT2,0.07,,\n")).toBe(
    '[{"id":"T1","price":1000000000000000.01,"day":"2026-01-31","more":"5"},{"id":"T2","price":0.07,"day":null,"more":""}]',
  );
  expect(against(PRICES, "p.csv", "id,price,day\nT1,1000000000000000.001,2026-02-30\nX,0,\nT2,a,\n")).toEqual([
    'p.csv:2 (row 1, column "price") must be a multiple of 0.01, and is 1000000000000000.001',
    'p.csv:2 (row 1, column "day") must be a valid date, and is "2026-02-30"',
    'p.csv:3 (row 2, column "id") must match ^T, and is "X"',
    'p.csv:3 (row 2, column "price") must be more than 0, and is 0',
    'p.csv:4 (row 3, column "price") must be a number, and is "a"',
  ]);
});

test("for a schema, a quoted number in JSON is a text", () => {
  expect(against(PRICES, "p.json", '[{"id":"T1","price":"1.50"}]')).toEqual([
    'p.json:1:21 ([0].price) must be a number, and is "1.50"',
  ]);
});

test("a schema may refer to its own parts, and to itself", () => {
  const schema = {
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, value: { type: "number" } } } },
    $ref: "#/$defs/node",
  };
  expect(against(schema, "p.json", '{"next":{"value":"x"}}')).toEqual(['p.json:1:18 (next.value) must be a number, and is "x"']);
});

test.each([
  [{ type: "lists" }, /^cannot be used: "type" must be one of/],
  [{ $ref: "#/$defs/none" }, /^cannot be used: can't resolve reference #\/\$defs\/none/],
  [{ $ref: "other.json" }, /^cannot be used: can't resolve reference other\.json/],
  [{ type: "string", pattern: "(" }, /^cannot be used: /],
  [{ $schema: "http://json-schema.org/draft-07/schema#" }, /^is written for http:\/\/json-schema\.org\/draft-07/],
])("the schema %j is refused", (schema, problem) => {
  expect(against(schema, "p.json", "1")).toMatch(problem);
});

test("a pattern of a schema with exponential backtracking ends at once", () => {
  expect(against({ type: "string", pattern: "^(a+)+$" }, "p.json", JSON.stringify(`${"a".repeat(5_000)}!`))).toHaveLength(1);
});

test("500 damaged files of each format are read or refused without a throw, and each problem names the file", () => {
  const originals = {
    "h.csv": 'holder,amount,note\r\nuserId:a,1.50,"x ""y""\r\nz"\nuserId:b,2,\n',
    "h.json": '[{"holder":"userId:a","amount":1.50,"note":"x"},\n {"holder":{"userId":"b"},"amount":"2"}]',
    "h.yaml": '- holder: userId:a\n  amount: 1.50\n- { holder: { userId: b }, amount: "2", note: x }\n',
  };
  const scraps = fc.constantFrom(
    '"',
    ",",
    "\n",
    "\r",
    "\uFEFF",
    "\u0000",
    "[",
    "{",
    "}",
    ":",
    "-",
    "__proto__",
    "1e999",
    "9".repeat(1_100),
  );
  const scrap = fc.tuple(fc.nat(), fc.nat({ max: 5 }), fc.oneof(scraps, fc.string({ unit: "binary", maxLength: 2 })));
  fc.assert(
    fc.property(fc.array(scrap, { minLength: 1, maxLength: 4 }), (spoils) => {
      for (const [path, original] of Object.entries(originals)) {
        const text = spoils.reduce((spoiled, [at, length, insert]) => {
          const start = at % (spoiled.length + 1);
          return spoiled.slice(0, start) + insert + spoiled.slice(start + length);
        }, original);
        const problems = read(path, text);
        if (typeof problems !== "string")
          for (const problem of problems) expect(problem).toMatch(/^h\.|^and \d+ problems? more$/);
      }
    }),
    { seed: 20_261_121, numRuns: 500 },
  );
});
