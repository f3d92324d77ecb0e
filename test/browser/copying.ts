import { expect } from "vitest";
import type { Page } from "playwright-core";

/** A copy button: what is before it as a whole, and what lay on the clipboard after a click. */
export interface Copied {
  readonly kind: "command" | "hash";
  readonly text: string;
  readonly copied: string;
}

/** Longer than any button confirms. */
const MOMENT_MS = 60_000;
const PATIENCE = { timeout: 20_000 };

/** Opens everything on a page, clicks each of its copy buttons, and expects each to confirm it, visibly and to screen readers. */
export async function clickCopyButtons(page: Page): Promise<readonly Copied[]> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
  // A button confirms for a moment only, which a busy machine would miss: the page's time is stopped until the test moves it on.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + MOMENT_MS);
  const all: Copied[] = [];
  for (const button of await page.locator(".copy").all()) {
    const [face, label] = [(await button.textContent()) ?? "", await button.getAttribute("aria-label")];
    await page.evaluate("navigator.clipboard.writeText('nothing yet')");
    await button.click();
    await expect.poll(() => button.textContent(), PATIENCE).toBe("✓");
    expect(await button.getAttribute("aria-label")).toBe("Copied");
    const holder = button.locator("..");
    const kind = (await holder.getAttribute("class")) as Copied["kind"];
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    all.push({ kind, text: (await holder.locator("code").textContent()) ?? "", copied });
    if (all.filter((each) => each.kind === kind).length > 1) continue;
    // Clicked once more while it confirms, it still gets its face back.
    await button.click();
    await page.clock.runFor(MOMENT_MS);
    await expect.poll(() => button.textContent(), PATIENCE).toBe(face);
    expect(await button.getAttribute("aria-label")).toBe(label);
  }
  return all;
}
