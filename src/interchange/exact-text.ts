// Conditions of Arazzo compare texts without regard to case, and take '1' for 1. A pattern of the whole text does neither.

// No character of it means something in a pattern.
const PLAIN = String.raw`[\w @:-]+`;
const IS_PLAIN = new RegExp(`^${PLAIN}$`);
const WHOLE = new RegExp(String.raw`^\^(${PLAIN})\$$`);

/** Returns the pattern that only this text matches; `undefined` for a text with characters that mean something in a pattern. */
export function patternOfText(text: string): string | undefined {
  return IS_PLAIN.test(text) ? `^${text}$` : undefined;
}

/** Returns the text of a pattern that only one text matches. */
export function textOfPattern(pattern: string): string | undefined {
  return WHOLE.exec(pattern)?.[1];
}
