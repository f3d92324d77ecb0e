import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { hook, logged, reading, recordProperty } from "./schedule.ts";
import { environmentAt, KEYS, newProject, type Project, servedSandbox, type Service, tokenWith } from "./world.ts";

interface Ping {
  readonly path: string;
  readonly rid: string | null;
  readonly body: string;
}

/** A monitoring service that records the pings. `answers` are its status codes in order; the last code repeats. */
async function monitor(...answers: readonly number[]): Promise<{ readonly url: string; readonly pings: readonly Ping[] }> {
  const pings: Ping[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://monitor");
      pings.push({ path: pathname, rid: searchParams.get("rid"), body });
      response.writeHead(answers[Math.min(pings.length, answers.length) - 1] ?? 200);
      return response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/t0ken-of-the-check`, pings };
}

async function watched(url: string, more = ""): Promise<{ readonly project: Project; readonly service: Service }> {
  const service = await servedSandbox();
  const project = newProject({ ...KEYS, PING: url });
  project.write("tokenbook.yaml", `${environmentAt(service.url)}heartbeat: env:PING\n${more}`);
  project.write("properties.yaml", reading(undefined, "    expect: [response.size() > 0]\n"));
  return { project, service };
}

const HERE = "/ping/t0ken-of-the-check";
const paths = (pings: readonly Ping[]): readonly string[] => pings.map(({ path }) => path.replace(HERE, ""));

test("each firing pings its start, and pings its end with the exit code", async () => {
  const { url, pings } = await monitor(200);
  const { project, service } = await watched(url);
  const failed = await project.run("schedule", "--once", "properties.yaml");
  expect(failed.code, failed.transcript).toBe(1);
  await recordProperty(service);
  const passed = await project.run("schedule", "--once", "properties.yaml");
  expect(passed.code, passed.transcript).toBe(0);
  expect(paths(pings)).toEqual(["/start", "/1", "/start", "/0"]);
  const [first, second, third, fourth] = pings.map(({ rid }) => rid);
  expect(first).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect([second, fourth]).toEqual([first, third]);
  expect(third).not.toBe(first);
  expect(pings[1]?.body).toMatch(/^properties\.yaml@here: failed\nfiring: .*\nrun: .*\nproblem: all: /);
  expect(failed.transcript + passed.transcript).not.toContain("t0ken-of-the-check");
});

test("a percent sign in a password of the heartbeat address is sent as it is", async () => {
  const { url, pings } = await monitor(200);
  const { project, service } = await watched(url.replace("//", "//desk:100%@"));
  await recordProperty(service);
  const passed = await project.run("schedule", "--once", "properties.yaml");
  expect(passed.code, passed.transcript).toBe(0);
  expect(paths(pings)).toEqual(["/start", "/0"]);
});

test("the last ping of a reconciliation shows the number of drifts", async () => {
  const { url, pings } = await monitor(200);
  const { project } = await watched(url);
  project.write(
    "gold.yaml",
    `playbook: 1
defaults: { as: { ledger: "userId:alice" } }
steps:
  - { id: token, uses: ledger.token.create, with: ${tokenWith("Gold", 0)} }
  - { id: alice, uses: ledger.token.mint, with: { id: Gold, to: { orgId: org1, userId: alice }, value: "100.5" } }
`,
  );
  project.write("expected.csv", "holder,balance\nalice,100\n");
  project.write(
    "nightly.yaml",
    `playbook: 1
mode: read-only
inputs:
  expected: { type: file, default: expected.csv, items: { type: object, properties: { holder: { type: string }, balance: { type: decimal } } } }
reconcile:
  - id: accounts
    left: { name: file, rows: inputs.expected, key: { holder: row.holder }, value: row.balance }
    right:
      { name: ledger, as: { ledger: "userId:auditor" }, read: ledger.account.list, with: { tokenId: Gold }, key: { holder: row.entity.userId }, value: row.balance }
    recheck: 50ms
`,
  );
  expect((await project.run("run", "gold.yaml")).code).toBe(0);
  const drifted = await project.run("schedule", "--once", "nightly.yaml");
  expect(drifted.code, drifted.transcript).toBe(3);
  expect(paths(pings)).toEqual(["/start", "/3"]);
  expect(pings[1]?.body).toContain("\ndrifts: 1 new, 0 persisting");
});

test("a failing monitoring service does not change a run, and each ping is repeated and then dropped", async () => {
  const { url, pings } = await monitor(503, 503, 200, 503);
  const { project, service } = await watched(url);
  await recordProperty(service);
  const passed = await project.run("schedule", "--once", "properties.yaml");
  expect(passed.code, passed.transcript).toBe(0);
  expect(paths(pings)).toEqual(["/start", "/start", "/start", "/0", "/0", "/0"]);
  expect(passed.stdout, passed.transcript).toContain("heartbeat: /0 was not delivered: HTTP 503");
  expect(passed.transcript).not.toContain("t0ken-of-the-check");
});

test("a scheduler that is killed pings no end, and the next process reports the failure", async () => {
  const { url, pings } = await monitor(200);
  const { project } = await watched(url);
  project.write("properties.yaml", reading(undefined, "    until: response.size() > 0\n    timeout: 1h\n"));
  const first = project.start("schedule", "properties.yaml");
  await logged(first, "firing.started");
  while (pings.length === 0) await new Promise<void>((resolve) => void setTimeout(resolve, 10));
  await first.signal("SIGKILL");
  await first.ended;
  expect(paths(pings)).toEqual(["/start"]);
  const second = project.start("schedule", "properties.yaml");
  await logged(second, "firing.started");
  while (pings.length < 3) await new Promise<void>((resolve) => void setTimeout(resolve, 10));
  await second.signal("SIGKILL");
  await second.ended;
  expect(paths(pings)).toEqual(["/start", "/fail", "/start"]);
  expect(pings[1]).toMatchObject({ rid: pings[0]?.rid, body: expect.stringContaining("is gone") as unknown });
});

const CRASHED = /^properties\.yaml \(here\): the scheduler has stopped: /;

test("a scheduler that loses its state directory reports it to its channels and to the monitoring service", async () => {
  const { url, pings } = await monitor(200);
  const { url: desk, posted } = await hook(200);
  const { project, service } = await watched(url, "notifications: { desk: { url: env:DESK } }\n");
  await recordProperty(service);
  const running = project.as({ ...KEYS, PING: url, DESK: desk }).start("schedule", "properties.yaml");
  await logged(running, "firing.ended");
  rmSync(`${project.folder}/.tokenbook`, { recursive: true });
  const { code, transcript } = await running.ended;
  expect(code, transcript).toBe(2);
  expect(pings.at(-1)).toMatchObject({
    path: `${HERE}/fail`,
    body: expect.stringMatching(/^the scheduler has stopped: /) as unknown,
  });
  expect(posted.map((each) => each.notification)).toMatchObject([
    { event: "failure", summary: expect.stringMatching(CRASHED) as unknown },
  ]);
});

test("schedule --once that ends with an error reports this, and no stopped scheduler", async () => {
  const { url, pings } = await monitor(200);
  const { url: desk, posted } = await hook(200);
  const { project, service } = await watched(url, "notifications: { desk: { url: env:DESK } }\n");
  await recordProperty(service);
  const acting = project.as({ ...KEYS, PING: url, DESK: desk });
  expect((await acting.run("schedule", "--once", "properties.yaml")).code).toBe(0);
  rmSync(`${project.folder}/.tokenbook/journal.db`);
  const ended = await acting.run("schedule", "--once", "properties.yaml");
  expect(ended.code, ended.transcript).toBe(2);
  const said = "tokenbook schedule --once ended with an error: ";
  expect(posted.map((each) => each.notification)).toMatchObject([
    { event: "failure", summary: expect.stringContaining(`properties.yaml (here): ${said}`) as unknown },
  ]);
  expect(pings.at(-1)).toMatchObject({ path: `${HERE}/fail`, body: expect.stringContaining(said) as unknown });
});

test("a scheduler that stops with an error reports each playbook that it serves then, and no other", async () => {
  const { url } = await monitor(200);
  const { url: desk, posted } = await hook(200);
  const { project, service } = await watched(url, "notifications: { desk: { url: env:DESK } }\n");
  await recordProperty(service);
  project.write("served/first.yaml", reading());
  project.write("served/edited.yaml", reading());
  project.write("served/unscheduled.yaml", reading().replace(/^schedule: .*\n/m, ""));
  const running = project.as({ ...KEYS, PING: url, DESK: desk }).start("schedule", "served");
  await logged(running, "firing.ended");
  project.write("served/edited.yaml", reading().replace(/^schedule: .*\n/m, ""));
  await logged(running, "playbook.edited");
  project.write("served/added.yaml", reading());
  await logged(running, "playbook.added");
  rmSync(`${project.folder}/.tokenbook`, { recursive: true });
  const { code, transcript } = await running.ended;
  expect(code, transcript).toBe(2);
  const stopped = posted.map(({ notification }) => notification).filter(({ summary }) => summary.includes("has stopped"));
  expect(stopped.map(({ schedule }) => schedule.playbook).toSorted()).toEqual(["served/added.yaml", "served/first.yaml"]);
});

/** Mounts a file system of 2 MB, and returns whether this user may mount one. */
function smallDisk(folder: string): boolean {
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return true;
}

test("a scheduler whose disk is full reports it to its channels and to the monitoring service", async ({ skip }) => {
  const { url, pings } = await monitor(200);
  const { url: desk, posted } = await hook(200);
  const { project, service } = await watched(url, "notifications: { desk: { url: env:DESK } }\n");
  await recordProperty(service);
  if (!smallDisk(`${project.folder}/.tokenbook`)) return skip("this user may not mount a small disk");
  const running = project.as({ ...KEYS, PING: url, DESK: desk }).start("schedule", "properties.yaml");
  await logged(running, "firing.ended");
  expect(() => writeFileSync(`${project.folder}/.tokenbook/filler`, Buffer.alloc(4_000_000))).toThrow("ENOSPC");
  const { transcript } = await running.ended;
  expect(transcript).toContain("disk is full");
  expect(pings.at(-1)).toMatchObject({ path: `${HERE}/fail`, body: expect.stringContaining("disk is full") as unknown });
  expect(posted.at(-1)?.notification).toMatchObject({ event: "failure", summary: expect.stringMatching(CRASHED) as unknown });
});

test.for([
  ["an address that is not set", "env:NOT_SET", "the environment variable NOT_SET is not set"],
  ["one without encryption", "http://monitor.example/t0ken-of-the-check", "is not written in the allowed form"],
  ["no address", "[1]", "tokenbook.yaml:"],
] as const)(
  "an invalid heartbeat address is refused before anything runs, and its token is not shown: %s",
  async ([, written, says]) => {
    const { project } = await watched("http://127.0.0.1:9/");
    project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace("env:PING", written));
    const wrong = await project.run("schedule", "--once", "properties.yaml");
    expect(wrong.code, wrong.transcript).toBe(2);
    expect(wrong.stderr, wrong.transcript).toContain(says);
    expect(wrong.transcript).not.toContain("t0ken");
  },
);
