import { expect, test } from "vitest";
import { parseYaml } from "../../../src/source/parse.ts";

const flow = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const block = (levels: number): string => Array.from({ length: levels }, (_, at) => `${" ".repeat(at)}a:`).join("\n");

// Each text gives one diagnostic, at the place to fix.
test.for<[string, string, string]>([
  ["900 nested brackets", `a: ${flow(900)}`, "source.too-deep 1:68"],
  ["brackets that comments seem to close", `a: ${"[ #]\n ".repeat(900)}`, "source.too-deep 65:2"],
  ["brackets that quotes seem to close", `a: ${'["]",'.repeat(900)}`, "source.too-deep 1:320"],
  ["900 nested blocks", block(900), "source.too-deep 65:65"],
  ["100 nested blocks", block(100), "source.too-deep 65:65"],
  ["900 dashes on one line", `${"- ".repeat(900)}x`, "source.too-deep 1:131"],
  ["100 dashes on one line", `${"- ".repeat(100)}x`, "source.too-deep 1:131"],
  ["an alias", "a: &x 1\nb: *x", "source.alias 2:4"],
  ["an alias of itself", "a: &x [*x]", "source.alias 1:8"],
  ["an alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]", "source.alias 2:8"],
  ["a merge key", "a: &x { y: 1 }\nb:\n  <<: *x", "source.alias 3:7"],
  ["a tag of YAML's own", "a: !!binary aGk=", "source.tag 1:4"],
  ["an unknown tag", "a: !python/object x", "source.tag 1:4"],
  ["a tag on the root", "!!map\na: 1", "source.tag 1:1"],
  ["%YAML", "%YAML 1.1\n---\na: on", "source.directive 1:1"],
  ["%YAML behind a comment", "# c\n%YAML 1.1\n---\na: on", "source.directive 2:1"],
  ["%TAG", "%TAG ! tag:x,2000:\n---\na: 1", "source.directive 1:1"],
  ["two documents", "a: 1\n---\nb: 2", "source.two-documents 2:1"],
  ["a second document without a marker", "a: 1\n...\nb: 2", "source.two-documents 3:1"],
  ["a second document behind a misleading comment", "a: 1 # ---\n...\nb: 2", "source.two-documents 3:1"],
  ["a duplicate key", "a: 1\nb: 2\na: 3", "source.duplicate-key 3:1"],
  ["a duplicate key in a flow map", "x: { a: 1, 'a': 2 }", "source.duplicate-key 1:12"],
  ["__proto__", "a:\n  __proto__: { x: 1 }", "source.forbidden-key 2:3"],
  ["__proto__ in disguise", '"\\u005f_proto__": 1', "source.forbidden-key 1:1"],
  ["constructor", "a: [{ constructor: 1 }]", "source.forbidden-key 1:7"],
  ["an empty file", "", "source.empty 1:1"],
  ["a file of comments", "# nothing\n\n", "source.empty 1:1"],
  ["a word alone below an empty first line", "\na\nb: 1", "source.syntax 2:1"],
  ["a tab as indentation", "a:\n\tb: 1", "source.syntax 2:1"],
  ["NUL", "a: x\0y", "source.control-character 1:5"],
  ["NUL in quotes", 'a: "x\0"', "source.control-character 1:6"],
  ["a separator of fields", "a: \u001f[", "source.control-character 1:4"],
  ["a byte order mark inside", "a: \ufeff1", "source.control-character 1:4"],
  ["a list as a key", "? [a]\n: b", "source.syntax 1:3"],
  ["a map as a key", "? { a: 1 }\n: b", "source.syntax 1:3"],
  ["more than 1 MiB", `a: ${"x".repeat(1_048_576)}`, "source.too-large 1:1"],
  ["a hexadecimal number", "a: 0x10", "source.number 1:4"],
  ["an octal number", "a: 0o10", "source.number 1:4"],
  ["infinity", "a: .inf", "source.number 1:4"],
  ["no number", "a: .nan", "source.number 1:4"],
  ["a plus sign", "a: +1", "source.number 1:4"],
  ["a leading zero", "a: 0123", "source.number 1:4"],
  ["a number without its zero", "a: [1, .5]", "source.number 1:8"],
  ["a number of 1,001 digits", `a: ${"1".repeat(1_001)}`, "source.number 1:4"],
  ["an exponent of 1,001", "a: 1e1001", "source.number 1:4"],
  ["an unclosed double quote", 'a: "x\nb: 1', "source.unclosed 1:4"],
  ["an unclosed single quote", "a: 'x\nb: 1", "source.unclosed 1:4"],
  ["an unclosed bracket", "a: [1, [2]\nb: 3", "source.unclosed 1:4"],
  ["an unclosed brace", "a: { b: 1", "source.unclosed 1:4"],
  ["a stray bracket", "a: ]", "source.syntax 1:4"],
  ["crooked indentation", "a:\n  b: 1\n c: 2", "source.syntax 3:2"],
  ["an unquoted expression in a flow map", "a: { b: ${{ x }} }", "source.syntax 1:10"],
  ["a tab before a bracket", "a:\t{ b: 1 }", "source.syntax 1:3"],
  ["a tab in brackets", "a: {\tb: 1 }", "source.syntax 1:5"],
  ["brackets at the margin", "a: {\nb: 1 }", "source.unclosed 1:4"],
  ["crooked indentation below a bracket that closes at the margin", "a: [\n  1\n]\nb:\n  c: 1\n d: 2", "source.syntax 6:2"],
  ["an unquoted expression below one", "a: {\n  b: [\n    1 # ]\n  ]\n}\nc: { d: ${{ x }} }", "source.syntax 6:10"],
  ["an unclosed bracket below one", "a: [\n  1\n]\nb: [\n  2\nc: 3", "source.unclosed 4:4"],
  ["a tab in a text before a fault", 'a: "x\ty" z', "source.syntax 1:10"],
  ["a space of another kind before a key", "a:\n\u00a0 b: 1", "source.space 2:1"],
  ["a space of another kind behind a dash", "a:\n  -\u00a0b: 1", "source.space 2:4"],
  ["a space of another kind behind a colon", "a:\u00a01\nb: 2", "source.space 1:3"],
  ["a space of another kind behind the only colon", "a:\n  b:\u00a01", "source.space 2:5"],
  ["a space of another kind behind a text", "a: x\u202f\nb: 1", "source.space 1:5"],
  ["a space of another kind behind a bracket", "a: [1]\u00a0", "source.space 1:7"],
  ["a space without a width", "a: \u200b1", "source.space 1:4"],
  ["a colon inside a text", "a: one: two", "source.syntax 1:7"],
  ["a colon inside a text in brackets", "a: { b: one: two }", "source.syntax 1:12"],
  ["a key without its colon", "a: 1\nb\nc: 2", "source.syntax 2:1"],
  ["an alias without a name", "a: *", "source.alias 1:4"],
  ["a tag that nothing declares", "a: !e!x 1", "source.tag 1:4"],
  ["an unknown escape", 'a: "\\q"', "source.syntax 1:5"],
])("%s is refused with one diagnostic", ([, text, expected]) => {
  const { root, diagnostics } = parseYaml("file.yaml", text);
  expect(diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([expected]);
  expect(root).toBeUndefined();
});

test("spaces of other kinds are accepted within a text, and anywhere in quotes", () => {
  const text = "a: 10\u00a0000 €\nb: '\u00a0x\u00a0'\nc: |\n  \u3000x\n# \u00a0c\u00a0\n";
  expect(parseYaml("file.yaml", text).diagnostics).toEqual([]);
});

test("a file with CRLF has the same lines and columns, and its frame shows no carriage return", () => {
  const [diagnostic] = parseYaml("file.yaml", "a: 1\r\nb:\r\n  - x\r\n  - 0x10\r\n").diagnostics;
  expect(diagnostic).toMatchObject({ code: "source.number", line: 4, column: 5 });
  expect(diagnostic?.frame).not.toMatch(/\r|u000d/);
});

test("a file with very many mistakes is read fast, and only the first 50 are shown", () => {
  expect(parseYaml("file.yaml", "- 0x10\n".repeat(100_000)).diagnostics).toHaveLength(50);
  expect(parseYaml("file.yaml", Array.from({ length: 50_000 }, (_, at) => `k${at}: 1`).join("\n")).root).toBeDefined();
});

test("brackets at the margin are read fast, however many empty lines the file has", () => {
  for (const line of ["\n", "  # c\n"]) {
    const text = `a: [\n  1\n]\n${line.repeat(60_000)}b: {\n  c: 1 # ]\n${line.repeat(60_000)}}\n`;
    expect(parseYaml("file.yaml", text).diagnostics).toEqual([]);
  }
});

// The message says what is wrong, and the suggestion how to fix it.
test.for<[string, RegExp, RegExp]>([
  ["a:\n\tb: 1", /^there is a tab here$/, /^use spaces$/],
  ["name: Mint: the first", /^outside quotes, a : with a space after it makes a key/, /^quote the text/],
  ["a: { id: ${{ x }} }", /^outside quotes, YAML reads the \{ of an expression as its own$/, /^quote the expression/],
  ["a: 1\nsteps\n  - b: 1", /^this is neither a key with a : after it/, /^write key: value/],
  [
    "a:\n- b: 1\n    c: 2",
    /^this line is indented more than the key above it, which has a value/,
    /^begin it in the column of that key/,
  ],
  ['a: "b\nc: 1', /^this " is not closed$/, /^write another " where the text ends$/],
  ["a:\n   - b\n  - c", /^no key or item above has the indentation of this line$/, /^begin it in the column/],
  ["a: [1, 2", /^this \[ is not closed$/, /^close it with \]/],
  ["a: x]\nb: ]", /^this \] closes nothing$/, /^delete it, or quote/],
  ['a: "x" y', /^the value has ended before this$/, /^quote the whole text with ', or write \\" for each " in it$/],
  ["a: 'it's'", /^the value has ended before this$/, /^quote the whole text with ", or write '' for each ' in it$/],
  ['a: ["x" == y]', /^a comma is missing before this/, /^quote the whole text with '/],
  ["a: x@y\nb: @x", /^outside quotes, no text begins with @$/, /^quote the text$/],
  ["a: [%]", /^outside quotes, no text begins with %$/, /^quote the text$/],
  ["a: - b", /^outside quotes, no text begins with -$/, /^quote the text, or begin the list on the next line$/],
  ["a: & b", /^outside quotes, no text begins with &$/, /^quote the text$/],
  ["a: >= 5", /^outside quotes, \| and > begin a text on the lines below$/, /^quote the text$/],
  ['a: "C:\\users"', /^\\u is an escape only with 4 hexadecimal digits$/, /^write \\\\ for a backslash/],
  ["a: [1,, 2]", /^nothing is before this comma$/, /^delete it/],
  ["a: {\n  b: 1\n  c: 2 }", /^outside quotes, a : with a space after it/, /put a comma between the two entries$/],
  ["a: { b: 1,000.00 }", /^this key has no : after it$/, /^write KEY: value; quote a number or a text that holds a comma$/],
  ["a: x\u0092", /^the control character U\+0092 is not allowed$/, /^delete it/],
])("%j gets a message with its fix", ([text, message, suggestion]) => {
  const [diagnostic] = parseYaml("file.yaml", text).diagnostics;
  expect(diagnostic?.message).toMatch(message);
  expect(diagnostic?.suggestion).toMatch(suggestion);
});
