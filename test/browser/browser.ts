// Debian's chromium, as the tests and the screenshots use it.
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

/** Whether there is a browser on this machine. */
export const HAS_CHROMIUM: boolean = existsSync(CHROMIUM);

/** A browser with a profile of its own, which goes away with it. */
export interface Opened {
  readonly browser: BrowserContext;
  /** Another one, in which no page's script runs. */
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
      // A page that scrolls smoothly moves away below the pointer between the press of a button and its release.
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
      // A process of the browser may write once more after it has closed.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
