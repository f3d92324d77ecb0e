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
    // Texts that contain what looks like our mark for numbers.
    fc
      .array(fc.constantFrom(":", ",", "[", "]", "}", '"', " ", "\\", "1.5", "-2e3", "\u0091"), { maxLength: 8 })
      .map((parts) => JSON.stringify(parts.join(""))),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(key, tie("value")), { maxLength: 4, selector: ([name]) => name })
      .map((entries) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`),
  ),
})).value;

// JavaScript puts keys that look like array indexes first. The order of keys means nothing in JSON.
function hasIndexKey(text: string): boolean {
  return /"\d+":/.test(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("any JSON text that is read is written unchanged", () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      fc.pre(!hasIndexKey(text));
      expect(writeJson(parseJson(text))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("digits that a JavaScript number would lose are kept", () => {
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

test("an object that has a name twice is refused, at any depth and in any spelling", () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"a":1,"a":1}', "a"],
    ['[{"b":{"a" : 1, "c":[], "a"\n:2}}]', "a"],
    [String.raw`{"a":1,"\u0061":2}`, "a"],
    [String.raw`{"x\"":":","y":1,"x\"":2}`, 'x"'],
    ['{"a":1.5,"a":12345678901234567890,"b":"\u0091"}', "a"],
    ['{"":1,"":2}', ""],
    ['{"0":1,"1":2,"0":3}', "0"],
    ['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2,"a":3}]}', "a"],
  ];
  for (const [text, name] of cases)
    expect(() => parseJson(text), text).toThrow(new SyntaxError(`the name ${JSON.stringify(name)} is twice in one object`));
  for (const text of [
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"a":":\\":","b":"{\\"a\\":1}"}',
    String.raw`{"\\":"\\","\"":1}`,
    '":"',
  ])
    expect(writeJson(parseJson(text))).toBe(text);
});

test("a repeated name is found beside a number of any length", () => {
  for (let digits = 1; digits <= 18; digits++)
    for (const number of [
      "9".repeat(digits),
      `1${"0".repeat(digits - 1)}`,
      `-${"9".repeat(digits)}`,
      `${"9".repeat(digits)}.5`,
    ]) {
      expect(writeJson(parseJson(`[{"":${number}}]`))).toBe(`[{"":${number}}]`);
      expect(() => parseJson(`[{"":${number},"":0}]`), number).toThrow(SyntaxError);
      expect(() => parseJson(`[{"":0,"":${number}}]`), number).toThrow(SyntaxError);
    }
});

test("a repeated name in an object is found in any JSON text", () => {
  fc.assert(
    fc.property(jsonText, key, fc.nat(), fc.constantFrom("", " ", "\n"), (text, name, at, space) => {
      const twice = `${space}${JSON.stringify(name)}${space}:0`;
      // A comma at the end of a text is not a place where a name can go.
      const places = [...text.matchAll(/"(?:[^"\\]|\\.)*"|([{,])(?=")/g)].flatMap(({ 1: sign, index }) =>
        sign === undefined ? [] : index + 1,
      );
      const place = places[at % Math.max(1, places.length)] ?? 0;
      const whole = places.length === 0 ? `{${twice},${twice}}` : `${text.slice(0, place)}${twice},${twice},${text.slice(place)}`;
      fc.pre(isJson(whole));
      expect(() => parseJson(whole)).toThrow(SyntaxError);
    }),
    { numRuns: 500 },
  );
});

test("a text that is nested too deeply is refused before it is parsed", () => {
  expect(() => parseJson("[".repeat(100_000))).toThrow("nested deeper than 200 levels");
  expect(() => parseJson(`${"[".repeat(5)}1${"]".repeat(5)}`, 4)).toThrow("nested deeper than 4 levels");
  expect(parseJson(`"${"[".repeat(1_000)}"`)).toBe("[".repeat(1_000));
  expect(() => parseJson(`{"a":"\\"","b":${"[".repeat(300)}`)).toThrow(RangeError);
});

test("a number with too many digits is refused, not rounded", () => {
  expect(() => parseJson("1".repeat(1_001))).toThrow(RangeError);
  expect(() => parseJson("1e1001")).toThrow(RangeError);
});

test("JSON values are compared without their spelling and the order of names", () => {
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

test("a plain look sees JavaScript numbers, and afterwards the value is exact again, even if the look failed", () => {
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
  "a key that reaches into JavaScript's own objects is refused, whatever is beside it: %s",
  (text) => {
    expect(() => parseJson(text)).toThrow(/is not allowed/);
  },
);
