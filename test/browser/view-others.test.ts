// What other users of this machine, and web pages, can learn about the pages that `tokenbook view` serves.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { viewing } from "../stories/viewing.ts";
import { newProject } from "../stories/world.ts";
import { HAS_CHROMIUM, openBrowser, type Opened } from "./browser.ts";

interface Heard {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Another user's server on another loopback port. It records what browsers send, and answers with a page. */
async function neighbour(body: string): Promise<{ readonly port: number; readonly heard: readonly Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    heard.push({ url, headers });
    response.setHeader("content-type", "text/html").end(`<!doctype html><title>Neighbour</title>${body}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  return { port: (server.address() as AddressInfo).port, heard };
}

/** Sends a request with these lines, and returns the answer. */
async function asked({ port }: URL, ...lines: readonly string[]): Promise<{ readonly status: number; readonly text: string }> {
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  let text = "";
  socket.on("data", (data) => (text += String(data)));
  await once(socket, "close");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
}

test("no answer sets a cookie or redirects to another site", async () => {
  const { url } = await viewing(newProject());
  const [, token = ""] = url.pathname.split("/");
  const targets = [
    `${url.pathname}${url.search}`,
    `/.//evil.example/?token=${token}`,
    `//evil.example/?token=${token}`,
    `/%2f%2fevil.example/?token=${token}`,
    `/\\evil.example/?token=${token}`,
    `http://evil.example/?token=${token}`,
    `/${token}`,
    `/${token}//evil.example/`,
    `/${token}/.//evil.example/`,
    `/${token}/\\evil.example`,
    `/${token}/runs/..//evil.example`,
  ];
  for (const target of targets) {
    const { status, text } = await asked(url, `GET ${target} HTTP/1.1`, `Host: ${url.host}`);
    expect([target, /^(?:set-cookie|location|refresh):/im.exec(text)?.[0]]).toEqual([target, undefined]);
    expect([target, [200, 400, 401, 404].includes(status)]).toEqual([target, true]);
  }
});

test("`tokenbook view` answers only requests to the names of the loopback interface, on any forwarded port", async () => {
  const { url } = await viewing(newProject());
  const of = async (host: string): Promise<number> => (await asked(url, `GET ${url.pathname} HTTP/1.1`, `Host: ${host}`)).status;
  for (const host of [url.host, "localhost:4020", "127.0.0.1", "[::1]:4020", "127.0.0.1:1"])
    expect([host, await of(host)]).toEqual([host, 200]);
  for (const host of [
    "evil.example",
    `evil.example:${url.port}`,
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "a@127.0.0.1",
    "",
  ])
    expect([host, await of(host)]).toEqual([host, 421]);
});

describe.skipIf(!HAS_CHROMIUM)("in a browser", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened.close());

  test("a server on another port receives nothing that opens the pages", async () => {
    const { url } = await viewing(newProject());
    const page = await opened.browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(url.href);
    expect(await page.locator("h1").textContent()).toBe("Overview");
    const other = await neighbour("<h1>Mine</h1>");
    await page.goto(`http://127.0.0.1:${other.port}/typed`);
    // Another site's page has a picture, a form and a link that lead to the neighbour.
    const at = `http://127.0.0.1:${other.port}`;
    const far = await neighbour(
      `<img src="${at}/picture"><form action="${at}/form" method="post"><button>Send</button></form><a href="${at}/link">Go</a>`,
    );
    for (const way of ["Go", "Send"]) {
      await page.goto(`http://localhost:${far.port}/`);
      await page.getByText(way).click();
      await page.waitForURL(`${at}/**`);
    }
    const heard = other.heard.filter(({ url: path }) => path !== "/favicon.ico");
    expect(new Set(heard.map(({ url: path }) => path))).toEqual(new Set(["/typed", "/picture", "/link", "/form"]));
    for (const { headers } of heard) {
      expect(headers.cookie).toBe(undefined);
      const { host: _host, ...others } = headers;
      const lines = Object.entries(others).map(([name, value]) => `${name}: ${String(value)}`);
      for (const path of ["/", "/runs/", "/drifts", headers.referer ?? "/"]) {
        const { status } = await asked(url, `GET ${path} HTTP/1.1`, `Host: ${url.host}`, ...lines);
        expect([path, [400, 401].includes(status)]).toEqual([path, true]);
      }
    }
  });

  test("another site cannot show or read the pages, even if it knows the port", async () => {
    const { url } = await viewing(newProject());
    const mine = await opened.browser.newPage();
    onTestFinished(() => mine.close());
    await mine.goto(url.href);
    const far = await neighbour(`<iframe src="${url.origin}/"></iframe><img src="${url.origin}/runs/">`);
    const page = await opened.browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`http://localhost:${far.port}/`);
    const read = await page.evaluate(
      `Promise.all(["/", "/runs/", "/drifts"].map((path) => fetch("${url.origin}" + path, { credentials: "include" }).then((answer) => answer.text(), () => "refused")))`,
    );
    expect(read).toEqual(["refused", "refused", "refused"]);
    await page.goto(`${url.origin}/`);
    expect(await page.locator("body").textContent()).toContain("open the address that");
  });
});
