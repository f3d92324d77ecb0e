import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { proxyTo } from "../stories/proxy.ts";
import { approvalPlaybook, approveAsBob, MINT_ONCE, newProject, type Project, runIn, sandboxProcess } from "../stories/world.ts";
import { HAS_CHROMIUM, openBrowser, type Opened } from "./browser.ts";

interface Viewed {
  /** With the token. */
  readonly url: URL;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Response>;
}

/** `tokenbook view` in a process of its own, until the test is over. */
async function viewing(project: Project): Promise<Viewed> {
  const running = project.start("view", "--json");
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

async function twoRuns(): Promise<{ project: Project; ids: readonly [string, string] }> {
  const service = await sandboxProcess();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("mint.yaml", MINT_ONCE);
  const first = runIn(await project.run("run", "mint.yaml"));
  project.write("mint.yaml", MINT_ONCE.replace("totalSupply == 10]", "totalSupply == 11]"));
  const second = await project.run("run", "mint.yaml");
  expect(second.code, second.told).toBe(1);
  return { project, ids: [first, runIn(second)] };
}

test("only whoever has the token is shown anything, and only by this server's own name", async () => {
  const { project, ids } = await twoRuns();
  const { url, get } = await viewing(project);
  expect(url.hostname).toBe("127.0.0.1");
  const token = url.searchParams.get("token") ?? "";
  expect((await get("/")).status).toBe(401);
  expect((await get("/?token=wrong")).status).toBe(401);
  expect((await get("/", { authorization: "Bearer wrong" })).status).toBe(401);
  const opened = await get(`/?token=${token}&outcome=failed`);
  expect(opened.status).toBe(303);
  expect(opened.headers.get("location")).toBe("/?outcome=failed");
  const cookie = opened.headers.get("set-cookie") ?? "";
  expect(cookie).toContain("HttpOnly; SameSite=Strict");
  const known = { cookie: cookie.split(";")[0] ?? "" };
  const list = await get("/", known);
  expect(list.status).toBe(200);
  expect(Object.fromEntries(list.headers)).toMatchObject({
    "cache-control": "no-store",
    "content-security-policy": "frame-ancestors 'none'",
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
  const text = await list.text();
  for (const id of ids) expect(text).toContain(id);
  expect(text).not.toContain(token);
  expect((await get("/", { authorization: `Bearer ${token}` })).status).toBe(200);

  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const refused = await get("/", known, method);
    expect([refused.status, refused.headers.get("allow")], method).toEqual([405, "GET, HEAD"]);
  }
  expect((await get("/runs/nope", known)).status).toBe(404);
  expect((await get("/runs/..%2f..%2fetc", known)).status).toBe(404);
  expect((await get("/other", known)).status).toBe(404);
  expect((await get(`/compare?run=${ids[0]}`, known)).status).toBe(400);
  expect(await (await get(`/runs/${ids[0]}/events`, known)).json()).toEqual({ events: expect.any(Number) as number });
  expect(await askedAs("evil.example", url)).toMatch(/^HTTP\/1\.1 421 /);
});

/** The first line of the answer to a request that was meant for another host. */
async function askedAs(host: string, { port, search }: URL): Promise<string> {
  const { connect } = await import("node:net");
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(`GET /${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    );
    let text = "";
    socket
      .on("data", (data) => (text += String(data)))
      .on("end", () => resolve(text.split("\r\n")[0] ?? ""))
      .on("error", reject);
  });
}

test("a port that is taken is told, with what to do", async () => {
  const { project } = await twoRuns();
  const { url } = await viewing(project);
  const ended = await project.run("view", "--port", url.port);
  expect(ended.code, ended.told).toBe(2);
  expect(ended.stderr, ended.told).toContain("next: tokenbook view --port 0");
});

describe.skipIf(!HAS_CHROMIUM)("in a browser", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened.close());

  async function open(url: URL): Promise<{ page: Page; complaints: readonly string[] }> {
    const page = await opened.browser.newPage();
    onTestFinished(() => page.close());
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(url.href);
    return { page, complaints };
  }

  async function expectNoObjection(page: Page): Promise<void> {
    const found = await page.evaluate<readonly unknown[]>(
      `(() => { const module = undefined; ${axe.source}; return window.axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])); })()`,
    );
    expect(found).toEqual([]);
  }

  test("the list, filtered; a run; two side by side", async () => {
    const { project, ids } = await twoRuns();
    const { url } = await viewing(project);
    const { page, complaints } = await open(url);
    expect(page.url()).not.toContain("token");
    await expectNoObjection(page);
    await page.getByLabel("Outcome").selectOption("failed");
    await page.getByRole("button", { name: "Show" }).click();
    expect(await page.locator("h1").textContent()).toBe("1 run of 2");
    await page.getByRole("link", { name: ids[1] }).click();
    expect(await page.locator("h1").textContent()).toContain("✗ failed");
    await expectNoObjection(page);
    await page.getByRole("link", { name: "All runs" }).click();
    for (const id of ids) await page.getByLabel(`Compare ${id}`).check();
    await page.getByRole("button", { name: "Compare two" }).click();
    expect(await page.locator("h2").allTextContents()).toEqual(["1 step that ended otherwise", "Outputs", "All 3 steps"]);
    expect(await page.locator("section").first().locator("tbody tr").allTextContents()).toEqual([
      expect.stringMatching(/^after✓ ok✗ failed/),
    ]);
    await expectNoObjection(page);
    await page.setViewportSize({ width: 400, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    expect(complaints).toEqual([]);
  });

  test("a run that goes on is followed to its end", async () => {
    const service = await sandboxProcess();
    const proxy = await proxyTo(service.url);
    const project = newProject();
    project.serviceAt(proxy.url);
    project.write("approval.yaml", approvalPlaybook("    timeout: 60s"));
    const running = project.start("run", "approval.yaml");
    await running.lines(3);
    const { url } = await viewing(project);
    const { page, complaints } = await open(url);
    await page.locator("tbody a").click();
    expect(await page.locator("h1").textContent()).toContain("not finished");
    await approveAsBob(service);
    await page.getByText("✓ passed").waitFor();
    expect(await page.locator(".live").count()).toBe(0);
    expect((await running.ended).code).toBe(0);
    expect(complaints).toEqual([]);
  });
});
