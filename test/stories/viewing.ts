// `tokenbook view`, as an HTTP client sees it.
import { expect, onTestFinished } from "vitest";
import type { Project } from "./world.ts";

export interface Viewed {
  /** The address that the command printed: the list of all runs. */
  readonly url: URL;
  /** Requests a page by its path below the folder of all pages, such as `drifts/`. */
  readonly get: (path: string, method?: string) => Promise<Response>;
}

/** Starts `tokenbook view` in a separate process, until the test is over. */
export async function viewing(project: Project, ...args: string[]): Promise<Viewed> {
  const running = project.start("view", "--json", ...args);
  onTestFinished(async () => {
    await running.signal("SIGINT");
    expect((await running.ended).code).toBe(0);
  });
  const [line = ""] = await running.lines(1);
  const url = new URL((JSON.parse(line) as { url: string }).url);
  return {
    url,
    get: (path, method = "GET") => fetch(new URL(`../${path}`, url), { method, redirect: "manual" }),
  };
}

/** Returns every page that links reach from the first page and from these other pages, by address. */
export async function everyPage({ url, get }: Viewed, ...others: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const root = new URL("..", url).href;
  const pages = new Map<string, string>();
  const waiting = ["runs/", ...others];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const answer = await get(path);
    const text = await answer.text();
    expect(answer.status, `${path}: ${text.slice(0, 200)}`).toBe(200);
    pages.set(path, text);
    for (const [, link = ""] of text.matchAll(/ (?:href|action)="([^"#]+)/g)) {
      const { href } = new URL(link.replaceAll("&amp;", "&"), root + path);
      expect([path, link, href.startsWith(root)], "a link leads to these pages only").toEqual([path, link, true]);
      if (!href.endsWith("/compare/")) waiting.push(href.slice(root.length));
    }
  }
  return pages;
}
