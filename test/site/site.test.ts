// Tests the documentation site as a reader sees it: from a folder, without a server, in a browser.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeSite } from "../../scripts/site/site.ts";
import { HAS_CHROMIUM, openBrowser, type Opened } from "../browser/browser.ts";

const folder = mkdtempSync(join(tmpdir(), "tokenbook-site-"));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** One page of each kind: the first page, a guide, and the longest references. */
const LOOKED_AT = ["index.html", "docs/install.html", "docs/cli.html", "docs/errors.html", "docs/internals/index.html"];
let opened: Opened | undefined;

beforeAll(async () => {
  writeSite(folder);
  opened = HAS_CHROMIUM ? await openBrowser() : undefined;
});

afterAll(async () => {
  await opened?.close();
  rmSync(folder, { recursive: true, force: true });
});

const addressOf = (page: string): string => pathToFileURL(join(folder, page)).href;

function idsOf(file: string): ReadonlySet<string> {
  return new Set([...readFileSync(file, "utf8").matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id));
}

test("every link of every page leads to a page, a file or a heading", () => {
  const pages = globSync("**/*.html", { cwd: folder });
  expect(pages.length).toBeGreaterThan(40);
  const ids = new Map(pages.map((page) => [join(folder, page), idsOf(join(folder, page))]));
  let followed = 0;
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(folder, page), "utf8").matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link = ""]) => {
      if (/^(?:https?|mailto):/.test(link)) return [];
      followed++;
      const [path = "", anchor] = link.split("#");
      const file = path === "" ? join(folder, page) : join(folder, dirname(page), path);
      const isThere = existsSync(file) && (anchor === undefined || (ids.get(file)?.has(anchor) ?? false));
      return isThere ? [] : [`${page} → ${link}`];
    }),
  );
  expect(broken).toEqual([]);
  expect(followed).toBeGreaterThan(2_000);
});

test("no page loads anything from elsewhere, and llms.txt names only existing Markdown files", () => {
  for (const page of globSync("**/*.html", { cwd: folder }))
    expect(readFileSync(join(folder, page), "utf8")).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="https?:/);
  const llms = readFileSync(join(folder, "llms.txt"), "utf8");
  const named = [...llms.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
});

test.runIf(HAS_CHROMIUM)(
  "pages have no accessibility finding and fit into 420, 800 and 1280 pixels, in light and dark colours",
  async () => {
    const page = await (opened as Opened).browser.newPage();
    for (const path of LOOKED_AT) {
      await page.goto(addressOf(path));
      await page.addStyleTag({ content: "* { animation: none !important }" });
      await page.evaluate(AXE);
      for (const [width, colorScheme] of [
        [420, "light"],
        [800, "dark"],
        [1280, "light"],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate("document.documentElement.scrollWidth"), `${path} at ${width}`).toBeLessThanOrEqual(width);
        // Checking the contrast of thousands of equal table cells takes minutes. The first page and the guide have all the colours.
        const rules = path === "index.html" || path === "docs/install.html" ? {} : { "color-contrast": { enabled: false } };
        const found = await page.evaluate(
          `axe.run({ rules: ${JSON.stringify(rules)} }).then((r) => r.violations.map((v) => v.id + ": " + v.nodes[0].html.slice(0, 200)))`,
        );
        expect(found, `${path} at ${width}, ${colorScheme}`).toEqual([]);
      }
    }
  },
);

test.runIf(HAS_CHROMIUM)("the search finds a heading, and a copy button copies a command without its output", async () => {
  const { browser } = opened as Opened;
  const page = await browser.newPage();
  await page.goto(addressOf("docs/reports.html"));
  await page.getByRole("searchbox").fill("tokenbook resume");
  const first = page.locator(".search li a").first();
  expect(await first.textContent()).toContain("tokenbook resume");
  await first.click();
  await page.waitForURL(/docs\/cli\.html#tokenbook-resume$/);
  await page.goto(addressOf("index.html"));
  await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
  await page.locator(".console button").last().click();
  expect(await page.evaluate("window.copied")).toBe("tokenbook resume");
});

test.runIf(HAS_CHROMIUM)("without scripts a page is complete, and shows no search and no buttons", async () => {
  const context = await (opened as Opened).withoutScript();
  const page = await context.newPage();
  await page.goto(addressOf("index.html"));
  expect(await page.locator("main").textContent()).toContain("attempt 1: applied, as read back");
  expect([await page.locator("button:visible").count(), await page.locator(".search:visible").count()]).toEqual([0, 0]);
  await page.getByRole("link", { name: "Install", exact: true }).first().click();
  expect(relative(folder, new URL(page.url()).pathname)).toBe("docs/install.html");
  await context.close();
});
