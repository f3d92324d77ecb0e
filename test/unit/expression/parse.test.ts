import { expect, test } from "vitest";
import { Expression, isCutOff, isProblem } from "../../../src/expression/expression.ts";

function problem(text: string): { code: string; at: string; message: string; suggestion: string | undefined } {
  const parsed = Expression.parse(text);
  if (!isProblem(parsed)) throw new Error(`${text} has no problem`);
  return { code: parsed.code, at: text.slice(parsed.start, parsed.end), message: parsed.message, suggestion: parsed.suggestion };
}

function references(text: string): string[] {
  return (Expression.parse(text) as Expression).references.map(({ root, path }) => [root, ...path].join("."));
}

test("`matches` is refused, and `re2` is suggested", () => {
  expect(problem('name.matches("^(a+)+$")')).toMatchObject({
    code: "expression.runaway-pattern",
    suggestion: expect.stringContaining("re2("),
  });
});

test.for([
  ['int(double("9007199254740993"))', 'double("9007199254740993")', "write decimal(…)"],
  ['string(double("0.1") + 1.0)', 'double("0.1")', "write decimal(…)"],
  ["uint(1) == a", "uint(1)", "write int(…)"],
  ["a == 5u", "5u", "drop the u"],
  ["a == 0x5U", "0x5U", "drop the u"],
  ["string(bytes(a).json().b)", "bytes(a).json()", undefined],
])("functions and types with rounded numbers are refused: %s", ([text = "", at, suggestion]) => {
  expect(problem(text)).toMatchObject({ code: "expression.inexact", at, suggestion });
});

test("`int` of a literal text that is not a whole number is a mistake before the run", () => {
  for (const text of ['""', '"0b11"', '"0x1F"', '"1.5"', '" 1"'])
    expect(problem(`int(${text})`)).toMatchObject({ code: "expression.number", at: text });
  expect(["int('12')", 'int("-1e3")', "int('1.0')"].map((text) => isProblem(Expression.parse(text)))).toEqual([
    false,
    false,
    false,
  ]);
});

test.for([
  ["{'constructor': 1}", "'constructor'", 'the key "constructor" is not allowed'],
  ['{"a": {"__proto__": 1}}', '"__proto__"', 'the key "__proto__" is not allowed'],
  ['{"a": 1, "b": 3, "a": 2}', '"a"', 'the key "a" occurs twice in this map'],
  ["{1: 'a', 1.0: 'b'}", "1.0", 'the key "1" occurs twice in this map'],
  ["{null: 'a'}", "null", "a key is a text or a number"],
])("a map with a repeated or impossible key is refused: %s", ([text = "", at, message]) => {
  expect(problem(text)).toMatchObject({ code: "expression.map-key", at, message });
});

test("a comparison with a type of rounded numbers is refused", () => {
  expect(problem("type(inputs.n) == int")).toMatchObject({ code: "expression.inexact", at: "int" });
  for (const text of ['inputs.type == "a" && response.type != "b"', "type(inputs.n) == string", "response.int == int('5')"])
    expect(isProblem(Expression.parse(text)), text).toBe(false);
});

test("a literal duration is checked before the run", () => {
  for (const text of ["1d", "", "1", "h", "1h 30m", "1h30", "P1D", "1.5.5s"]) {
    const at = JSON.stringify(text);
    expect(problem(`duration(${at}) > a`), text).toMatchObject({ code: "expression.duration", at });
  }
  for (const text of ["24h", "1h30m", "-1.5s", "100ms", "1m5us3ns", ".5h"])
    expect(isProblem(Expression.parse(`duration("${text}") > a`)), text).toBe(false);
});

test("a number that is too large for a double is refused, with the way to write it", () => {
  expect(problem("a > 1e400")).toMatchObject({ code: "expression.syntax", at: "1e400", suggestion: 'write decimal("1e400")' });
  expect(problem("a > 1e4000")).toMatchObject({ code: "expression.too-complex", message: "a number of more than 1000 digits" });
  expect(isProblem(Expression.parse('a > decimal("1e400") + 1e-400'))).toBe(false);
});

test("comprehensions can be nested to two levels, and no deeper", () => {
  expect(isProblem(Expression.parse("a.map(x, b.filter(y, y == x)).exists(z, z.all(w, w))"))).toBe(true);
  expect(isProblem(Expression.parse("a.map(x, b.filter(y, y == x))"))).toBe(false);
  expect(problem("a.all(x, b.all(y, c.all(z, true)))").code).toBe("expression.too-complex");
});

test("an expression that is too large is refused before anything is built", () => {
  expect(problem("1 + ".repeat(4_000)).code).toBe("expression.too-long");
  expect(problem(`1.${"1".repeat(1_001)} > 0`).message).toContain("1000 digits");
  const tooMuch = [
    [`${"(".repeat(3_000)}1${")".repeat(3_000)}`, "more than 64 brackets and dots inside one another"],
    [`a${".b".repeat(100)}`, "more than 64 brackets and dots inside one another"],
    [`${"true && ".repeat(1_100)}true`, "more than 2,000 parts in one expression"],
    [`[${"1,".repeat(1_500)}1]`, "more than 1,000 items in one list"],
    [`f(${"1,".repeat(40)}1)`, "more than 32 arguments of one call"],
  ] as const;
  for (const [text, message] of tooMuch) expect(problem(text)).toMatchObject({ code: "expression.too-complex", message });
});

