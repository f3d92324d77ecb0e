/** An element of a parsed document. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

const NAME = /[A-Za-z_][\w.-]*/y;
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Parses the part of XML that reports use. Throws if a text is not well-formed. */
export function parseXml(text: string): Element {
  if (ILLEGAL.test(text)) throw new SyntaxError("an illegal character");
  const parser = new Parser(text);
  parser.take(/<\?xml version="1\.0" encoding="UTF-8"\?>\s*/y);
  const root = parser.element();
  parser.take(/\s*$/y);
  return root;
}

/** Returns every element of a document, in the order in which they begin. */
export function elementsOf(text: string): readonly Element[] {
  return within(parseXml(text));
}

function within(element: Element): readonly Element[] {
  return [element, ...element.children.flatMap(within)];
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(pattern: RegExp): RegExpExecArray {
    const match = this.#try(pattern);
    if (match === null)
      throw new SyntaxError(`no ${pattern} at ${this.#at}: ${JSON.stringify(this.#text.slice(this.#at, this.#at + 60))}`);
    return match;
  }

  element(): Element {
    this.take(/</y);
    const name = this.take(NAME)[0];
    const attributes: Record<string, string> = {};
    for (let match = this.#attribute(); match !== null; match = this.#attribute()) {
      const [, key = "", value = ""] = match;
      if (Object.hasOwn(attributes, key)) throw new SyntaxError(`${key} twice`);
      attributes[key] = decode(value);
    }
    if (this.#try(/\s*\/>/y) !== null) return { name, attributes, children: [], text: "" };
    this.take(/\s*>/y);
    const inside = this.#content();
    this.take(new RegExp(`</${name}>`, "y"));
    return { name, attributes, ...inside };
  }

  #attribute(): RegExpExecArray | null {
    return this.#try(/\s+([A-Za-z_][\w.-]*)="([^"<]*)"/y);
  }

  #content(): { children: Element[]; text: string } {
    const children: Element[] = [];
    let text = "";
    for (;;) {
      const cdata = this.#try(/<!\[CDATA\[([^]*?)\]\]>/y);
      const plain = cdata === null ? this.#try(/[^<]+/y) : null;
      if (plain?.[0].includes("]]>") === true) throw new SyntaxError("]]> outside of CDATA");
      if (cdata !== null) text += cdata[1] ?? "";
      else if (plain !== null) text += decode(plain[0]);
      else if (this.#text.startsWith("</", this.#at)) return { children, text };
      else children.push(this.element());
    }
  }

  #try(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }
}

function decode(text: string): string {
  return text.replaceAll(/&([^;]*);?/g, (whole, name: string) => {
    const code = /^#(?:x([0-9A-Fa-f]+)|(\d+))$/.exec(name);
    const char =
      code === null
        ? ENTITIES[name]
        : String.fromCodePoint(code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16));
    if (char === undefined || ILLEGAL.test(char) || !whole.endsWith(";")) throw new SyntaxError(`a bad reference: ${whole}`);
    return char;
  });
}
