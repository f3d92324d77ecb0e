// Starts Debian's chromium for the tests and the screenshots.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { PATIENCE_MS } from "../patience.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether this machine has the browser. */
export const HAS_CHROMIUM: boolean = existsSync(CHROMIUM);

/** A browser with its own profile, which is deleted on closing. */
export interface Opened {
  readonly browser: BrowserContext;
  /** Opens another browser, in which no page's script runs. */
  readonly withoutScript: () => Promise<BrowserContext>;
  readonly close: () => Promise<void>;
}

export async function openBrowser(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-browser-"));
  const all: BrowserContext[] = [];
  const open = async (profile: string, javaScriptEnabled: boolean): Promise<BrowserContext> => {
    const context = await chromium.launchPersistentContext(join(folder, profile), {
      executablePath: CHROMIUM,
      args: FLAGS,
      headless: true,
      timeout: PATIENCE_MS,
      javaScriptEnabled,
      // With smooth scrolling, a button may move away from the pointer between the press and the release.
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(PATIENCE_MS);
    all.push(context);
    return context;
  };
  const browser = await open("first", true);
  return {
    browser,
    withoutScript: () => open("second", false),
    close: async () => {
      for (const context of all) await context.close();
      // A process of the browser may still write after the browser has closed.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
