// `tokenbook view`, as whoever asks it over HTTP sees it.
import { expect, onTestFinished } from "vitest";
import type { Project } from "./world.ts";

export interface Viewed {
  /** With the token. */
  readonly url: URL;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Response>;
}

/** `tokenbook view` in a process of its own, until the test is over. */
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
    get: (path, headers = {}, method = "GET") => fetch(new URL(path, url.origin), { headers, method, redirect: "manual" }),
  };
}

/** Every page to which links lead from the first one, and from these others; by address. */
export async function everyPage({ url, get }: Viewed, ...others: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const authorization = `Bearer ${url.searchParams.get("token") ?? ""}`;
  const pages = new Map<string, string>();
  const waiting = ["/", ...others];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const answer = await get(path, { authorization });
    const text = await answer.text();
    expect(answer.status, `${path}: ${text.slice(0, 200)}`).toBe(200);
    pages.set(path, text);
    for (const [, link = ""] of text.matchAll(/ href="(\/[^"#]*)/g)) waiting.push(link.replaceAll("&amp;", "&"));
  }
  return pages;
}
