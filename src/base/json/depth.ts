const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns how deep the brackets of a JSON text nest. It counts without a parser, which would exhaust the stack first, and stops one level
 * after `enough`.
 */
export function bracketDepth(text: string, enough: number): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (quoted) {
      if (char === BACKSLASH) at++;
      else if (char === QUOTE) quoted = false;
    } else if (char === QUOTE) {
      quoted = true;
    } else if (char === 0x5b || char === 0x7b) {
      deepest = Math.max(deepest, ++depth);
      if (deepest > enough) return deepest;
    } else if (char === 0x5d || char === 0x7d) {
      depth--;
    }
  }
  return deepest;
}
