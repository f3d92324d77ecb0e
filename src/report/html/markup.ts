import { withoutMarkup } from "../../base/text/entities.ts";
import { sanitise } from "../../base/text/text.ts";

/** The elements that a page may contain. There is no other way to make one. */
type ElementName =
  | "a"
  | "article"
  | "b"
  | "button"
  | "code"
  | "dd"
  | "details"
  | "div"
  | "dl"
  | "dt"
  | "footer"
  | "form"
  | "h1"
  | "h2"
  | "h3"
  | "header"
  | "input"
  | "label"
  | "li"
  | "main"
  | "nav"
  | "option"
  | "ol"
  | "p"
  | "pre"
  | "section"
  | "select"
  | "span"
  | "summary"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "time"
  | "tr"
  | "ul"
  | "svg"
  | "rect"
  | "line"
  | "path"
  | "circle"
  | "text"
  | "title";

type AttributeName =
  | "class"
  | "id"
  | "href"
  | "open"
  | "datetime"
  | "title"
  | "scope"
  | "role"
  | "type"
  | "for"
  | "tabindex"
  | "placeholder"
  | "autocomplete"
  | "name"
  | "value"
  | "action"
  | "selected"
  | "checked"
  | `aria-${string}`
  | `data-${string}`
  | "viewBox"
  | "preserveAspectRatio"
  | "x"
  | "y"
  | "x1"
  | "x2"
  | "y1"
  | "y2"
  | "cx"
  | "cy"
  | "r"
  | "d"
  | "width"
  | "height";
type Attributes = { readonly [Name in AttributeName]?: string | number | boolean };

/** Our own HTML, in which every text has been escaped. */
export class Markup {
  /** The HTML text. */
  readonly html: string;

  /** Called only in this module. */
  constructor(html: string) {
    this.html = html;
  }
}

/** The content of an element. Texts are escaped, and `undefined` is left out. */
export type Child = Markup | string | undefined | readonly Child[];

// No element of SVG is void: an unclosed one would contain everything after it.
const VOID: ElementName = "input";

/** Returns an element. Attributes that are `false` or `undefined` are left out. */
export function el(name: ElementName, attributes: Attributes, ...children: readonly Child[]): Markup {
  const written = Object.entries(attributes)
    .map(([key, value]) => attribute(key, value))
    .join("");
  const closing = name === VOID ? "" : `${inside(children)}</${name}>`;
  return new Markup(`<${name}${written}>${closing}`);
}

/** Returns the opening tag of an element whose content is written in pieces. */
export function opening(name: ElementName, attributes: Attributes): string {
  return el(name, attributes).html.slice(0, -`</${name}>`.length);
}

function attribute(name: string, value: string | number | boolean | undefined): string {
  if (value === undefined || value === false) return "";
  return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
}

function inside(child: Child): string {
  if (child === undefined) return "";
  if (child instanceof Markup) return child.html;
  if (typeof child === "string") return escapeHtml(child);
  let text = "";
  for (const each of child) text += inside(each);
  return text;
}

/** Rounds a number of a drawing, which needs few decimals. */
export function rounded(value: number, decimals: 1 | 2): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/**
 * Escapes text. This is the only place that does. The result contains nothing that a browser, or a log with the page, would obey, and makes invisible
 * characters visible.
 */
export function escapeHtml(text: string): string {
  const escaped = withoutMarkup(sanitise(text.toWellFormed()));
  return escaped.replaceAll(/##(?=\w*\[)/g, "#&#35;").replaceAll(/^([^\S\n]*):(?=:)/gm, "$1&#58;");
}
