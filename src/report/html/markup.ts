import { withoutMarkup } from "../../base/text/entities.ts";
import { sanitise } from "../../base/text/text.ts";

/** The elements that a page is made of; there is no other way to make one. */
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

/** HTML that is ours: every text in it went through the escaper. */
export class Markup {
  /** The text as a page has it. */
  readonly html: string;

  /** For this module alone. */
  constructor(html: string) {
    this.html = html;
  }
}

/** The content of an element: a text is escaped, `undefined` is nothing. */
export type Child = Markup | string | undefined | readonly Child[];

// Of SVG none is: what is not closed there would hold all that follows.
const VOID: ElementName = "input";

/** An element; attributes that are `false` or `undefined` are left out. */
export function el(name: ElementName, attributes: Attributes, ...children: readonly Child[]): Markup {
  const written = Object.entries(attributes)
    .map(([key, value]) => attribute(key, value))
    .join("");
  const closing = name === VOID ? "" : `${inside(children)}</${name}>`;
  return new Markup(`<${name}${written}>${closing}`);
}

/** Where an element begins, for one whose content is written piece by piece. */
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

/** A number of a drawing, which needs so many decimals only. */
export function rounded(value: number, decimals: 1 | 2): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** The one escaper: nothing in the text is obeyed by a browser, or by a log in which the page is printed, and what cannot be seen is shown. */
export function escapeHtml(text: string): string {
  const escaped = withoutMarkup(sanitise(text.toWellFormed()));
  return escaped.replaceAll(/##(?=\w*\[)/g, "#&#35;").replaceAll(/^([^\S\n]*):(?=:)/gm, "$1&#58;");
}
