import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/ports.ts";
import { DriftBook } from "../../src/reconcile/drift-book.ts";
import { thisProcess } from "../../src/journal/holder.ts";
import { ScheduleStore } from "../../src/schedule/store.ts";
import { proxyTo } from "../stories/proxy.ts";
import { approvalPlaybook } from "../playbooks.ts";
import { viewing } from "../stories/viewing.ts";
import { approveAsBob, MINT_ONCE, newProject, type Project, runIn, type Running, servedSandbox } from "../stories/world.ts";
import { clickCopyButtons } from "./copying.ts";
import { HAS_CHROMIUM, openBrowser, type Opened } from "./browser.ts";
import { expectNoFinding } from "./readable.ts";

async function twoRuns(): Promise<{ project: Project; ids: readonly [string, string] }> {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("mint.yaml", MINT_ONCE);
  const first = runIn(await project.run("run", "mint.yaml"));
  project.write("mint.yaml", MINT_ONCE.replace("totalSupply == 10]", "totalSupply == 11]"));
  const second = await project.run("run", "mint.yaml");
  expect(second.code, second.transcript).toBe(1);
  return { project, ids: [first, runIn(second)] };
}

test("the pages need the whole address with its token", async () => {
  const { project, ids } = await twoRuns();
  const { url, get } = await viewing(project);
  expect(url.hostname).toBe("127.0.0.1");
  const [, token = "", ...rest] = url.pathname.split("/");
  expect(rest).toEqual(["overview", ""]);
  for (const path of ["/", "/runs/", "/wrong/runs/", `/${token.slice(1)}/runs/`, `/?token=${token}`, `//${token}/runs/`])
    expect([path, (await fetch(url.origin + path)).status]).toEqual([path, 401]);
  const list = await get("runs/");
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

  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const refused = await get("runs/", method);
    expect([refused.status, refused.headers.get("allow")], method).toEqual([405, "GET, HEAD"]);
  }
  for (const path of ["", "runs", "runs/nope", "runs/..%2f..%2fetc", "other", "other/", "runs//events", "drifts/x/events"])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  const lonely = await get(`compare/?run=${ids[0]}`);
  expect([lonely.status, await lonely.text()]).toEqual([400, "chosen runs: 1; go back, and choose two\n"]);
  expect(await (await get(`runs/${ids[0]}/events`)).json()).toEqual({ events: expect.any(Number) as number, heldBy: null });
});

const HOLDINGS = `playbook: 1
name: Nightly
mode: read-only
inputs:
  expected:
    type: file
    default: expected.csv
    items: { type: object, properties: { holder: { type: string }, balance: { type: decimal } } }
  held:
    type: file
    default: held.csv
    items: { type: object, properties: { holder: { type: string }, balance: { type: decimal } } }
reconcile:
  - id: accounts
    name: File against ledger
    left: { name: file, rows: inputs.expected, key: { holder: row.holder }, value: row.balance }
    right: { name: ledger, rows: inputs.held, key: { holder: row.holder }, value: row.balance }
    recheck: 50ms
`;

/** Runs a comparison on two nights, the second by a schedule. On the second night alice's difference has changed, and bob's is gone. */
async function twoNights(): Promise<{ project: Project; runs: readonly [string, string] }> {
  const project = newProject({});
  project.write("nightly.yaml", HOLDINGS);
  project.write("expected.csv", "holder,balance\nalice,100.500000000000000001\nbob,20\n");
  project.write("held.csv", "holder,balance\nalice,90\nbob,21\n");
  const first = await project.run("run", "nightly.yaml");
  expect(first.code, first.transcript).toBe(3);
  project.write("held.csv", "holder,balance\nalice,80\nbob,20\n");
  const second = await project.run("schedule", "--once", "nightly.yaml");
  expect(second.code, second.transcript).toBe(3);
  const { data } = await project.json("runs");
  const [latest] = data.runs;
  return { project, runs: [runIn(first), latest?.id ?? ""] };
}

function stateOf({ folder }: Project): string {
  return join(folder, ".tokenbook");
}

