import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import notificationSchema from "../../schemas/notification.schema.json" with { type: "json" };
import { ScheduleStore } from "../../src/schedule/store.ts";
import { SchemaSet } from "../../src/schema/validator.ts";
import { answerInstead, proxyTo } from "./proxy.ts";
import { hook, isSigned, logged, loggedLines, notifying, reading, recordProperty } from "./schedule.ts";
import { filesBelow, KEYS, newProject, type Project, servedSandbox, type Service, tokenWith } from "./world.ts";

const SECRET = "a-secret-that-two-sides-share";
const describes = new SchemaSet().validator(notificationSchema);

async function desk(address: string, more = ""): Promise<{ project: Project; service: Service }> {
  const service = await servedSandbox();
  const project = newProject({ ...KEYS, DESK_URL: address, DESK_SECRET: SECRET });
  notifying(project, service.url, `  desk:\n    url: env:DESK_URL\n    secret: env:DESK_SECRET\n${more}`);
  project.write("properties.yaml", reading(undefined, "    expect: [response.size() > 0]\n"));
  return { project, service };
}

test("failure and recovery are posted, signed, and tried again until they are taken", async () => {
  const { url, posted } = await hook(503, 200);
  const { project, service } = await desk(url);
  const failed = await project.run("schedule", "--once", "properties.yaml");
  expect(failed.code, failed.transcript).toBe(1);
  expect(failed.stdout, failed.transcript).toContain("desk could not be notified: failure: HTTP 503; tried again at");
  expect(failed.stdout, failed.transcript).not.toContain("of-the-address");
  await recordProperty(service);
  const passed = await project.run("schedule", "--once", "properties.yaml");
  expect(passed.code, passed.transcript).toBe(0);
  await project.run("schedule", "--once", "properties.yaml");
  expect(posted.map(({ notification }) => notification.event)).toEqual(["failure", "failure", "recovery"]);
  expect(posted.every((each) => isSigned(each, SECRET))).toBe(true);
  expect(posted.some((each) => isSigned(each, "another-secret"))).toBe(false);
  expect(posted[0]?.headers["webhook-id"]).toBe(posted[1]?.headers["webhook-id"]);
  expect(posted[0]?.body).toBe(posted[1]?.body);
  for (const { notification } of posted) expect(describes(notification)).toEqual([]);
  expect(posted[0]?.notification).toMatchObject({
    event: "failure",
    summary: expect.stringMatching(/^properties\.yaml \(here\): failed: all: /) as unknown,
    schedule: { id: "properties.yaml@here" },
    run: { name: "Read the properties", outcome: "failed", totals: { failed: 1 }, steps: [{ step: "all", outcome: "failed" }] },
    before: null,
  });
  expect(posted[2]?.notification).toMatchObject({ before: "failed", run: { outcome: "passed", steps: [] } });
});

const CHECKS = `checks:
  - { name: many, read: ledger.asset.list, with: { assetType: Property }, that: response.size() > 5 }
  - { name: none, read: ledger.asset.list, with: { assetType: Property }, that: response.size() == 0 }
defaults: { as: { ledger: "userId:alice" } }
`;

test("a second check that begins to fail is notified at once, and what fails as before is not", async () => {
  const { url, posted } = await hook(200);
  const { project, service } = await desk(url);
  project.write("properties.yaml", `${reading(undefined)}${CHECKS}`);
  const run = async (): Promise<readonly string[]> => {
    const before = posted.length;
    const ended = await project.run("schedule", "--once", "properties.yaml");
    expect(ended.code, ended.transcript).toBe(1);
    return posted.slice(before).map(({ notification: { summary } }) => summary);
  };
  const many = "properties.yaml (here): failed: checks.many: this does not hold: response.size() > 5";
  expect(await run()).toEqual([many]);
  expect(await run()).toEqual([]);
  await recordProperty(service);
  expect(await run()).toEqual([`${many}, and 1 more problem`]);
  expect(posted.at(-1)?.notification.run?.steps.map(({ step }) => step)).toEqual(["checks.many", "checks.none"]);
  expect(await run()).toEqual([]);
});

