// Just enough XML to hold a report to its word: it is well-formed, and these are its elements.

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const TOKEN =
  /<\?xml [^?]*\?>|<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|<\/[\w.-]+>|<[\w.-]+(?:\s+[\w.-]+="[^"<]*")*\s*\/?>|[^<]+/y;
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/;
// oxlint-disable-next-line no-control-regex -- what XML 1.0 cannot carry
const ILLEGAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** The elements of a document in order. Throws when it is not well-formed. */
export function elementsOf(xml: string): readonly Element[] {
  if (ILLEGAL.test(xml)) throw new Error(`a character that XML cannot carry, at ${xml.search(ILLEGAL)}`);
  const elements: Element[] = [];
  const open: string[] = [];
  for (let at = 0; at < xml.length;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(xml)?.[0];
    if (token === undefined) throw new Error(`no XML at ${at}: ${xml.slice(at, at + 80)}`);
    at += token.length;
    take(token, { elements, open });
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(", ")}`);
  return elements;
}

function take(token: string, { elements, open }: { elements: Element[]; open: string[] }): void {
  if (token.startsWith("<?") || token.startsWith("<!")) return;
  if (ENTITY.test(token)) throw new Error(`an ampersand that is no entity: ${token}`);
  if (!token.startsWith("<")) {
    if (token.includes("]]>") || (open.length === 0 && token.trim() !== "")) throw new Error(`text where none may be: ${token}`);
    return;
  }
  const name = /[\w.-]+/.exec(token)?.[0] ?? "";
  if (token.startsWith("</")) {
    if (open.pop() !== name) throw new Error(`${token} closes nothing`);
    return;
  }
  elements.push({
    name,
    attributes: Object.fromEntries([...token.matchAll(/([\w.-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value])),
  });
  if (!token.endsWith("/>")) open.push(name);
}
