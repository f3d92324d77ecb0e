const QUOTES: ReadonlySet<string> = new Set(["'", '"']);

/**
 * The words of a command line as it is being typed, the last one being the one at the cursor: empty behind a space. Quotes and backslashes are taken off;
 * nothing is expanded.
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
