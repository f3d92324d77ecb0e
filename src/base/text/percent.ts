/** Returns what a text with percent escapes means. A text with an escape that means nothing is returned as it is, as browsers send it. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