/** Returns every file in a folder, with its content and the time of its last change. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    names.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, `${statSync(path).mtimeMs} ${readFileSync(path, "base64")}`];
    }),
  );
}

const LISTS = ["runs/", "drifts/", "drifts/?all=yes", "drifts/?state=cleared", "schedules/"];

test("the pages of runs, drifts and schedules write nothing", async () => {
  const { project, runs } = await twoNights();
  const before = filesIn(stateOf(project));
  const { get } = await viewing(project);
  const list = await (await get("drifts/?all=yes")).text();
  const drifts = [...list.matchAll(/href="\.\.\/(drifts\/[0-9a-f]+)"/g)].map(([, path = ""]) => path);
  expect(drifts).toHaveLength(2);
  const schedules = await (await get("schedules/")).text();
  const [, schedule = ""] = /href="\.\.\/(schedules\/[^"]+)"/.exec(schedules) ?? [];
  for (const path of [...LISTS, ...drifts, schedule, ...runs.map((id) => `runs/${id}`)]) {
    const page = await get(path);
    expect([path, page.status]).toEqual([path, 200]);
  }
  for (const path of ["drifts/nope", "schedules/nope", "schedules/%ff", "drifts/x/events", "other/x"])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  expect(filesIn(stateOf(project))).toEqual(before);
});

test("in a project without runs, the pages explain what they will show, and no folder is created", async () => {
  const project = newProject();
  const { get } = await viewing(project);
  expect(await (await get("runs/")).text()).toContain("Nothing has run yet");
  expect(await (await get("drifts/")).text()).toContain("No run has left a drift");
  expect(await (await get("schedules/")).text()).toContain("Nothing has run on a schedule");
  expect(existsSync(stateOf(project))).toBe(false);
});

test("a port that is in use is reported, with the command to use", async () => {
  const { project } = await twoRuns();
  const { url } = await viewing(project);
  const ended = await project.run("view", "--port", url.port);
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stderr, ended.transcript).toContain("\n  tokenbook view --port 0\n");
  expect(ended.stderr, ended.transcript).not.toContain("note:");
});

test("a named state directory that does not exist is noted, because the pages are empty", async () => {
  const { project } = await twoRuns();
  const { url } = await viewing(project);
  const ended = await project.run("view", "--state", "misspelt", "--port", url.port);
  expect(ended.stderr, ended.transcript).toContain(`note: there is no state directory ${join(project.folder, "misspelt")} yet`);
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

  /** Waits for the page with this heading. */
  async function headed(page: Page, name: string): Promise<void> {
    await page.getByRole("heading", { level: 1, name }).waitFor();
  }

  test("a reader filters the list, opens a run, and compares two runs", async () => {
    const { project, ids } = await twoRuns();
    const { url } = await viewing(project);
    const { page, complaints } = await open(url);
    expect(await page.locator(".items .badge").allTextContents()).toEqual(["✗ failed"]);
    expect(await page.locator(".days svg").getAttribute("aria-label")).toBe("2 runs in the last 30 days: 1 passed, 1 failed");
    await expectNoFinding(page);
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await headed(page, "2 runs");
    await expectNoFinding(page);
    await page.getByLabel("Outcome").selectOption("failed");
    await page.getByRole("button", { name: "Show" }).click();
    await headed(page, "1 run of 2");
    await page.getByRole("link", { name: ids[1] }).click();
    expect(await page.locator("header .badge").textContent()).toBe("✗ failed");
    await expectNoFinding(page);
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    for (const id of ids) await page.getByLabel(`Compare ${id}`).check();
    await page.getByRole("button", { name: "Compare two" }).click();
    await page.waitForURL(/compare/);
    expect(await page.locator("h2").allTextContents()).toEqual(["1 step with another outcome", "Outputs", "All 3 steps"]);
    expect(await page.locator("section").first().locator("tbody tr").allTextContents()).toEqual([
      expect.stringMatching(/^after✓ ok✗ failed/),
    ]);
    await expectNoFinding(page);
    await page.setViewportSize({ width: 400, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    expect(complaints).toEqual([]);
  });

  test("each copy button of the pages copies the whole id or command before it", async () => {
    const { project, ids } = await twoRuns();
    const { url } = await viewing(project);
    const { page, complaints } = await open(new URL(`../runs/${ids[1]}`, url));
    const copied = await clickCopyButtons(page);
    for (const { text, copied: onClipboard } of copied) expect(onClipboard).toBe(text);
    expect(copied.filter(({ kind }) => kind === "command").map(({ text }) => text)).toContain(`tokenbook resume ${ids[1]}`);
    expect(copied.filter(({ kind, text }) => kind === "hash" && /^[0-9a-f]{64}$/.test(text)).length).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  test("a reader opens a drift from its run, sees both sides and its history, and returns to the run", async () => {
    const { project, runs } = await twoNights();
    const { url } = await viewing(project);
    const { page, complaints } = await open(url);
    await page.getByRole("link", { name: runs[1] }).first().click();
    await headed(page, "Nightly");
    expect(await page.locator("header .badge").textContent()).toBe("≠ drift");
    const drift = page.locator(".drifts tbody a");
    const id = (await drift.textContent()) ?? "";
    await drift.click();
    await headed(page, "holder alice");
    expect(await page.locator("main > p").nth(1).textContent()).toBe(
      "file 100.500000000000000001, ledger 80, difference 20.500000000000000001",
    );
    expect(await page.locator(".next code").textContent()).toContain(`tokenbook drift ack ${id} --because`);
    expect(await page.locator(".said pre").allTextContents()).toEqual([
      expect.stringContaining("100.500000000000000001"),
      expect.stringContaining("80"),
    ]);
    expect(await page.locator(".plot .hint").allTextContents()).toEqual([
      "Values: file solid, ledger dashed; 80 to 100.500000000000000001",
      "Difference; 10.500000000000000001 to 20.500000000000000001",
    ]);
    expect(await page.getByText("Nobody has acknowledged it.").count()).toBe(1);
    await expectNoFinding(page);
    const [command] = await clickCopyButtons(page);
    expect(command).toEqual({
      kind: "command",
      text: expect.stringContaining(`tokenbook drift ack ${id}`),
      copied: command?.text,
    });

    const mailed = await project.run("report", runs[1], "--format", "html");
    expect(mailed.stdout).toContain(id);
    expect(mailed.stdout).not.toContain("../drifts");

    const until = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    const taken = await project.run("drift", "ack", id, "--because", "a refund is under way", "--until", until);
    expect(taken.code, taken.transcript).toBe(0);
    await page.reload();
    await headed(page, "holder alice");
    expect(await page.locator(".next").count()).toBe(0);
    expect(await page.getByRole("row", { name: /a refund is under way.*yes$/ }).count()).toBe(1);
    await page.setViewportSize({ width: 400, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    await page.getByRole("cell", { name: runs[0] }).getByRole("link").click();
    await headed(page, "Nightly");

    await page.getByRole("link", { name: "Drift", exact: true }).click();
    await headed(page, "1 drift");
    await page.getByLabel("with what was cleared").check();
    await page.getByRole("button", { name: "Show" }).click();
    await headed(page, "2 drifts");
    await expectNoFinding(page);
    await page.getByLabel("State").selectOption("cleared");
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("BOB night/ly");
    expect(await page.getByLabel("Search").inputValue()).toBe("BOB night/ly");
    await page.getByLabel("Search").fill("BOB night");
    await page.keyboard.press("Enter");
    await headed(page, "1 drift of 2");
    await page.getByLabel("Search").fill("carol");
    await page.keyboard.press("Enter");
    await page.getByText("There is no such drift.").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    expect(complaints).toEqual([]);
  });

  test("the page of schedules shows the next firing of each, its past firings, and their runs", async () => {
    const { project, runs } = await twoNights();
    const ports = { clock: systemClock, redact: (text: string) => text };
    const store = ScheduleStore.open(stateOf(project), ports);
    const plan = { playbook: "mint.yaml", environment: "here", cron: "30 2 * * *", timezone: "Europe/Berlin", jitterMs: 0 };
    store.register({ id: "mint.yaml@here", ...plan });
    store.close();
    const { url } = await viewing(project);
    const { page, complaints } = await open(url);
    await page.getByRole("link", { name: "Schedules" }).click();
    await headed(page, "2 schedules");
    expect(await page.locator("tbody th").allTextContents()).toEqual([
      "mint.yaml@here",
      expect.stringContaining("nightly.yaml@"),
    ]);
    expect(await page.locator("tbody tr").first().textContent()).toMatch(/ 02:30:00 \+0[12]:00 .*, 0[01]:30:00never/);
    await expectNoFinding(page);
    await page.getByRole("link", { name: "mint.yaml@here" }).click();
    await headed(page, "mint.yaml@here");
    expect(await page.locator("tbody tr").count()).toBe(5);
    expect(await page.getByText("Nothing has fired yet.").count()).toBe(1);
    await expectNoFinding(page);
    await page.goBack();
    await headed(page, "2 schedules");
    await page.locator("tbody a").last().click();
    await headed(page, "≠ drift nightly.yaml");
    expect(await page.locator(".bars .hint").textContent()).toMatch(/^How long 1 firing took: 1 drift; the longest /);
    await expectNoFinding(page);
    await page.setViewportSize({ width: 400, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    await page.locator(".firings").getByRole("link", { name: runs[1] }).click();
    await headed(page, "Nightly");
    expect(complaints).toEqual([]);
  });

  test("HTML in keys, records, reasons and schedules is shown as text", async () => {
    const evil = `<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e\u001b[31m</title></style>`;
    const project = newProject();
    const book = DriftBook.open(stateOf(project));
    const name = { environment: evil, playbook: evil, comparison: evil, scope: evil };
    const read = [{ operation: evil, input: { [evil]: evil }, actor: evil, page: evil, at: evil, record: { [evil]: evil } }];
    const evidence = { left: { rows: "1", read }, right: { rows: evil, read } };
    const values = { left: evil, right: evil, difference: evil, values: evil, since: 0 };
    const asks: ReadonlySet<string> = new Set([evil]);
    const looked = { isComplete: true, finished: () => asks, readsFor: () => asks, hasLookedFor: () => true };
    const sightings = [{ key: [evil], kind: "differs" as const, ...values, evidence }];
    const found = { run: evil, openedAt: 0, at: Date.now(), sightings, young: [], moving: [], read: looked };
    const [drift] = book.record(name, { title: evil, parts: [evil], left: evil, right: evil }, found).drifts;
    book.acknowledge({ id: drift?.id ?? "", who: evil, because: evil, until: Date.now() + 86_400_000, at: Date.now() });
    book.close();
    const me = (): ReturnType<typeof thisProcess> => ({ ...thisProcess(), host: evil });
    const store = ScheduleStore.open(stateOf(project), {
      clock: systemClock,
      redact: (text) => text,
      liveness: { me, taking: me, lifeOf: () => "alive", close: () => undefined },
    });
    store.register({ id: evil, playbook: evil, environment: evil, cron: undefined, timezone: undefined, jitterMs: 0 });
    const taken = store.takeNow(evil, () => undefined);
    if (!("taken" in taken)) throw new Error("it is taken");
    store.firings.began(taken.taken, evil);
    store.firings.end(taken.taken, "failed", { code: evil, message: evil, why: evil, next: evil });
    store.takeNow(evil, () => undefined);
    store.close();

    const { url } = await viewing(project);
    const { page, complaints } = await open(url);
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const [list, path] of [
      ["Drift", "/drifts/"],
      ["Schedules", "/schedules/"],
    ] as const) {
      for (const [link, to] of [
        [page.getByRole("link", { name: list, exact: true }), new RegExp(`${path}$`)],
        [page.locator("tbody th a").first(), new RegExp(`${path}.`)],
      ] as const) {
        await link.click();
        await page.waitForURL(to);
        expect(await page.locator("main").textContent()).toContain("<script>alert(1)</script>");
        expect(await page.evaluate("[document.scripts.length, document.images.length]")).toEqual([1, 0]);
        const written = await page.content();
        expect(["\u202e", "\u001b"].filter((char) => written.includes(char))).toEqual([]);
        await expectNoFinding(page);
        await page.setViewportSize({ width: 400, height: 900 });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
      }
    }
    expect([...dialogs, ...complaints]).toEqual([]);
  });

  async function waitingRun(): Promise<
    Awaited<ReturnType<typeof open>> & { readonly approve: () => Promise<unknown>; readonly running: Running }
  > {
    const service = await servedSandbox();
    const proxy = await proxyTo(service.url);
    const project = newProject();
    project.serviceAt(proxy.url);
    project.write("approval.yaml", approvalPlaybook("    timeout: 60s"));
    const running = project.start("run", "approval.yaml");
    await running.lines(3);
    const { url } = await viewing(project);
    const shown = await open(url);
    await shown.page.locator(".runs tbody a").click();
    expect(await shown.page.locator("header .badge").textContent()).toContain("not finished");
    expect(await shown.page.locator(".live").textContent()).toMatch(/^It is under way, by process \d+ on this host\./);
    expect(await shown.page.locator(".next").count(), "it cannot be resumed now").toBe(0);
    return { ...shown, approve: () => approveAsBob(service), running };
  }

  test("if the process of a run dies, its page shows that no process runs it, and the command that resumes it", async () => {
    const { page, running, complaints } = await waitingRun();
    await running.signal("SIGKILL");
    await page.locator(".live", { hasText: "No process runs it any more." }).waitFor();
    expect(await page.locator(".next").textContent()).toContain("tokenbook resume");
    expect(complaints).toEqual([]);
  });

  test("the page of a run follows it to its end", async () => {
    const { page, running, complaints, approve } = await waitingRun();
    await approve();
    await page.locator("header .badge", { hasText: "✓ passed" }).waitFor();
    expect(await page.locator(".live").count()).toBe(0);
    expect((await running.ended).code).toBe(0);
    expect(complaints).toEqual([]);
  });
});
