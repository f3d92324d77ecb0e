import type { ValueDifference } from "../../base/text/difference.ts";
import { type Json, writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";

function spellValue(value: Json): string {
  const text = writeJson(value);
  return text.length <= LIMITS.editedChars ? text : `${text.slice(0, LIMITS.editedChars)}…`;
}

/** Spells a change of a value for people, with its path and both values. */
export function spellChange({ sign, path, is, wanted }: ValueDifference): string {
  const [was, becomes] = [is, wanted].map((value) => spellValue(value ?? null));
  if (sign === "+") return `${path} is new: ${becomes}`;
  return sign === "-" ? `${path} was removed; it was ${was}` : `${path} was changed from ${was} to ${becomes}`;
}
