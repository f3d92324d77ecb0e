/** Decodes the percent escapes in a text. A text with an invalid escape is returned unchanged, as browsers send it. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
