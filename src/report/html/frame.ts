import { hash } from "node:crypto";
import { VERSION } from "../../base/version.ts";
import { type Child, el, escapeHtml, type Markup, opening } from "./markup.ts";
import { type PageSection, wayTo } from "./parts/places.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** The parts of a page around its content. */
interface PageFrame {
  /** The title that a browser shows for the page, before the name of the program. */
  readonly title: string;
  /** The part above the content. If left out, only the choice of colors. */
  readonly above?: Markup;
  /** The text of the only script that may run in the page. If left out, the script of every page. */
  readonly script?: string;
  /** The section of a served page. Such a page may send requests and a form to its server; a page in a file may not. */
  readonly place?: PageSection;
}

/** Returns a whole page. Its policy allows only its own style and script, whatever the texts in it contain. Large content is given as pieces of HTML. */
export function* framed(
  { title, above = TOOLBAR, script = SCRIPT, place }: PageFrame,
  content: readonly Child[] | Generator<string>,
): Generator<string> {
  const policy = [
    "default-src 'none'",
    `style-src '${digest(STYLE)}'`,
    `script-src '${digest(script)}'`,
    "base-uri 'none'",
    ...(place === undefined ? ["form-action 'none'"] : ["connect-src 'self'", "form-action 'self'"]),
  ].join("; ");
  yield [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)} – tokenbook</title><style>${STYLE}</style></head>`,
  ].join("\n");
  yield `<body>${el("a", { class: "skip", href: "#main" }, "Skip to the report").html}${above.html}`;
  if (place !== undefined) yield wayTo(place).html;
  const main = { id: "main", tabindex: -1 };
  if ("next" in content) {
    yield opening("main", main);
    yield* content;
    yield "</main>";
  } else yield el("main", main, content).html;
  const footer = el("footer", {}, `tokenbook ${VERSION}. Times are UTC; each shows the exact time when you point at it.`);
  yield `${footer.html}<script>${script}</script></body></html>\n`;
}

/** Returns the button that chooses colors, for a toolbar. */
export function themeButton(): Markup {
  return el("button", { type: "button", class: "theme", "aria-label": "Colours: as the system has them" }, "◐");
}

const TOOLBAR = el("div", { class: "toolbar" }, themeButton());

/** Returns a part of a page under its title. */
export function section(title: string, content: Child, name: string | false = false): Markup {
  return el("section", { class: name }, el("h2", { class: "part" }, title), content);
}

function digest(text: string): string {
  return `sha256-${hash("sha256", text, "base64")}`;
}