test("a schedule that the system's own scheduler cannot even start any more sends a notification, and so does its recovery", async () => {
  const { url, posted } = await hook(200);
  const { project, service } = await desk(url);
  await recordProperty(service);
  const text = project.read("properties.yaml");
  const run = async (): Promise<number | null> => (await project.run("schedule", "--once", "properties.yaml")).code;
  expect(await run()).toBe(0);
  project.write("properties.yaml", text.replace("ledger.asset.list", "ledger.asset.lst"));
  expect(await run()).toBe(2);
  expect(await run()).toBe(2);
  project.write("properties.yaml", text);
  expect(await run()).toBe(0);
  expect(posted.map(({ notification: { event, problem } }) => [event, problem?.code])).toEqual([
    ["failure", "check.failed"],
    ["recovery", undefined],
  ]);
  for (const { notification } of posted) expect(describes(notification)).toEqual([]);
  const history = await project.run("schedule", "history");
  expect(history.stdout.match(/\b(?:passed|failed)\b/g), history.transcript).toEqual(["passed", "failed", "failed", "passed"]);
});

test("schedules whose scheduler cannot start any more are notified once, however often it is started, and so is their recovery", async () => {
  const { url, posted } = await hook(200);
  const { project } = await desk(url);
  const served = { playbook: "nightly/properties.yaml", environment: "here", cron: "0 2 * * *", timezone: "UTC", jitterMs: 0 };
  {
    using store = ScheduleStore.open(join(project.folder, ".tokenbook"), { redact: (text) => text });
    store.register({ ...served, id: "nightly/properties.yaml@here" });
    store.register({ ...served, id: "other.yaml@here", playbook: "other.yaml" });
  }
  const start = async (): Promise<number | null> => (await project.run("schedule", "nightly")).code;
  project.write("nightly/properties.yaml", reading());
  project.write("nightly/new.yaml", reading("{ cron: every night }"));
  expect([await start(), await start()]).toEqual([2, 2]);
  renameSync(join(project.folder, "nightly"), join(project.folder, "away"));
  expect([await start(), await start()]).toEqual([2, 2]);
  expect((await project.run("schedule", "history")).stdout).toBe("nothing has fired yet\n");
  renameSync(join(project.folder, "away"), join(project.folder, "nightly"));
  expect((await project.run("schedule", "--once", "nightly/properties.yaml")).code).toBe(0);
  expect(posted.map(({ notification: { event, schedule, problem } }) => [event, schedule.id, problem?.code])).toEqual([
    ["failure", "nightly/properties.yaml@here", "check.failed"],
    ["failure", "nightly/properties.yaml@here", "file.missing"],
    ["recovery", "nightly/properties.yaml@here", undefined],
  ]);
  expect(posted[0]?.notification.summary).toContain("failed: the scheduler cannot start, so nothing runs: 1 playbook of 2");
  for (const { notification } of posted) expect(describes(notification)).toEqual([]);
});

test("a name and a password in the address are sent with it, and shown nowhere", async () => {
  const { url, posted } = await hook(401, 200);
  const { project } = await desk(url.replace("//", "//desk:a%2Fpass-word@"));
  const failed = await project.run("schedule", "--once", "properties.yaml");
  expect(posted.map(({ headers }) => headers.authorization)).toEqual(
    Array.from({ length: 2 }, () => `Basic ${Buffer.from("desk:a/pass-word").toString("base64")}`),
  );
  expect(failed.stdout, failed.transcript).toContain("HTTP 401; tried again at");
  expect(failed.transcript).not.toMatch(/pass-word|ZGVzazph/);
});

test("a schedule continues while nobody can be notified, and the notifications are delivered after a restart", async () => {
  const { url, posted } = await hook(500, 200);
  const { project } = await desk(url);
  const first = project.start("schedule", "properties.yaml");
  await logged(first, "notification.failed");
  await logged(first, "firing.ended", 2);
  await first.signal("SIGKILL");
  await first.ended;
  const before = posted.length;
  const second = project.start("schedule", "properties.yaml");
  await logged(second, "notification.delivered");
  await second.signal("SIGTERM");
  const ended = await second.ended;
  expect(ended.code, ended.transcript).toBe(0);
  expect(posted.length).toBeGreaterThan(before);
  expect(new Set(posted.map(({ headers }) => headers["webhook-id"]))).toContain(posted[0]?.headers["webhook-id"]);
  expect(posted.slice(before).map(({ headers }) => headers["webhook-id"])).toContain(posted[0]?.headers["webhook-id"]);
});

