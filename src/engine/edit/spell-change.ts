import type { ValueDifference } from "../../base/text/difference.ts";
import { writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { shortened } from "../../base/text/text.ts";

/** Spells a change of a value for people, with its path and both values. */
export function spellChange({ sign, path, is, wanted }: ValueDifference): string {
  const [was, becomes] = [is, wanted].map((value) => shortened(writeJson(value ?? null), LIMITS.editedChars));
  if (sign === "+") return `${path} is new: ${becomes}`;
  return sign === "-" ? `${path} was removed; it was ${was}` : `${path} was changed from ${was} to ${becomes}`;
}