test("so many operators that the stack overflows are refused as too complex", () => {
  expect(problem(`${"!".repeat(9_000)}true`).code).toBe("expression.too-complex");
});

test("a typing mistake is reported at its place", () => {
  expect(problem("a ==")).toMatchObject({
    code: "expression.syntax",
    suggestion: "write the value, or remove the operator before it",
  });
  expect(problem("(a")).toMatchObject({ message: "Expected ), got the end", suggestion: "write the missing )" });
  expect(problem("a = b")).toMatchObject({ at: "=", suggestion: "write ==" });
  expect(problem("a and b")).toMatchObject({ at: "and", suggestion: "write &&" });
  expect(problem("   ")).toMatchObject({ code: "expression.syntax", message: "there is no expression here" });
});

test.each([
  ["a => b", "=>", "write >="],
  ["a <> b", "<>", "write !="],
  ["a === b", "===", "write =="],
  ["a !== b", "!==", "write !="],
  ["a =~ 'b'", "=~", 're2(text, "pattern")'],
  ["a ~ 'b'", "~", 're2(text, "pattern")'],
  ["a matches 'b'", "matches", 're2(text, "pattern")'],
  ["a contains 'b'", "contains", 'text.contains("part")'],
  ["list.some(x => x > 1)", "=>", "write a comma"],
  ["list.some((x) => x > 1)", "=>", "write a comma"],
  ["a > 1,000", ",", "write a point before the decimals"],
  ["a == 1.000,50", ",", "write a point before the decimals"],
  ["$.a == 1", "$", "write the name alone"],
  ["${{ a }} == 1", "$", "write it without ${{ }}"],
  ["a AND b", "AND", "write &&"],
  ["not a.b", "not", "write !, and quote the whole expression"],
  ["a is b", "is", "write =="],
  ["a == “b”", "“", "write \" or '"],
  ["a\u00a0== b", "\u00a0", "type the space again"],
])("the syntax of other languages is refused, with the way to write it: %s", (text, at, suggestion) => {
  expect(problem(text)).toMatchObject({ code: "expression.syntax", at, suggestion: expect.stringContaining(suggestion) });
});

test("two names in a row are refused, because an operator is missing", () => {
  expect(problem("a.b exceeds 5")).toMatchObject({ at: "exceeds", message: 'an operator is missing before "exceeds"' });
});

test("an expression lists the names that it reads, with their fields", () => {
  expect(references('steps.token.id == inputs["name"] && has(steps.vault.tokenIds[0])')).toEqual([
    "steps.token.id",
    "inputs.name",
    "steps.vault.tokenIds",
  ]);
  expect(references("1 + 2")).toEqual([]);
});

test("an expression does not list the names that its comprehensions bind", () => {
  expect(references("response.exists(o, o == actors.custodian && o.id == steps.a.id)")).toEqual([
    "response",
    "actors.custodian",
    "steps.a.id",
  ]);
  expect(references("list.map(x, other.filter(y, y == x))")).toEqual(["list", "other"]);
  expect(references("list.map(x, x.id) + x.list")).toEqual(["list", "x.list"]);
});

test("an expression does not list the name that `cel.bind` binds", () => {
  expect(references("cel.bind(half, inputs.n / 2, half + half)")).toEqual(["inputs.n"]);
  expect(references("cel.bind(inputs, inputs.row, inputs.amount + steps.a.amount)")).toEqual(["inputs.row", "steps.a.amount"]);
});

test("a reference knows its place in the text", () => {
  const text = "1 + steps.token.id";
  const [reference] = (Expression.parse(text) as Expression).references;
  expect(text.slice(reference?.start, reference?.end)).toBe("steps.token.id");
});

test("an expression that ends inside its parentheses is recognized", () => {
  expect(["list.exists(a", "f(g(x)"].map(isCutOff)).toEqual([true, true]);
  expect(["a.b == 100)", 'size("(")', "f(x)"].map(isCutOff)).toEqual([false, false, false]);
});

test.for(["1 == 1 // && false", "size(x) > 1 // a list\n && false", `"a\\"" == "b" // "c"`, `r"\\" == 'x' // c`])(
  "a comment is refused, because YAML joins lines: %s",
  (text) => {
    expect(Expression.parse(text)).toMatchObject({ code: "expression.syntax", start: text.indexOf("//") });
  },
);

test.for([`"http://x" == 'y//z'`, `'''//''' != """//"""`, `r'\\' + '//' == ''`, "6 / 2 / 1 == 3"])(
  "%s contains no comment",
  (text) => {
    expect(Expression.parse(text)).toBeInstanceOf(Expression);
  },
);

test("the list of a comprehension is read outside of it, whatever the name of its items", () => {
  expect(references("[secrets.PIN].map(secrets, secrets)[0]")).toEqual(["secrets.PIN"]);
  expect(references("response.records.exists(response, response.id == inputs.id)")).toEqual(["response.records", "inputs.id"]);
});