test("you are notified at the next start of what was missed while nothing ran", async () => {
  const { url, posted } = await hook(200);
  const { project, service } = await desk(url, "    events: [missed]\n");
  await recordProperty(service);
  const first = project.start("schedule", "properties.yaml");
  await logged(first, "firing.ended");
  await first.signal("SIGTERM");
  await first.ended;
  // The pattern changes. You are still notified of the firings that the previous pattern has missed until now.
  project.write("properties.yaml", reading("{ cron: '0 0 1 1 *' }"));
  await new Promise<void>((resolve) => void setTimeout(resolve, 1_100));
  const second = project.start("schedule", "properties.yaml");
  await logged(second, "notification.delivered");
  await second.signal("SIGTERM");
  await second.ended;
  expect(posted).toHaveLength(1);
  expect(posted[0]?.notification).toMatchObject({ event: "missed", firing: null, run: null, before: "passed" });
  expect(posted[0]?.notification.missed?.count).toBeGreaterThanOrEqual(1);
  expect(describes(posted[0]?.notification)).toEqual([]);
});

test("a command gets the notification on its stdin; one that hangs is killed, and never holds up a run", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.write("notify.sh", '#!/bin/sh\ncat > "$1"\n');
  notifying(
    project,
    service.url,
    "  desk: { command: [sh, notify.sh, notified.json], events: [failure] }\n  slow: { command: [sh, -c, 'sleep 1000 & wait'], timeout: 200ms }\n  none: { command: [./is-not-there] }\n",
  );
  project.write("properties.yaml", reading(undefined, "    expect: [response.size() > 0]\n"));
  const running = project.start("schedule", "--once", "properties.yaml");
  const [slow] = await loggedLines(running, ({ message }) => message.startsWith("slow "));
  const [none] = await loggedLines(running, ({ message }) => message.startsWith("none "));
  await loggedLines(running, ({ message }) => message.startsWith("notified desk"));
  await running.signal("SIGTERM");
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(1);
  expect(slow?.message).toContain("it did not end within 200 ms; tried again at");
  expect(none?.message).toContain("ENOENT");
  expect(JSON.parse(readFileSync(`${project.folder}/notified.json`, "utf8"))).toMatchObject({ event: "failure" });
});

const NAMED = `secrets: { PIN: env:CANARY_PIN }
`;
const INNER = `playbook: 1
secrets: { INNER: env:CANARY_INNER }
steps:
  - uses: ledger.status
`;

test("a command gets no variable that tokenbook.yaml or a playbook names as a secret", async () => {
  const service = await servedSandbox();
  const canaries = {
    CANARY_PIN: "c4nary-pin",
    CANARY_INNER: "c4nary-inner",
    CANARY_OTHER: "c4nary-other",
    CANARY_BESIDE: "c4nary-beside",
    DESK_SECRET: "c4nary-desk",
  };
  const project = newProject({
    ...KEYS,
    ...canaries,
    HOOK: "http://127.0.0.1:9/c4nary",
    CANARY_EDITED: "c4nary-edited",
    GREETING: "hello",
  });
  project.write("notify.sh", "#!/bin/sh\nenv > notified.txt\n");
  notifying(
    project,
    service.url,
    "  desk: { command: [sh, notify.sh] }\n  hook: { url: env:HOOK, secret: env:DESK_SECRET, events: [missed] }\n",
  );
  const other = project
    .read("tokenbook.yaml")
    .replace("environments:\n  here:", "  other:")
    .replace(/notifications:[\s\S]*/, "");
  project.write(
    "tokenbook.yaml",
    project.read("tokenbook.yaml").replace("notifications:", `${other.replaceAll(/env:\w+/g, "env:CANARY_OTHER")}notifications:`),
  );
  project.write("inner parts/inner.yaml", INNER);
  project.write("beside.yaml", INNER.replace("CANARY_INNER", "CANARY_BESIDE"));
  const text = reading(undefined, "    expect: [response.size() > 0]\n  - uses: ./inner parts/inner.yaml\n").replace(
    "steps:",
    `${NAMED}steps:`,
  );
  project.write("properties.yaml", text);
  const hookOutput = (): string => readFileSync(`${project.folder}/notified.txt`, "utf8");
  const failed = await project.run("schedule", "--once", "properties.yaml");
  expect(failed.code, failed.transcript).toBe(1);
  expect(hookOutput()).toContain("GREETING=hello\n");
  expect(hookOutput()).toContain("PATH=");
  for (const value of [...Object.values(KEYS), ...Object.values(canaries), "127.0.0.1:9"])
    expect(hookOutput()).not.toContain(value);

  // A playbook that can no longer be read still names its secrets.
  project.write(
    "properties.yaml",
    text.replace("ledger.asset.list", "ledger.asset.lst").replace("env:CANARY_PIN", "env:CANARY_EDITED"),
  );
  const broken = await project.run("schedule", "--once", "properties.yaml");
  expect(broken.code, broken.transcript).toBe(2);
  for (const value of [...Object.values(KEYS), "c4nary-edited", "c4nary-desk", "c4nary-inner"])
    expect(hookOutput()).not.toContain(value);
});

