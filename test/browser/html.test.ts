import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { reportOf } from "../../src/report/model.ts";
import { htmlReport } from "../../src/report/html/pages/page.ts";
import type { RunReport } from "../../src/report/shape.ts";
import { temporaryFolder } from "../stories/world.ts";
import { TRANSACTION } from "../unit/report/records.ts";
import { hostileRun } from "../unit/report/hostile.ts";
import { HAS_CHROMIUM, openBrowser, type Opened } from "./browser.ts";
import { clickCopyButtons } from "./copying.ts";
import { longRun, PAGES } from "./samples.ts";
import { isNightly } from "../sizes.ts";
import { expectReadable } from "./readable.ts";

/** Enough steps to show that the browser lays out only what is on the screen. At night there are more. */
const STEPS = isNightly ? 10_000 : 2_000;

if (!HAS_CHROMIUM)
  process.stderr.write("\nno chromium: the tests of pages in a browser are skipped (apt-get install chromium)\n");

describe.skipIf(!HAS_CHROMIUM)("in a browser", () => {
  let opened: Opened;
  let browser: BrowserContext;
  beforeAll(async () => {
    opened = await openBrowser();
    browser = opened.browser;
  });
  afterAll(() => opened.close());

  /** Opens a page of these reports, and returns its complaints and its requests to the network. */
  async function show(reports: readonly RunReport[]): Promise<{ page: Page; complaints: readonly string[] }> {
    const file = join(temporaryFolder(), "report.html");
    writeFileSync(file, [...htmlReport(reports)].join(""));
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
    page.on("request", (request) => {
      if (request.url() !== pathToFileURL(file).href) complaints.push(request.url());
    });
    await page.goto(pathToFileURL(file).href);
    return { page, complaints };
  }

  async function visibleSteps(page: Page): Promise<readonly string[]> {
    return page.locator(".step:not([hidden]) > summary .what b").allTextContents();
  }

  test.each(Object.keys(PAGES).filter((name) => name !== "long"))("the report %s has no accessibility finding", async (name) => {
    const { page, complaints } = await show(PAGES[name]?.() ?? []);
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    await expectReadable(page);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 680, height: 900 });
    const cutOff = `[...document.querySelectorAll(".wide")].filter((each) => each.scrollWidth > each.clientWidth).length`;
    expect(await page.evaluate(cutOff)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("the keyboard alone reaches the search, moves through the steps, and opens and closes one", async () => {
    const { page } = await show(PAGES["failed"]?.() ?? []);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the report");
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("search");
    await page.keyboard.type("approvals bob");
    await expect.poll(() => visibleSteps(page)).toEqual(["approvals[bob]"]);
    expect(await page.locator(".shown").textContent()).toBe("1 of 5 rows");
    await page.keyboard.press("Escape");
    expect(await visibleSteps(page)).toHaveLength(5);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate("document.activeElement.querySelector('b').textContent")).toBe("mint");
    await page.keyboard.press("Enter");
    const mint = page.locator(".step", { hasText: "sent 2 times" });
    expect(await mint.getAttribute("open")).not.toBeNull();
    expect(await mint.locator(".attempt > .outcome").allTextContents()).toEqual(["Attempt 1: absent", "Attempt 2: applied"]);
    await page.keyboard.press("Enter");
    expect(await mint.getAttribute("open")).toBeNull();
    await page.keyboard.press("ArrowUp");
    expect(await page.evaluate("document.activeElement.querySelector('b').textContent")).toBe("asset");
  });

  test("the report filters by outcome, and announces it to screen readers", async () => {
    const { page } = await show(PAGES["failed"]?.() ?? []);
    const failed = page.getByRole("button", { name: "failed" });
    await failed.click();
    expect(await visibleSteps(page)).toEqual(["owned"]);
    expect(await failed.getAttribute("aria-pressed")).toBe("true");
    expect(await page.getByRole("status").textContent()).toBe("1 of 5 rows");
    await page.getByRole("button", { name: "changed" }).click();
    expect(await visibleSteps(page)).toHaveLength(5);
  });

  test("the report has the colours of the system until the reader chooses others", async () => {
    const { page } = await show(PAGES["passed"]?.() ?? []);
    const background = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await background();
    await page.emulateMedia({ colorScheme: "light" });
    const light = await background();
    expect(light).not.toBe(dark);
    const theme = page.getByRole("button", { name: /^Colours/ });
    await theme.click();
    await theme.click();
    expect(await background()).toBe(dark);
    expect(await theme.getAttribute("aria-label")).toBe("Colours: dark");
    await page.emulateMedia({ media: "print" });
    expect(await background()).toBe(light);
  });

  test("a link to a step opens it", async () => {
    const { page } = await show(PAGES["unknown"]?.() ?? []);
    await page.evaluate("document.querySelectorAll('.step').forEach((each) => { each.open = false; })");
    await page.locator(".concerns a").click();
    expect(await page.locator(".step[open] > summary b").allTextContents()).toEqual(["mint"]);
  });

  test("each copy button copies the whole id or command before it, and confirms it", async () => {
    const seen = [];
    for (const name of ["failed", "nested"]) {
      const { page, complaints } = await show(PAGES[name]?.() ?? []);
      seen.push(...(await clickCopyButtons(page)));
      expect(complaints).toEqual([]);
    }
    for (const { text, copied } of seen) expect(copied).toBe(text);
    const commands = seen.filter(({ kind }) => kind === "command").map(({ copied }) => copied);
    expect(new Set(commands)).toEqual(new Set(["tokenbook resume 20261121T0930-k3x9q2ab"]));
    // The hash appears in the table of writes, in the sentence of evidence there, and in the step.
    const ids = seen.filter(({ kind }) => kind === "hash").map(({ copied }) => copied);
    expect(new Set(ids)).toEqual(new Set([TRANSACTION]));
    expect(ids.length).toBeGreaterThan(6);
  });

  test("if the clipboard is refused, a copy button selects the text", async () => {
    const { page } = await show(PAGES["failed"]?.() ?? []);
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))");
    await page.locator(".command .copy").first().click();
    await expect.poll(() => page.evaluate("String(getSelection())")).toBe("tokenbook resume 20261121T0930-k3x9q2ab");
    expect(await page.locator(".command .copy").first().textContent()).toBe("Copy");
  });

  test("the table of writes names the transaction of each write, and has that column only if there is a transaction", async () => {
    const { page } = await show([PAGES["failed"]?.(), PAGES["refused"]?.()].flatMap((reports) => reports ?? []));
    const [settled, refused] = await page.locator(".writes table").all();
    expect(await settled?.locator("th[scope=col]").last().textContent()).toBe("Transaction");
    const mints = settled?.locator("tr", { hasText: "ledger.token.mint" }) ?? expect.fail();
    expect(await mints.locator("td:last-child").allTextContents()).toEqual(["", `${TRANSACTION}Copy`]);
    expect(await refused?.locator("th[scope=col]").last().textContent()).toBe("Evidence");
  });

  test("without JavaScript the whole report can be read, and shows no control", async () => {
    const quiet = await opened.withoutScript();
    const page = await quiet.newPage();
    onTestFinished(() => quiet.close());
    await page.setContent([...htmlReport(PAGES["failed"]?.() ?? [])].join(""));
    expect(await page.locator(".toolbar").isVisible()).toBe(false);
    expect(await visibleSteps(page)).toEqual(["asset", "mint", "approvals[bob]", "approvals[dora]", "owned"]);
    expect(await page.getByText("response.totalSupply → 90.00").isVisible()).toBe(true);
    await page.locator(".step > summary").first().click();
    expect(await page.locator(".step .attempt").first().isVisible()).toBe(true);
  });

  test("foreign text in a report runs and loads nothing, even if it is HTML", async () => {
    const attack = `"><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)><a href="javascript:alert(4)">x</a></style></title>`;
    const { page, complaints } = await show([reportOf(hostileRun(attack).all)]);
    expect(await page.locator("img, iframe, form, [onerror], [onload], [style]").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(1);
    expect(await page.locator("h1").textContent()).toContain("<img src=x onerror=alert(1)>");
    expect(complaints).toEqual([]);
    // Even if the escaper failed, the policy would still hold.
    await page.evaluate(
      'document.body.insertAdjacentHTML(\'beforeend\', \'<img src="data:," onerror="alert(5)"><b style="color:red">x</b>\')',
    );
    await expect
      .poll(() => complaints.filter((each) => each.includes("Content Security Policy")).length)
      .toBeGreaterThanOrEqual(2);
    expect(complaints.filter((each) => !each.includes("Content Security Policy"))).toEqual([]);
  });

  test("a report of thousands of steps lays out only the visible ones, and finds any of them", async () => {
    const { page, complaints } = await show([longRun(STEPS)]);
    expect(await page.locator(".step").count()).toBe(STEPS);
    const drawn = `[...document.querySelectorAll(".step > summary > .what")].filter((each) => each.checkVisibility({ contentVisibilityAuto: true })).length`;
    expect(await page.evaluate(drawn)).toBeLessThan(500);
    await page.keyboard.press("/");
    await page.keyboard.type("step1777 ");
    await expect.poll(() => page.locator(".shown").textContent()).toBe(`1 of ${STEPS} rows`);
    expect(await visibleSteps(page)).toEqual(["step1777"]);
    expect(complaints).toEqual([]);
  });
});
