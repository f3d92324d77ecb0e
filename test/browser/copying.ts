import { expect } from "vitest";
import type { Locator, Page } from "playwright-core";

/** A copy button: the text before it, and what a click copied. */
export interface Copied {
  readonly kind: "command" | "hash";
  readonly text: string;
  readonly copied: string | undefined;
}

/**
 * The browser lays out a step in the frame after the step first comes into view. On a busy machine that frame may fall between the press
 * of a button and its release, and move the button away from the pointer. So everything is laid out before the first click.
 */
const LAY_OUT_ALL = `{
  document.querySelectorAll("details").forEach((each) => { each.open = true; });
  document.querySelectorAll(".step").forEach((each) => { each.style.contentVisibility = "visible"; });
}`;

/**
 * Copied texts go to a list of the page, because the clipboard of a busy browser may refuse them, or never answer.
 * A busy machine would miss the button's short confirmation, so the page's timers wait until the test releases them.
 */
const PREPARE = `{
  window.copied = [];
  navigator.clipboard.writeText = async (text) => void window.copied.push(text);
  window.heldTimers = [];
  window.ownTimeout = window.setTimeout;
  window.setTimeout = (act) => window.heldTimers.push(act);
}`;
const COPIED = "window.copied.splice(0)";
const LET_TIMERS_GO = "window.heldTimers.splice(0).forEach((act) => act())";
const FREE_TIMERS = "window.setTimeout = window.ownTimeout";

/** Returns what a button shows, and its name for screen readers. */
async function faceOf(button: Locator): Promise<readonly (string | null)[]> {
  return [await button.textContent(), await button.getAttribute("aria-label")];
}

/** Opens everything on a page and clicks each copy button. Expects each to confirm the click, visibly and to screen readers. */
export async function clickCopyButtons(page: Page): Promise<readonly Copied[]> {
  await page.evaluate(LAY_OUT_ALL);
  await page.evaluate(PREPARE);
  const all: Copied[] = [];
  for (const button of await page.locator(".copy").all()) {
    const face = await faceOf(button);
    await button.click();
    expect(await faceOf(button)).toEqual(["✓", "Copied"]);
    // A second click during the confirmation must not change the face to which the button returns.
    await button.click();
    await page.evaluate(LET_TIMERS_GO);
    expect(await faceOf(button)).toEqual(face);
    const [copied, again, ...more] = await page.evaluate<readonly string[]>(COPIED);
    expect([again, more]).toEqual([copied, []]);
    const holder = button.locator("..");
    const kind = (await holder.getAttribute("class")) as Copied["kind"];
    all.push({ kind, text: (await holder.locator("code").textContent()) ?? "", copied });
  }
  await page.evaluate(FREE_TIMERS);
  return all;
}
