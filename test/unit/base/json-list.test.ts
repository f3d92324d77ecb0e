import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, parseJson, writeJson } from "../../../src/base/json/json.ts";
import { ListSplitter } from "../../../src/base/json/json-list.ts";
import { TextSet } from "../../../src/base/text/text-set.ts";

const BROKEN = Symbol("no JSON that we read");

function whole(text: string | Buffer): Json | typeof BROKEN {
  try {
    return parseJson(typeof text === "string" ? text : decoder.decode(text));
  } catch {
    return BROKEN;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a text that arrives in chunks, as an answer does: first its pieces, then the rest. */
function inPieces(bytes: Buffer, ends: readonly number[]): { readonly value: Json | typeof BROKEN; readonly pieces: number } {
  const records: Json[] = [];
  let pieces = 0;
  const splitter = new ListSplitter((piece) => {
    const read = whole(piece);
    if (!Array.isArray(read)) return false;
    records.push(...(read as readonly Json[]));
    pieces++;
    return true;
  });
  let begin = 0;
  for (const end of [...ends.map((each) => each % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    splitter.push(bytes.subarray(begin, end));
    begin = end;
  }
  const rest = whole(splitter.rest());
  if (pieces === 0) return { value: rest, pieces };
  return { value: Array.isArray(rest) ? [...records, ...(rest as readonly Json[])] : BROKEN, pieces };
}

function show(value: Json | typeof BROKEN): string {
  return value === BROKEN ? "broken" : writeJson(value);
}

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const plain = fc.constantFrom(
  "1",
  "-0.10",
  "1e400",
  "12345678901234567890.50",
  "null",
  "true",
  "1e99999",
  '"},{"',
  '"\\\\"',
  '"\\""',
  '"[{"',
);
const deep = fc.oneof(plain, fc.constantFrom(nested(60), nested(198), nested(199)));
const part = fc.oneof(
  deep,
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\u0091"', '"\\u0091"', '"é\u2028😀"'),
);
const name = fc.constantFrom('"a"', '"b"', '"__proto__"', '"a,{"', '"\\u0061"');
const space = fc.constantFrom("", " ", "\n\t", " ");

function newList(): fc.Arbitrary<string> {
  const field = fc.tuple(name, part).map(([key, value]) => `${key}:${value}`);
  const record = fc.array(field, { maxLength: 3 }).map((fields) => `{${fields.join(" ,")}}`);
  const item = fc.tuple(space, fc.oneof({ weight: 9, arbitrary: record }, part), space).map((parts) => parts.join(""));
  return fc
    .tuple(
      fc.constantFrom("", "\ufeff", " ", "\ufeff "),
      fc.array(item, { maxLength: 6 }),
      fc.constantFrom("", "", "", " ", "x", "[{},{}]", ",{}", "\ufeff"),
    )
    .map(([before, items, after]) => `${before}[${items.join(",")}]${after}`);
}

const list = newList();

/** Replaces up to three bytes with another text. Either may be empty, so this also inserts and deletes. */
const mutation = fc.tuple(
  fc.nat(),
  fc.nat(3),
  fc.constantFrom("", ",", "{", "}", "[", "]", '"', "\\", " ", "x", ",{}", "},{", "\ufeff", "\u0000"),
);

function mutated(bytes: Buffer, [place, length, text]: readonly [number, number, string]): Buffer {
  const at = place % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at + length)]);
}

test("a list that is read in pieces gives the same result as the whole list, even if it is broken", () => {
  let split = 0;
  fc.assert(
    fc.property(list, fc.array(mutation, { maxLength: 2 }), fc.array(fc.nat(), { maxLength: 8 }), (text, mutations, ends) => {
      const bytes = mutations.reduce(mutated, Buffer.from(text));
      const { value, pieces } = inPieces(bytes, ends);
      split += Math.min(pieces, 1);
      expect(show(value)).toBe(show(whole(bytes)));
    }),
    { numRuns: 1_000 },
  );
  expect(split).toBeGreaterThan(100);
});

test("a list is read in pieces even if each byte arrives alone", () => {
  const bytes = Buffer.from('[{"a":"é😀"} , {"a":[{},{}]},{}]');
  expect(inPieces(bytes, Array.from(bytes.keys()))).toEqual({ value: whole(bytes), pieces: 2 });
});

test("a list with invalid UTF-8, or with an object that has a name twice, is refused", () => {
  const garbled = Buffer.concat([Buffer.from('{"a":"Jos'), Buffer.from([0xe9]), Buffer.from('"}')]);
  for (const wrong of [garbled, Buffer.from('{"a":1,"b":{},"a":1}'), Buffer.from(String.raw`{"a":1,"\u0061":2}`)])
    for (const place of [0, 1, 5, 9]) {
      const records = Array.from({ length: 10 }, (_, at) => (at === place ? wrong : Buffer.from('{"a":1}')));
      const bytes = Buffer.concat([
        Buffer.from("["),
        ...records.flatMap((each, at) => (at === 0 ? [each] : [Buffer.from(","), each])),
        Buffer.from("]"),
      ]);
      for (const every of [1, 7, 20, bytes.length]) {
        const ends = Array.from(bytes.keys()).filter((at) => at % every === 0);
        expect(inPieces(bytes, ends).value, `${place} ${every}`).toBe(BROKEN);
      }
    }
});

test("memory holds only the record that is not complete yet, however long the list is", () => {
  let records = 0;
  const splitter = new ListSplitter((piece) => {
    records += (parseJson(piece) as readonly Json[]).length;
    return true;
  });
  splitter.push(Buffer.from("[{}"));
  const chunk = Buffer.from(`,{"id":"a"}`.repeat(1_000));
  for (let at = 0; at < 200; at++) {
    splitter.push(chunk);
    expect(splitter.heldBytes).toBeLessThan(50);
  }
  expect(records).toBe(200_000);
});

test("a list is split between records, even if a record looks like a part of another or has another first field", () => {
  const records = [
    ...Array.from({ length: 50 }, (_, at) => `{"id":${at},"parts":[{"a":1},{"id":"},{\\"id\\""},{"id":2}]}`),
    ...Array.from({ length: 9_000 }, (_, at) => `{"other":"${"x".repeat(at % 100)}","id":1}`),
    ...Array.from({ length: 50 }, () => `{"id":3}`),
  ];
  for (const some of [records, records.toReversed()]) {
    const bytes = Buffer.from(`[${some.join(",")}]`);
    const ends = Array.from({ length: 30 }, (_, at) => at * 20_000);
    const { value, pieces } = inPieces(bytes, ends);
    expect(pieces).toBeGreaterThan(5);
    expect(value).toEqual(whole(bytes.toString()));
  }
});

test("after a refused piece, the splitter holds only that piece", () => {
  const splitter = new ListSplitter(() => false);
  splitter.push(Buffer.from("[{1},{},"));
  for (let at = 0; at < 100; at++) splitter.push(Buffer.alloc(1_000, " "));
  expect(splitter.rest().toString()).toBe("[{1}]");
  expect(splitter.heldBytes).toBe(5);
});

test("a set of texts finds each of 200,000 similar texts, and no other", () => {
  const texts = new TextSet();
  const ids = function* (): Generator<string> {
    for (let at = 0; at < 100_000; at++) yield `account~T${at % 10}.user${at}.0`;
    for (let at = 0; at < 100_000; at++) yield String(at);
  };
  for (const id of ids()) if (!texts.add(id)) expect.fail(`${id} is new`);
  for (const id of ids()) if (texts.add(id)) expect.fail(`${id} is not new`);
});
