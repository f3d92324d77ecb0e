// npm run screenshots [-- FOLDER]: takes every page in each width and colour scheme, and on paper, and the pictures of docs/images.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { htmlReport } from "../../src/report/html/pages/page.ts";
import { openBrowser } from "./browser.ts";
import { pictured } from "./pictures.ts";
import { PAGES, SERVED } from "./samples.ts";

const HEIGHT = "document.documentElement.scrollHeight";
const IMAGES = "docs/images";
const TERMINAL =
  "margin:0;padding:24px;width:max-content;background:#16181d;color:#e6e6e6;font:15px/1.5 'DejaVu Sans Mono',monospace";

/** Returns a page that shows what a terminal shows. */
function terminal(screen: string): string {
  return `<body style="margin:0"><pre style="${TERMINAL}">${screen.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`;
}

const folder = resolve(process.argv[2] ?? "screenshots");
mkdirSync(folder, { recursive: true });

const { browser, close } = await openBrowser();
try {
  const page = await browser.newPage();
  const reports = Object.entries(PAGES).map(([name, make]) => [name, () => htmlReport(make())] as const);
  for (const [name, pieces] of [...reports, ...Object.entries(SERVED)]) {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, [...pieces()].join(""));
    await page.goto(pathToFileURL(file).href);
    for (const [width, colorScheme] of [
      [1280, "light"],
      [1280, "dark"],
      [400, "light"],
    ] as const) {
      await page.emulateMedia({ colorScheme, media: "screen" });
      await page.setViewportSize({ width, height: 900 });
      // The browser draws only what is on the screen.
      if (name !== "long") await page.setViewportSize({ width, height: await page.evaluate(HEIGHT) });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    if (name !== "long") await page.pdf({ path: join(folder, `${name}.pdf`), format: "A4" });
  }
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  await page.setViewportSize({ width: 1100, height: 1_000 });
  const { report, screen } = await pictured();
  writeFileSync(join(folder, "pictured.html"), report);
  await page.goto(pathToFileURL(join(folder, "pictured.html")).href);
  await page.screenshot({ path: join(IMAGES, "report.png") });
  await page.goto("about:blank"); // otherwise the report's policy would apply to the page that replaces it
  await page.setContent(terminal(screen));
  await page.locator("pre").screenshot({ path: join(IMAGES, "terminal.png") });
} finally {
  await close();
}
console.log(folder);
