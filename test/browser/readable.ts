// What every page must be: readable for everybody, on phones and large screens, in light and dark colours.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { isNightly } from "../sizes.ts";

const [NARROW, WIDE] = [400, 1_280];

// A finding depends on the width or on the colours. By day two looks cover each width and each colour scheme; at night all four run.
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

/** Expects that axe finds nothing on a page and that the page needs no sideways scrolling: narrow and wide, light and dark. */
export async function expectReadable(page: Page): Promise<void> {
  for (const { width, colorScheme } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await expectNoFinding(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  }
}

/** Expects that axe finds nothing on a page in its current state. */
export async function expectNoFinding(page: Page): Promise<void> {
  // Axe must also load into a page that has an element or a variable with one of axe's names.
  await page.evaluate(`if (window.axe === undefined) { const module = undefined; ${axe.source} }`);
  const found = await page.evaluate<readonly unknown[]>(
    `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
  );
  expect(found).toEqual([]);
}
