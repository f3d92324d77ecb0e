import { DATE_PATTERN } from "../base/time/date.ts";
import { NUMERAL_PATTERN, UNSIGNED_PATTERN } from "../base/numbers/decimal.ts";
import { DURATION_PATTERN, DURATION_RULE, meantDuration } from "../base/time/duration.ts";
import { ENTITY_PATTERN } from "../base/entity.ts";
import { STEP_ID } from "../base/text/step-id.ts";
import { TAG_PATTERN } from "../base/text/tag.ts";

// Schemas have patterns. People get a rule in words, and the text that they probably meant.

const NUMERAL_OR_DATE = `${NUMERAL_PATTERN}|${DATE_PATTERN}`;
const NUMERALS: readonly string[] = [NUMERAL_PATTERN, UNSIGNED_PATTERN, NUMERAL_OR_DATE];

const RULES: ReadonlyMap<string, string> = new Map([
  [DURATION_PATTERN, DURATION_RULE],
  [NUMERAL_PATTERN, "must be a number, such as 100 or 0.25"],
  [UNSIGNED_PATTERN, "must be a number from 0 on, such as 100 or 0.25"],
  [NUMERAL_OR_DATE, "must be a number or a date, such as 100, 0.25 or 2026-12-31"],
  [ENTITY_PATTERN, "must be an entity: an attribute and its value, such as userId:alice"],
  [
    STEP_ID,
    "must be small letters, digits and _, beginning with a letter; not in, true, false, null, checks, constructor or prototype",
  ],
  [TAG_PATTERN, "must be a tag: letters, digits, _ . and -, beginning with a letter or a digit"],
]);

/** Returns the rule of one of our patterns in words; `undefined` if the schema's description contains the rule. */
export function ruleOf(pattern: string): string | undefined {
  return RULES.get(pattern);
}

const MOST_CHARS = 100;

/** Returns the text that a person probably meant by a text that a pattern refuses. */
export function meantBy(text: string, pattern: string): string | undefined {
  if (text.length > MOST_CHARS) return undefined;
  const shape = new RegExp(pattern);
  return candidatesFor(text, pattern).find((candidate) => candidate !== "" && candidate !== text && shape.test(candidate));
}

function candidatesFor(text: string, pattern: string): readonly string[] {
  if (pattern === DURATION_PATTERN) return [meantDuration(text) ?? ""];
  // Replacing other signs would change the amount.
  return NUMERALS.includes(pattern) ? [unspaced(text)] : namesOf(text);
}

function namesOf(text: string): readonly string[] {
  const words = text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  const camel = words.map((word, at) => (at === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1));
  return [
    words.join("_").toLowerCase(),
    camel.join(""),
    unspaced(text),
    ...(words.length === 1 ? [`userId:${text}`, `${text}_1`.toLowerCase()] : []),
    words.join("-"),
  ];
}

function unspaced(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