test("what a command says when it fails is masked before it is cut; what waits for it is named when its channel is renamed", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.write("notify.sh", `#!/bin/sh\nprintf '%0490d%s' 0 '${KEYS["LEDGER_KEY"]}' >&2; exit 3\n`);
  notifying(project, service.url, "  desk: { command: [sh, notify.sh] }\n");
  project.write("properties.yaml", reading(undefined, "    expect: [response.size() > 0]\n"));
  const failed = await project.run("schedule", "--once", "properties.yaml");
  expect(failed.stdout, failed.transcript).toContain("exit 3: 0000");
  expect(failed.transcript).not.toContain("sandbox-le");
  for (const file of filesBelow(`${project.folder}/.tokenbook`))
    expect([file, readFileSync(file, "latin1").includes("000sandbox-")]).toEqual([file, false]);
  notifying(project, service.url, "  office: { command: ['true'] }\n");
  const renamed = await project.run("schedule", "--once", "properties.yaml");
  expect(renamed.stdout, renamed.transcript).toContain("notification.undeclared");
});

test("a service that repeats the address, its parts or the signing secret shows them nowhere", async () => {
  const { url } = await hook(200);
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const address = url.replace("//", "//desk-user:pass%2Fw0rd@").replace("/notified?", "/T0042AAAA/n0tified-path?");
  const parts = ["desk-user", "pass%2Fw0rd", "pass/w0rd", "T0042AAAA", "n0tified-path", "of-the-address", SECRET];
  const project = newProject({ ...KEYS, DESK_URL: address, DESK_SECRET: SECRET });
  notifying(project, proxy.url, "  desk:\n    url: env:DESK_URL\n    secret: env:DESK_SECRET\n");
  project.write("properties.yaml", reading(undefined, "    expect: [response.size() > 99]\n"));
  void proxy.next(
    "GET /asset/all",
    answerInstead({
      status: 422,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: [address, ...parts].join(" "), condition: "no" }),
    }),
  );
  const failed = await project.run("schedule", "--once", "properties.yaml", "--report", "json=report.json");
  expect(failed.code, failed.transcript).toBe(1);
  expect(failed.transcript).toContain("secrets.notifications.desk.url");
  const files = filesBelow(project.folder).map((file) => [file, readFileSync(file, "latin1")] as const);
  for (const [where, text] of [["the terminal", failed.transcript] as const, ...files])
    expect([where, [address, ...parts].filter((part) => text.includes(part))]).toEqual([where, []]);
});

test.for([
  ["a name that is none", ["--notify", "dsk"], {}, "next: --notify desk"],
  ["an address that is not there", [], { DESK_URL: "" }, "the environment variable DESK_URL is not set"],
  ["an address that is none", [], { DESK_URL: "desk.example" }, "is no web address"],
  ["a secret that is short", [], { DESK_SECRET: "short" }, "fewer than 8 characters"],
] as const)("who must be notified is checked first: %s", async ([, args, variables, says]) => {
  const { project } = await desk("http://127.0.0.1:9/");
  const wrong = await project
    .as({ ...KEYS, DESK_URL: "http://127.0.0.1:9/", DESK_SECRET: SECRET, ...variables })
    .run("schedule", "--once", "properties.yaml", ...args);
  expect(wrong.code, wrong.transcript).toBe(2);
  expect(wrong.stderr, wrong.transcript).toContain(says);
});

test("what is wrong with notifications in tokenbook.yaml is shown with its line, and no secret", async () => {
  const { project } = await desk("http://127.0.0.1:9/");
  project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace("env:DESK_SECRET", "written-out-here"));
  const wrong = await project.run("schedule", "--once", "properties.yaml");
  expect(wrong.code, wrong.transcript).toBe(2);
  expect(wrong.stderr, wrong.transcript).toContain("tokenbook.yaml:");
  expect(wrong.transcript).not.toContain("written-out-here");
});

