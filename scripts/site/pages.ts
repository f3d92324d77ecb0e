// Converts Markdown to HTML pages: headings with anchors, links between pages, and code that can be copied.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import markdownit from "markdown-it";

/** A page of the site. */
export interface SitePage {
  /** Its Markdown file, relative to the root of the repository. */
  readonly source: string;
  /** Its path in the site. */
  readonly path: string;
  readonly title: string;
  readonly body: string;
  readonly headings: readonly Heading[];
}

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
  /** The first words below it, for the search. */
  readonly begins: string;
}

const SOURCES = [
  "README.md",
  "docs/*.md",
  "docs/internals/*.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
];

/** Returns the pages, and the other files that they link to. */
export function readPages(root: string): { readonly pages: readonly SitePage[]; readonly files: readonly string[] } {
  const sources = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted());
  const files = new Set<string>();
  const pages = sources.map((source) => pageOf(root, source, files));
  return { pages, files: [...files].toSorted() };
}

/** Returns the path of a Markdown file's page. */
export function pathOf(source: string): string {
  return source === "README.md" ? "index.html" : source.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html");
}

/** Returns the anchor of a heading as common renderers do. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");
}

function pageOf(root: string, source: string, files: Set<string>): SitePage {
  const text = readFileSync(join(root, source), "utf8").replace(/^<!--.*-->\n+/, "");
  const markdown = markdownit({ html: true });
  const tokens = markdown.parse(text, {});
  const headings: Heading[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const raw = tokens[at + 1]?.content ?? "";
      const words = plain(raw);
      const below = tokens.slice(at + 3).find(({ type }) => type === "inline" || type === "heading_open");
      const begins = below?.type === "inline" ? plain(below.content).slice(0, 160) : "";
      headings.push({ level: Number(token.tag.slice(1)), id: anchorOf(raw), text: words, begins });
      token.attrSet("id", anchorOf(raw));
    }
    for (const child of token.children ?? []) {
      const name = child.type === "link_open" ? "href" : child.type === "image" ? "src" : undefined;
      const target = name && child.attrGet(name);
      if (name !== undefined && typeof target === "string") child.attrSet(name, linkFrom(root, source, target, files));
    }
  }
  markdown.renderer.rules["fence"] = (all, at) => codeBlock(all[at]?.info ?? "", all[at]?.content ?? "");
  markdown.renderer.rules["table_open"] = () => '<div class="table" tabindex="0"><table>\n';
  markdown.renderer.rules["table_close"] = () => "</table></div>\n";
  // In some tables, the first column has no heading.
  const body = markdown.renderer.render(tokens, markdown.options, {}).replaceAll("<th></th>", "<td></td>");
  return { source, path: pathOf(source), title: headings[0]?.text ?? source, body, headings };
}

function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*\\]/g, "");
}

function linkFrom(root: string, source: string, target: string, files: Set<string>): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  let file = normalize(join(dirname(source), path)).replace(/\/$/, "");
  const isFolder = statSync(join(root, file)).isDirectory();
  if (isFolder && existsSync(join(root, file, "README.md"))) file = join(file, "README.md");
  if (!file.endsWith(".md")) files.add(file);
  const there = file.endsWith(".md") ? pathOf(file) : join(file, isFolder ? "index.html" : "");
  return relative(dirname(pathOf(source)), there) + (anchor === undefined ? "" : `#${anchor}`);
}

/** Returns a block of code with a button that copies it. For a console, the button copies the commands without their output. */
function codeBlock(info: string, text: string): string {
  const [language = "", ...marks] = info.split(" ");
  const commands = text.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
  const copied = language === "console" ? commands.join("\n") : text.trimEnd();
  const file = marks.find((mark) => mark.startsWith("file="))?.slice("file=".length);
  const label = file ?? { console: "Terminal", sh: "Shell", yaml: "YAML", json: "JSON" }[language] ?? "Text";
  const lines = text.trimEnd().split("\n");
  const shown = language === "console" ? lines.map(consoleLine).join("\n") : escaped(text.trimEnd());
  return `<figure class="code ${escaped(language)}"><figcaption>${escaped(label)}<button type="button" hidden data-copy="${escaped(copied)}">Copy</button></figcaption><pre tabindex="0"><code>${shown}</code></pre></figure>\n`;
}

function consoleLine(line: string): string {
  if (line.startsWith("$ ")) return `<span class="line command"><span class="prompt">$ </span>${escaped(line.slice(2))}</span>`;
  const mark = /^( *)([✓▶✗])(.*)$/u.exec(line);
  const inside = mark === null ? escaped(line) : `${mark[1]}<span class="mark">${mark[2]}</span>${escaped(mark[3] ?? "")}`;
  return `<span class="line">${inside}</span>`;
}

/** Escapes a text for HTML. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
