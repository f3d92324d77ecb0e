// npm run screenshots [-- FOLDER]: every page in each width and colour, and on paper; and the pictures of docs/images.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { htmlReport } from "../../src/report/html/page.ts";
import { openBrowser } from "./browser.ts";
import { PAGES, SERVED } from "./samples.ts";

const HEIGHT = "document.documentElement.scrollHeight";
const IMAGES = "docs/images";
const SCREEN = "test/unit/report/view/screens/middle-80.txt";
const TERMINAL =
  "margin:0;padding:24px;width:max-content;background:#16181d;color:#e6e6e6;font:15px/1.5 'DejaVu Sans Mono',monospace";

/** The terminal in the middle of a run, as a test of the live tree holds it: what stands between its two rules. */
function terminal(): string {
  const [, screen = ""] = readFileSync(SCREEN, "utf8").replace("hh:mm:ss", "10:35:00").split(/^─+\n/m); // the test knows no time zone
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
  await page.screenshot({ path: join(IMAGES, "report.png") });
  await page.goto("about:blank"); // the policy of the report would hold for what is set in its place
  await page.setContent(terminal());
  await page.locator("pre").screenshot({ path: join(IMAGES, "terminal.png") });
} finally {
  await close();
}
console.log(folder);
