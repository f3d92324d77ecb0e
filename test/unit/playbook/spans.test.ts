import { expect, test } from "vitest";
import { spansIn, wholeExpression } from "../../../src/playbook/expressions/expression-spans.ts";

const textsIn = (text: string): readonly string[] => [...spansIn(text)].map((span) => span.text);

test.for([
  ["a ${{ b }} c ${{ d }}", [" b ", " d "]],
  ['${{ {"a": {"b": 1}} }}', [' {"a": {"b": 1}} ']],
  ['${{{"a": 1}}}', ['{"a": 1}']],
  ['${{ "}}" }} ${{ \'{"\' }}', [' "}}" ', " '{\"' "]],
  ['${{ "\\"}}" }}', [' "\\"}}" ']],
  ['${{ r"\\" }} }}', [' r"\\" ']],
  ['${{ """ " }} """ }}', [' """ " }} """ ']],
  ['${{ bar + "x" }}', [' bar + "x" ']],
  ["${{}}", [""]],
  ["${{ } }}", [" } "]],
  ["${{ 'a }} b ${{ c }}", [" 'a ", " c "]],
  ["${{ a", []],
  ["a }} b", []],
] as const)("the expressions of %s are found", ([text, found]) => {
  expect(textsIn(text)).toEqual(found);
});

test("an expression is whole if nothing is around it, not even a space", () => {
  expect(wholeExpression('${{ {"a": {}}  }}')?.text).toBe(' {"a": {}}  ');
  for (const text of [" ${{ a }}", "${{ a }} ", "${{ a }}\n"]) expect(wholeExpression(text)).toBeUndefined();
  expect(wholeExpression("${{ a }} ${{ b }}")).toBeUndefined();
  expect(wholeExpression("x${{ a }}")).toBeUndefined();
});

test("a long text of expressions that never close is read fast", () => {
  const text = '${{ "'.repeat(200_000);
  expect(textsIn(text)).toEqual([]);
  expect(textsIn(`${text}}}`)).toHaveLength(1);
});
