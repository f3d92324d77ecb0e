const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

/** Returns how many names the objects of a valid JSON text have, counting repeated names each time. */
export function namesIn(text: string): number {
  let names = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === COLON) names++;
    else if (char === QUOTE) at = closingQuote(text, at);
  }
  return names;
}

/** Returns the first name that one object of a valid JSON text has twice; `undefined` for none. */
export function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "{" || char === "[") open.push(new Set());
    else if (char === "}" || char === "]") open.pop();
    else if (char === '"') {
      const end = closingQuote(text, at);
      const own = open.at(-1);
      if (isFollowedByColon(text, end) && own !== undefined) {
        const name = JSON.parse(text.slice(at, end + 1)) as string;
        if (own.size === own.add(name).size) return name;
      }
      at = end;
    }
  }
  return undefined;
}

/** Returns the offset of the quote that ends a text of JSON; the length of all of it if none does. */
export function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

function isFollowedByColon(text: string, quote: number): boolean {
  let at = quote + 1;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}
