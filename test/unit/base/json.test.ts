import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { jsonEquals, lookPlainly, mapStrings, parseJson, plainView, writeJson } from "../../../src/base/json/json.ts";

const numeral = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.bigInt({ min: 0n, max: 10n ** 40n }),
    fc.constantFrom("", ".0", ".50", ".000001"),
    fc.constantFrom("", "e3", "E-7", "e+12"),
  )
  .map((parts) => parts.join(""));
const key = fc.string().filter((name) => !["__proto__", "constructor", "prototype"].includes(name));
const jsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    numeral,
    fc.constantFrom("null", "true", "false"),
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
    // Texts with what looks like numbers of ours.
    fc
      .array(fc.constantFrom(":", ",", "[", "]", "}", '"', " ", "\\", "1.5", "-2e3", "\u0091"), { maxLength: 8 })
      .map((parts) => JSON.stringify(parts.join(""))),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(key, tie("value")), { maxLength: 4, selector: ([name]) => name })
      .map((entries) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`),
  ),
})).value;

// JavaScript puts keys that look like array indexes first; their order says nothing in JSON.
function hasIndexKey(text: string): boolean {
  return /"\d+":/.test(text);
}

test("any JSON text is written as it was read", () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      fc.pre(!hasIndexKey(text));
      expect(writeJson(parseJson(text))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("digits survive that a JavaScript number would lose", () => {
  const text = '{"a":9007199254740993,"b":[12345678901234567890.50,0.1e-5,-0],"c":1.0}';
  expect(writeJson(parseJson(text))).toBe(text);
});

test("a text that begins with an escaped control character stays a text", () => {
  for (const text of ["\\u00911.5", "\\u0091abc"]) expect(parseJson(`{"a":"${text}"}`)).toEqual({ a: JSON.parse(`"${text}"`) });
});

test("keys that reach into JavaScript's own objects are refused at any depth", () => {
  for (const name of ["__proto__", "constructor", "prototype", "\\u005f_proto__"]) {
    expect(() => parseJson(`{"a":[{"${name}":{}}]}`)).toThrow("is not allowed");
  }
  expect(parseJson('{"a":"__proto__"}')).toEqual({ a: "__proto__" });
});

test("a text nested too deeply is refused before it is parsed", () => {
  expect(() => parseJson("[".repeat(100_000))).toThrow("nested deeper than 200 levels");
  expect(() => parseJson(`${"[".repeat(5)}1${"]".repeat(5)}`, 4)).toThrow("nested deeper than 4 levels");
  expect(parseJson(`"${"[".repeat(1_000)}"`)).toBe("[".repeat(1_000));
  expect(() => parseJson(`{"a":"\\"","b":${"[".repeat(300)}`)).toThrow(RangeError);
});

test("a number of too many digits is refused and not rounded", () => {
  expect(() => parseJson("1".repeat(1_001))).toThrow(RangeError);
  expect(() => parseJson("1e1001")).toThrow(RangeError);
});

test("equality of JSON looks at values, not at spelling or order", () => {
  const same = (left: string, right: string): boolean => jsonEquals(parseJson(left), parseJson(right));
  expect(same('{"a":1.50,"b":[1]}', '{"b":[1.0],"a":1.5}')).toBe(true);
  expect(same('{"a":1}', '{"a":"1"}')).toBe(false);
  expect(same('{"a":null}', "{}")).toBe(false);
  expect(same("[1,2]", "[2,1]")).toBe(false);
});

test("a plain view has JavaScript numbers, and mapped strings leave numbers exact", () => {
  const value = parseJson('{"a":[1.50],"b":"x"}');
  expect(plainView(value)).toEqual({ a: [1.5], b: "x" });
  expect(writeJson(mapStrings(value, (text) => text.toUpperCase()))).toBe('{"A":[1.50],"B":"X"}');
  expect(plainView(Decimal.parse("1e3"))).toBe(1000);
});

test("what is looked at plainly is seen with JavaScript numbers, and is as exact as before when the look is over, or failed", () => {
  fc.assert(
    fc.property(jsonText, fc.boolean(), (text, fails) => {
      const [value, same] = [parseJson(text), parseJson(text)];
      for (let time = 1; time <= 2; time++) {
        let seen: string | undefined;
        const look = (plain: unknown): void => {
          seen = JSON.stringify(plain);
          if (fails) throw new Error("this look fails");
        };
        if (fails) expect(() => lookPlainly(value, look)).toThrow("this look fails");
        else lookPlainly(value, look);
        expect(seen).toBe(JSON.stringify(plainView(same)));
        expect(writeJson(value)).toBe(writeJson(same));
        expect(value).toEqual(same);
      }
    }),
  );
});

test.each(['{"constructor":1}', '{"a":-0,"constructor":1}', '{"a":1.5,"prototype":2e3}', '{"a":[{"__proto__":1.5}]}'])(
  "a key that would reach into JavaScript's own objects is refused, whatever is beside it: %s",
  (text) => {
    expect(() => parseJson(text)).toThrow(/is not allowed/);
  },
);
