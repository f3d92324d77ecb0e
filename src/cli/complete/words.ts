const QUOTES: ReadonlySet<string> = new Set(["'", '"']);

/**
 * Splits a command line that is being typed into words. The last one is the word at the cursor, which is empty after a space. Quotes and backslashes are
 * removed, and nothing is expanded.
 */
export function wordsOf(line: string): readonly string[] {
  const words = [""];
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? "";
    const isSpace = /\s/.test(char);
    if (quote === "" && isSpace && words.at(-1) !== "") words.push("");
    if (quote === "" && isSpace) continue;
    if (char === quote) quote = "";
    else if (quote === "" && QUOTES.has(char)) quote = char;
    else words.push((words.pop() ?? "") + (char === "\\" && quote !== "'" ? (line[++at] ?? "") : char));
  }
  return words;
}
