import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changesBetween } from "../../../src/base/text/difference.ts";
import { jsonEquals, parseJson, writeJson } from "../../../src/base/json/json.ts";

function changes(is: string, wanted: string, limit?: number): readonly string[] {
  return changesBetween(parseJson(is), parseJson(wanted), limit).map(({ sign, path, ...values }) =>
    [sign, path, ...[values.is, values.wanted].flatMap((value) => (value === undefined ? [] : [writeJson(value)]))].join(" "),
  );
}

test.for([
  ["1.50", "1.5", []],
  ['{"a":1.50,"b":[1e1]}', '{"b":[10.0],"a":1.5}', []],
  ["1", "2", ["~  1 2"]],
  ['{"a":1,"b":{"c":[1,2]},"d":null}', '{"a":"1","b":{"c":[1,3]},"e":{}}', ['~ a 1 "1"', "~ b.c[1] 2 3", "- d null", "+ e {}"]],
  ['{"a b":{"":1}}', '{"a b":{"":2}}', ['~ ["a b"][""] 1 2']],
  ["[1,2,3,4]", "[1,3,4]", ["- [1] 2"]],
  ["[1,3,4]", "[1,2,3,4]", ["+ [1] 2"]],
  ['[{"id":1,"x":1},{"id":2}]', '[{"id":1,"x":2},{"id":2},{"id":3}]', ["~ [0].x 1 2", '+ [2] {"id":3}']],
  ["[]", "{}", ["~  [] {}"]],
  ["[[1,2],[3]]", "[[1],[3,4]]", ["- [0][1] 2", "+ [1][1] 4"]],
] as const)("the changes from %s to %s", ([is, wanted, expected]) => {
  expect(changes(is, wanted)).toEqual(expected);
});

test("only the first of many changes are shown", () => {
  const [is, wanted] = [1, 2].map((value) => JSON.stringify(Array.from({ length: 5_000 }, (_, at) => at * value)));
  expect(changes(is ?? "", wanted ?? "", 3)).toEqual(["~ [1] 1 2", "~ [2] 2 4", "~ [3] 3 6"]);
});

test("values differ exactly when there is a change to show", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      const [is, wanted] = [parseJson(JSON.stringify(left)), parseJson(JSON.stringify(right))];
      expect(changesBetween(is, wanted).length === 0).toBe(jsonEquals(is, wanted));
      expect(changesBetween(is, is)).toEqual([]);
    }),
    { seed: 20_261_121 },
  );
});
