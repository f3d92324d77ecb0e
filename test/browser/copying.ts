import { expect } from "vitest";
import type { Locator, Page } from "playwright-core";

/** A copy button: what is before it as a whole, and what a click copied. */
export interface Copied {
  readonly kind: "command" | "hash";
  readonly text: string;
  readonly copied: string | undefined;
}

/**
 * A step that comes into view for the first time is laid out with the next frame. On a busy machine that one comes between the press of
 * a button and its release, and moves the button away below the pointer: so all is laid out before the first click.
 */
const LAY_OUT_ALL = `{
  document.querySelectorAll("details").forEach((each) => { each.open = true; });
  document.querySelectorAll(".step").forEach((each) => { each.style.contentVisibility = "visible"; });
}`;

/**
 * What is copied goes to a list of this page: the clipboard of a busy browser may refuse it, or leave it without an answer.
 * A button confirms for a moment only, which a busy machine would miss: this page's timers wait until the test lets them go.
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

/** What a button shows, and what it is called to screen readers. */
async function faceOf(button: Locator): Promise<readonly (string | null)[]> {
  return [await button.textContent(), await button.getAttribute("aria-label")];
}

/** Opens everything on a page, clicks each of its copy buttons, and expects each to confirm it, visibly and to screen readers. */
export async function clickCopyButtons(page: Page): Promise<readonly Copied[]> {
  await page.evaluate(LAY_OUT_ALL);
  await page.evaluate(PREPARE);
  const all: Copied[] = [];
  for (const button of await page.locator(".copy").all()) {
    const face = await faceOf(button);
    await button.click();
    expect(await faceOf(button)).toEqual(["✓", "Copied"]);
    // Clicked once more while it confirms, it still gets its face back.
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
