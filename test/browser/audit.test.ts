import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { reportOf } from "../../src/report/model.ts";
import { temporaryFolder } from "../stories/world.ts";
import { hostileAudit, hostileRun } from "../unit/report/hostile.ts";
import { HAS_CHROMIUM, openBrowser } from "./browser.ts";
import { expectReadable } from "./readable.ts";

const TEXT = '"><img src=x onerror=alert(1)> a text that is long enough to need several lines on a phone';

describe.skipIf(!HAS_CHROMIUM)("in a browser", () => {
  test("the page for auditors has no accessibility finding on a screen, a phone and paper, and needs no script", async () => {
    const { browser, withoutScript, close } = await openBrowser();
    onTestFinished(close);
    const file = join(temporaryFolder(), "audit.html");
    writeFileSync(file, [...hostileAudit(reportOf(hostileRun(TEXT).all), TEXT)].join(""));
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
    page.on("request", (request) => complaints.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    expect(complaints).toEqual([pathToFileURL(file).href]);
    await expectReadable(page);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 680, height: 900 });
    const cutOff = `[...document.querySelectorAll(".wide")].filter((each) => each.scrollWidth > each.clientWidth).length`;
    expect(await page.evaluate(cutOff)).toBe(0);

    const plain = await (await withoutScript()).newPage();
    await plain.goto(pathToFileURL(file).href);
    expect(await plain.locator("svg").count()).toBe(2);
    expect(await plain.locator(".toolbar").isVisible()).toBe(false);
  });
});
