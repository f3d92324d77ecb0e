import { Decimal } from "../base/numbers/decimal.ts";
import { LIMITS } from "../base/limits.ts";
import { type Json, writeJson } from "../base/json/json.ts";
import { count } from "../base/text/text.ts";
import type { HeldCondition, HeldConditions, HeldValue } from "../protocol/record.ts";
import { cut, oneLine } from "./formats/foreign-text.ts";
import { shortJson } from "./steps/value.ts";

const SHOWN = 3;
// Together with the text before a line, this makes 100 columns.
const WIDTH = 96;
const VALUE_CHARS = 40;
const WHOLE_CHARS = 2_000;
// The bar keeps foreign text from beginning a line.
const BELOW = "  | ";

/** Returns the conditions of a step that held, each with its values. Unless `isWhole`, returns only the first ones, each cut to one line. */
export function heldLines(held: HeldConditions | null, isWhole: boolean): readonly string[] {
  if (held === null) return [];
  const shown = isWhole ? held.shown : held.shown.slice(0, SHOWN);
  const more = held.total - shown.length;
  const lines = shown.flatMap(isWhole ? wholeLines : shortLines);
  return more > 0 ? [...lines, `and ${more} more that ${more === 1 ? "holds" : "hold"}`] : lines;
}

function shortLines(condition: HeldCondition): readonly string[] {
  const text = cut(textOf(condition), WIDTH);
  const values = valuesText(condition.values);
  if (values === "") return [text];
  const line = `${text}  (${values})`;
  if (line.length <= WIDTH) return [line];
  // The number of items in a list is not worth a line.
  const isCount = condition.values.every((part) => !("value" in part) || Array.isArray(part.value));
  return isCount ? [text] : [text, cut(`${BELOW}${values}`, WIDTH)];
}

// If both sides are equal, one value is enough, and a single part need not be named again.
function valuesText(values: readonly HeldValue[]): string {
  const [first] = values;
  if (first !== undefined && new Set(values.map(exactText)).size === 1) return valueText(first);
  return values.map((part) => `${oneLine(part.expression)} = ${valueText(part)}`).join(", ");
}

function exactText(part: HeldValue): string {
  if (!("value" in part)) return part.summary;
  return part.value instanceof Decimal ? part.value.canonical() : writeJson(part.value);
}

function valueText(part: HeldValue): string {
  if (!("value" in part)) return oneLine(part.summary);
  const { value } = part;
  const isLong = Array.isArray(value) && writeJson(value).length > VALUE_CHARS;
  return isLong ? count((value as readonly Json[]).length, "item") : oneLine(shortJson(value, VALUE_CHARS), WHOLE_CHARS);
}

function wholeLines(condition: HeldCondition): readonly string[] {
  const texts = condition.values.map((part) => {
    const value = "value" in part ? shortJson(part.value, LIMITS.heldValueChars) : part.summary;
    return oneLine(`${part.expression} = ${value}`, WHOLE_CHARS);
  });
  const text = textOf(condition);
  const line = texts.length === 0 ? text : `${text}  (${texts.join(", ")})`;
  return line.length <= WIDTH ? [line] : [text, ...texts.map((each) => `${BELOW}${each}`)];
}

function textOf({ keyword, expression }: HeldCondition): string {
  return `✓ ${keyword} ${oneLine(expression, WHOLE_CHARS)}`;
}
