import { expect } from "vitest";
import type { Page } from "playwright-core";

/** A copy button: what is before it as a whole, and what lay on the clipboard after a click. */
export interface Copied {
  readonly kind: "command" | "hash";
  readonly text: string;
  readonly copied: string;
}

/** A button confirms for a moment only, which a busy machine would miss: this page's timers wait until the test lets them go. */
const HOLD_TIMERS = `{
  window.heldTimers = [];
  window.ownTimeout = window.setTimeout;
  window.setTimeout = (act) => window.heldTimers.push(act);
}`;
const LET_TIMERS_GO = "window.heldTimers.splice(0).forEach((act) => act())";
const FREE_TIMERS = "window.setTimeout = window.ownTimeout";

/** Where the browser refuses the clipboard, the page selects the text instead, and a person clicks again. */
const WATCH_REFUSALS = `{
  window.refusals = [];
  const write = navigator.clipboard.writeText.bind(navigator.clipboard);
  navigator.clipboard.writeText = (text) => write(text).catch((error) => {
    window.refusals.push(String(error));
    throw error;
  });
}`;

const PATIENCE = { timeout: 60_000 };
/** A busy browser may lose a click, or leave the clipboard without an answer: a person clicks again after so many milliseconds. */
const CLICK_AGAIN_MS = 5_000;

/** Opens everything on a page, clicks each of its copy buttons, and expects each to confirm it, visibly and to screen readers. */
export async function clickCopyButtons(page: Page): Promise<readonly Copied[]> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
  await page.evaluate(HOLD_TIMERS);
  await page.evaluate(WATCH_REFUSALS);
  const all: Copied[] = [];
  for (const button of await page.locator(".copy").all()) {
    const [face, label] = [(await button.textContent()) ?? "", await button.getAttribute("aria-label")];
    await page.evaluate("navigator.clipboard.writeText('nothing yet')");
    let clickedAt = 0;
    const click = async (): Promise<void> => {
      clickedAt = Date.now();
      await button.click();
    };
    await click();
    const confirmed = async (): Promise<string | null> => {
      const isRefused = await page.evaluate("window.refusals.splice(0).length > 0");
      const shown = await button.textContent();
      if (isRefused || (shown !== "✓" && Date.now() - clickedAt > CLICK_AGAIN_MS)) await click();
      return shown;
    };
    await expect.poll(confirmed, PATIENCE).toBe("✓");
    expect(await button.getAttribute("aria-label")).toBe("Copied");
    const holder = button.locator("..");
    const kind = (await holder.getAttribute("class")) as Copied["kind"];
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    all.push({ kind, text: (await holder.locator("code").textContent()) ?? "", copied });
    if (all.filter((each) => each.kind === kind).length > 1) continue;
    // Clicked once more while it confirms, it still gets its face back.
    await button.click();
    const afterwards = async (): Promise<readonly (string | null)[]> => {
      await page.evaluate(LET_TIMERS_GO);
      return Promise.all([button.textContent(), button.getAttribute("aria-label")]);
    };
    await expect.poll(afterwards, PATIENCE).toEqual([face, label]);
  }
  await page.evaluate(LET_TIMERS_GO);
  await page.evaluate(FREE_TIMERS);
  return all;
}
