// npm run screenshots [-- FOLDER]: every page in each width and colour, and on paper; and the picture of docs/reports.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { htmlReport } from "../../src/report/html/page.ts";
import { openBrowser } from "./browser.ts";
import { PAGES, SERVED } from "./samples.ts";

const HEIGHT = "document.documentElement.scrollHeight";
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
      // What is not on the screen is not drawn.
      if (name !== "long") await page.setViewportSize({ width, height: await page.evaluate(HEIGHT) });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    if (name !== "long") await page.pdf({ path: join(folder, `${name}.pdf`), format: "A4" });
  }
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  await page.setViewportSize({ width: 1100, height: 1_000 });
  await page.goto(pathToFileURL(join(folder, "failed.html")).href);
  await page.screenshot({ path: join(folder, "report.png") });
} finally {
  await close();
}
console.log(folder);
