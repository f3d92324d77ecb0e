// What every page must be: readable for everybody, on a phone and on a screen, by day and by night.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { isNightly } from "../sizes.ts";

const [NARROW, WIDE] = [400, 1_280];

// A finding comes from the width or from the colours, so by day each of them is looked at once, and at night all four together.
const LOOKS = [
  { width: NARROW, colorScheme: "light" },
  { width: WIDE, colorScheme: "dark" },
  ...(isNightly
    ? ([
        { width: WIDE, colorScheme: "light" },
        { width: NARROW, colorScheme: "dark" },
      ] as const)
    : []),
] as const;

/** Expects that axe finds nothing on a page, and that it needs no scrolling to the side: narrow and wide, light and dark. */
export async function expectReadable(page: Page): Promise<void> {
  for (const { width, colorScheme } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await expectNoFinding(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  }
}

/** Expects that axe finds nothing on a page as it is shown now. */
export async function expectNoFinding(page: Page): Promise<void> {
  // A page that has an element or a variable of axe's names must not get in its way.
  await page.evaluate(`if (window.axe === undefined) { const module = undefined; ${axe.source} }`);
  const found = await page.evaluate<readonly unknown[]>(
    `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
  );
  expect(found).toEqual([]);
}
