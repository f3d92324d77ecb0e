// Conditions of Arazzo ignore the case of texts and treat '1' as 1. A pattern for the whole text does neither.

// Matches texts without characters that have a meaning in a pattern.
const PLAIN = String.raw`[\w @:-]+`;
const IS_PLAIN = new RegExp(`^${PLAIN}$`);
const WHOLE = new RegExp(String.raw`^\^(${PLAIN})\$$`);

/** Returns the pattern that matches only this text; `undefined` if the text contains characters with a meaning in a pattern. */
export function patternOfText(text: string): string | undefined {
  return IS_PLAIN.test(text) ? `^${text}$` : undefined;
}

/** Returns the text of a pattern that matches only one text. */
export function textOfPattern(pattern: string): string | undefined {
  return WHOLE.exec(pattern)?.[1];
}
