// npm run site [-- FOLDER]: writes the documentation as static pages, which need neither a server nor a network.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { escaped, pathOf, readPages, type SitePage } from "./pages.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const HERE = fileURLToPath(new URL("./", import.meta.url));
const REPOSITORY = readFileSync(join(ROOT, "README.md"), "utf8");

/** Writes the site into a folder that contains nothing else. */
export function writeSite(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const { pages, files } = readPages(ROOT);
  const groups = groupsOf(pages);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const page of pages) write(page.path, page.path === "index.html" ? landing(page) : ordinary(page, groups));
  for (const file of files) {
    cpSync(join(ROOT, file), join(folder, file), { recursive: true });
    if (statSync(join(ROOT, file)).isDirectory()) write(join(file, "index.html"), listing(file));
  }
  for (const asset of ["site.css", "site.js"]) write(asset, readFileSync(join(HERE, asset), "utf8"));
  write("search.js", `window.PAGES = ${JSON.stringify(searchIndex(pages))};\n`);
  write("llms.txt", llms(groups));
  // Assistants read the Markdown sources of the pages.
  for (const { source } of pages) if (source.startsWith("docs/")) cpSync(join(ROOT, source), join(folder, source));
}

interface Group {
  readonly name: string;
  readonly entries: readonly { readonly title: string; readonly page: SitePage }[];
}

/** Returns the groups in the table at the end of the README, which are the site's navigation. */
function groupsOf(pages: readonly SitePage[]): readonly Group[] {
  const table = REPOSITORY.split("## Read on")[1] ?? "";
  return [...table.matchAll(/^\| ([a-z ]+) \| (.*) \|$/gm)].map(([, name = "", cell = ""]) => ({
    name,
    entries: [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = "", target = ""]) => {
      const page = pages.find(({ source }) => source === target);
      if (page === undefined) throw new Error(`README.md names ${target}, which is no page`);
      return { title: title.replaceAll("`", ""), page };
    }),
  }));
}

function searchIndex(pages: readonly SitePage[]): readonly object[] {
  return pages.flatMap(({ path, title: page, headings }) =>
    headings.map(({ text, id, begins }) => ({ title: text, page, address: `${path}#${id}`, begins })),
  );
}

// Writes the format of https://llmstxt.org: a heading, a summary, and links to Markdown.
function llms(groups: readonly Group[]): string {
  const [, summary = ""] = /^# tokenbook\n\n([\s\S]*?)\n\n/m.exec(REPOSITORY) ?? [];
  const sections = groups.map(({ name, entries }) => {
    const inside = entries.filter(({ page }) => page.source.startsWith("docs/"));
    return `## ${name}\n\n${inside.map(({ title, page }) => `- [${title}](${page.source}): ${page.headings[0]?.begins ?? ""}`).join("\n")}\n`;
  });
  return `# tokenbook\n\n> ${summary.replaceAll("\n", " ").replaceAll("**", "")}\n\n${sections.join("\n")}`;
}

function ordinary(page: SitePage, groups: readonly Group[]): string {
  const to = (path: string): string => relative(dirname(page.path), path);
  const lists = groups.map(({ name, entries }) => {
    const items = entries.map(({ title, page: { path } }) => {
      const current = path === page.path ? ' aria-current="page"' : "";
      return `<li><a href="${to(path)}"${current}>${escaped(title)}</a></li>`;
    });
    return `<h2>${escaped(name)}</h2><ul>${items.join("")}</ul>`;
  });
  const side = `<nav class="side" aria-label="Pages"><div>${lists.join("")}</div></nav>`;
  return frame(page, `${page.title} – tokenbook`, `<div class="frame">${side}<main id="main">${page.body}</main></div>`);
}

/** Returns the first page: the README, with its demonstration as a recording, and with its uses side by side. */
function landing(page: SitePage): string {
  const sections = page.body.split(/(?=<h2 )/);
  const section = (id: string): string => {
    const found = sections.find((each) => each.startsWith(`<h2 id="${id}"`));
    if (found === undefined) throw new Error(`README.md has no section #${id}`);
    return found;
  };
  const demonstration = section("kill-it-then-resume");
  const consoles = [...demonstration.matchAll(/<pre tabindex="0"><code>(<span class="line command">[\s\S]*?)<\/code><\/pre>/g)];
  let at = 0;
  const lines = consoles.map(([, code = ""]) => code).join("\n");
  const recorded = lines.replaceAll('<span class="line', () => `<span style="--at:${at++}" class="line`);
  const uses = section("three-uses").replaceAll(
    /<li>\s*(?:<p>)?<strong>([^<]*?)\.?<\/strong>([\s\S]*?)(?:<\/p>)?\s*<\/li>/g,
    "<div><h3>$1</h3><p>$2</p></div>",
  );
  const grid = uses.replace("<ul>", '<div class="uses">').replace("</ul>", "</div>");
  const hero = `<div class="hero"><h1>At most once, and never silently</h1>
<p class="lead">${/<h1[^>]*>.*?<\/h1>\s*<p>([\s\S]*?)<\/p>/.exec(page.body)?.[1] ?? ""}</p>
<p class="actions"><a class="first" href="${pathOf("docs/install.md")}">Install</a><a href="${pathOf("docs/first-playbook.md")}">Write a first playbook</a><a href="${pathOf("docs/guarantee.md")}">Read the guarantee</a></p>
<figure class="code console"><figcaption>The process is killed after the ledger committed the mint. resume finds it there, and does not send it again.</figcaption><pre tabindex="0"><code>${recorded}</code></pre></figure></div>`;
  const rest = ["the-promise", "install", "kill-it-then-resume", "compared-with-other-tools", "read-on"].map(section);
  return frame(
    page,
    "tokenbook – at most once, and never silently",
    `<main id="main" class="wide">${hero}${grid}${rest.join("")}</main>`,
  );
}

/** Returns the page that lists the files of a folder. */
function listing(folder: string): string {
  const files = globSync("**/*.*", { cwd: join(ROOT, folder) }).toSorted();
  const items = files.map((file) => `<li><a href="${escaped(file)}">${escaped(file)}</a></li>`);
  const body = `<main id="main" class="wide"><h1>${escaped(folder)}</h1><ul>${items.join("")}</ul></main>`;
  return frame({ path: join(folder, "index.html") }, `${folder} – tokenbook`, body);
}

function frame(page: Pick<SitePage, "path">, title: string, inside: string): string {
  const to = (path: string): string => relative(dirname(page.path), path);
  const up = to("x").slice(0, -1);
  const links = [
    ["Install", "docs/install.md"],
    ["First playbook", "docs/first-playbook.md"],
    ["Language", "docs/language.md"],
    ["Commands", "docs/cli.md"],
  ].map(([name = "", source = ""]) => `<a href="${to(pathOf(source))}">${name}</a>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>
<link rel="stylesheet" href="${to("site.css")}"><script defer src="${to("search.js")}"></script><script defer src="${to("site.js")}"></script></head>
<body><a class="skip" href="#main">Skip to the text</a>
<header><a class="name" href="${to("index.html")}">tokenbook</a><nav class="links" aria-label="First pages">${links.join("")}</nav>
<form class="search" role="search" hidden data-root="${up}"><input type="search" placeholder="Search" aria-label="Search the documentation"><ul hidden></ul></form></header>
${inside}
<footer>Apache-2.0 · <a href="${to(pathOf("SECURITY.md"))}">Security</a> · <a href="${to(pathOf("CHANGELOG.md"))}">Changes</a></footer></body></html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? "site");
  writeSite(folder);
  console.log(folder);
}