test.for([
  ["one that is not encrypted", "    url: http://hooks.example/t0ken-of-the-desk\n", "is not written in the allowed form"],
  [
    "beside a command",
    "    url: https://hooks.example/t0ken-of-the-desk\n    command: [notify]\n",
    "a notification goes to a url or a command",
  ],
  ["one that cannot be read", '    url: "https://hooks.example/t0ken-of-the-desk\n', "tokenbook.yaml:"],
  ["a secret that cannot be read", '    secret: "t0ken-of-the-desk\n', "tokenbook.yaml:"],
] as const)("an address that is written out is shown by no message: %s", async ([, channel, says]) => {
  const project = newProject();
  notifying(project, "http://127.0.0.1:9", `  desk:\n${channel}`);
  project.write("properties.yaml", reading());
  const wrong = await project.run("schedule", "--once", "properties.yaml");
  expect(wrong.code, wrong.transcript).toBe(2);
  expect(wrong.stderr, wrong.transcript).toContain(says);
  expect(wrong.transcript).not.toContain("t0ken");
});

const NIGHTLY = `playbook: 1
name: Nightly
mode: read-only
schedule: { cron: "15 2 1 1 *" }
inputs:
  expected: { type: file, default: expected.csv, items: { type: object, properties: { holder: { type: string }, balance: { type: decimal } } } }
reconcile:
  - id: accounts
    left: { name: file, rows: inputs.expected, key: { holder: row.holder }, value: row.balance }
    right:
      name: ledger
      as: { ledger: "userId:auditor" }
      read: ledger.account.list
      with: { tokenId: Gold }
      key: { holder: row.entity.userId }
      value: row.balance
    recheck: 50ms
`;

const GOLD = `playbook: 1
defaults: { as: { ledger: "userId:alice" } }
steps:
  - { id: token, uses: ledger.token.create, with: ${tokenWith("Gold", 0)} }
  - { id: alice, uses: ledger.token.mint, with: { id: Gold, to: { orgId: org1, userId: alice }, value: "100.5" } }
`;

test("a drift is notified with its values until somebody acknowledges it", async () => {
  const { url, posted } = await hook(200);
  const { project } = await desk(url);
  project.write("gold.yaml", GOLD);
  project.write("nightly.yaml", NIGHTLY);
  project.write("expected.csv", "holder,balance\nalice,100\n");
  const gold = await project.run("run", "gold.yaml");
  expect(gold.code, gold.transcript).toBe(0);
  const drifted = await project.run("schedule", "--once", "nightly.yaml");
  expect(drifted.code, drifted.transcript).toBe(3);
  const notification = posted[0]?.notification;
  expect(describes(notification)).toEqual([]);
  expect(notification).toMatchObject({
    event: "drift",
    run: {
      outcome: "drift",
      drifts: { counts: { new: 1, persisting: 0 }, first: [{ left: "100", right: "100.5", difference: "-0.5" }] },
    },
  });
  const id = notification?.run?.drifts?.first[0]?.id ?? "";
  const ack = await project.run("drift", "ack", id, "--because", "a refund is under way", "--until", tomorrow());
  expect(ack.code === 0 ? "" : ack.transcript).toBe("");
  const acknowledged = await project.run("schedule", "--once", "nightly.yaml");
  expect(acknowledged.code, acknowledged.transcript).toBe(0);
  expect(posted.map((each) => each.notification.event)).toEqual(["drift", "recovery"]);
  expect(posted[1]?.notification.run?.drifts?.counts).toMatchObject({ new: 0, acknowledged: 1 });
});

test("the metrics of a service that was started again still show the drift that the last run found", async () => {
  const { project } = await desk((await hook(200)).url);
  project.write("gold.yaml", GOLD);
  project.write("nightly.yaml", NIGHTLY);
  project.write("expected.csv", "holder,balance\nalice,100\n");
  expect((await project.run("run", "gold.yaml")).code).toBe(0);
  expect((await project.run("schedule", "--once", "nightly.yaml")).code).toBe(3);
  const serving = project.start("schedule", "nightly.yaml", "--listen", "0");
  const [{ url = "" } = {}] = await logged(serving, "schedule.listening");
  await logged(serving, "schedule.begun");
  const page = await (await fetch(`${url}/metrics`)).text();
  expect(page).toContain('tokenbook_schedule_drifts{schedule="nightly.yaml@here",state="new"} 1\n');
  expect(page).toContain('tokenbook_schedule_last_run_steps{schedule="nightly.yaml@here",outcome="drift"} 1\n');
  await serving.signal("SIGTERM");
  expect((await serving.ended).code).toBe(0);
});

function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
}
