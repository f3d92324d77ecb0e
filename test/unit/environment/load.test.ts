import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { loadEnvironment, loadProfile } from "../../../src/environment/load.ts";
import { loadServerPlace } from "../../../src/environment/state.ts";
import { credentialsOf, secretsOf, type Target } from "../../../src/environment/target.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tokenbook-environment-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = `environments:
  staging:
    ledger: { baseUrl: "https://ledger.example.com/", appId: app1, orgId: org1, apiKey: env:LEDGER_KEY }
    investor: { baseUrl: "https://store.example.com", credentials: { BUYER_KEY: file:buyer.key } }
    timeout: 5s
    profile: { ledger: { onBehalfOf: { in: header, name: X-Act-As } } }
  production:
    ledger: { baseUrl: "https://live.example.com", appId: app1, orgId: org1, apiKey: env:LIVE_KEY }
`;

function load(text: string, name?: string, key = "ledger-key"): Target {
  const path = join(folder, "tokenbook.yaml");
  writeFileSync(path, text);
  const loaded = loadEnvironment(path, { name, cwd: folder, variables: { LEDGER_KEY: key } });
  if ("sandbox" in loaded) throw new Error(`${loaded.sandbox} is embedded`);
  return loaded;
}

function failure(text: string, name?: string, key?: string): Failure {
  try {
    load(text, name, key);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return expect.unreachable("it was to fail");
}

test("the first environment is the default, and its keys come from the given variables and files", () => {
  writeFileSync(join(folder, "buyer.key"), "buyer-key\n");
  const target = load(GOOD);
  expect(target.environment).toBe("staging");
  expect(target.ledger?.baseUrl).toBe("https://ledger.example.com");
  expect(target.ledger?.settings).toEqual({ appId: "app1", orgId: "org1" });
  expect(secretsOf(target).map((secret) => secret.reveal())).toEqual(["ledger-key", "buyer-key"]);
  expect(credentialsOf(target.investor).get("BUYER_KEY")?.reveal()).toBe("buyer-key");
  expect(target.timeoutMs).toBe(5_000);
});

test("the error of an empty file shows what to write, and a misspelt field is not reported as missing", () => {
  expect(failure("# nothing yet\n").message).toContain("fix: write environments: { sandbox: embedded }, or delete the file");
  const { message } = failure(GOOD.replace("baseUrl", "baseURL"));
  expect(message).toContain('unknown field "baseURL"');
  expect(message).not.toContain("is missing");
});

test("a file that this user cannot read is refused, and no bug is reported", () => {
  // Root may read every file, so the test takes a name that no file system has.
  const path = join(folder, "x".repeat(300));
  const refused = expect.objectContaining({ code: "file.unreadable", message: expect.stringContaining("ENAMETOOLONG") });
  const chosen = { name: undefined, cwd: folder, variables: {} };
  expect(() => loadEnvironment(path, chosen)).toThrow(refused);
  expect(() => loadServerPlace(path, { cwd: folder, variables: () => ({}) })).toThrow(refused);
});

test("a profile needs only the settings that differ", () => {
  writeFileSync(join(folder, "buyer.key"), "buyer-key\n");
  const { profile } = load(GOOD);
  expect(profile.ledger.onBehalfOf).toEqual({ in: "header", name: "X-Act-As" });
  expect(profile.ledger.parameters.pageSize).toBe("pageSize");
});

test("each setting has its line", () => {
  writeFileSync(join(folder, "buyer.key"), "buyer-key\n");
  expect(load(GOOD).whereIs("ledger.apiKey")).toBe("tokenbook.yaml:3 (environments.staging.ledger.apiKey)");
});

test("the error of a variable that is not set shows its line, and the command that sets it", () => {
  expect(failure(GOOD, "production")).toMatchObject({
    message: expect.stringContaining("LIVE_KEY"),
    why: expect.stringContaining("tokenbook.yaml:8"),
    next: "export LIVE_KEY=…",
  });
});

test.each([
  ["schlüssel-ключ", "characters that no HTTP header takes"],
  ["first-line\nsecond-line", "more than one line"],
])("a key that cannot be in a header (%j) is reported at its line, and not shown", (key, why) => {
  const found = failure(GOOD, "staging", key);
  expect(found.code).toBe("environment.key-not-in-header");
  expect(found.message).toContain(`the key in LEDGER_KEY cannot be sent: it holds ${why}`);
  expect(found.why).toContain("tokenbook.yaml:3 (environments.staging.ledger.apiKey)");
  expect(JSON.stringify(found)).not.toMatch(/ключ|line\\n|second-line/);
  writeFileSync(join(folder, "buyer.key"), key);
  expect(failure(GOOD, "staging").why).toContain("environments.staging.investor.credentials.BUYER_KEY");
});

test("a key that is written into the file is refused and not shown", () => {
  const { message } = failure(GOOD.replace("env:LEDGER_KEY", "s3cret-key-value"));
  expect(message).toContain("tokenbook.yaml:3");
  expect(message).toContain("apiKey");
  expect(message).not.toContain("s3cret-key-value");
});

test("the name of a variable in place of a reference to it is refused, and the form of a reference is shown", () => {
  expect(failure(GOOD.replace("env:LEDGER_KEY", "LEDGER_KEY")).message).toContain("fix: such as env:NAME");
});

test("mistakes are shown in the order of their lines", () => {
  const text = "environments:\n  a: { ledger: 1 }\n  b:\n    exclusive: yes\n    readLag: 0\n    settleWithin: 5\nstates: x\n";
  const lines = failure(text).message.matchAll(/^tokenbook\.yaml:(\d+)/gm);
  expect(Array.from(lines, ([, line]) => line)).toEqual(["2", "4", "5", "6", "7"]);
});

test.each([
  ["apikey: hunter-2"],
  ["apiKey: { value: hunter-2 }"],
  ["apiKey: {hunter-2}"],
  ["apiKey: [hunter-2]"],
  ["apiKey: env:hunter-2"],
  ["apiKey: >-\n      hunter-2\n      hunter-3\n     "],
  ['apiKey: "hunt\\\n      er-2"'],
])("a key that is written wrongly into the file (%s) is not shown", (written) => {
  const text = `environments:\n  here:\n    ledger: { baseUrl: "http://h", appId: app1, orgId: org1, ${written} } # hunter-4\n`;
  const { code, message } = failure(text);
  expect(code).toBe("environment.invalid");
  expect(message).not.toMatch(/hunt|er-2/);
});

test.each([
  ["state: postgres://u:hunter-2@h/db"],
  ["state: { postgres: postgres://u:hunter-2@h/db }"],
  ["state: { postgre: postgres://u:hunter-2@h/db }"],
  ["database: postgres://u:hunter-2@h/db"],
  ["apiKey: hunter-2"],
  ["heartbeat: ftp://ping/hunter-2"],
  ["heartbeat: [https://ping/hunter-2]"],
  ["notifications: { desk: https://hooks/hunter-2 }"],
  ["notifications: { desk: { uri: https://hooks/hunter-2 } }"],
  ["notifications: { desk: { command: [notify, --token, hunter-2], evnts: [drift] } }"],
])("an address or a key of a setting that is wrong (%s) is not shown, and harmless settings are", (written) => {
  const { code, message } = failure(`${written}\nenvironments: { sandbox: embedded }\n`);
  expect(code).toBe("environment.invalid");
  expect(message).not.toContain("hunter");
  expect(message).toContain("environments: { sandbox: embedded }");
});

test("the error of an unknown environment suggests the nearest one", () => {
  expect(failure(GOOD, "stagin").next).toBe("--env staging");
});

test("the error of a misspelt setting suggests the nearest one", () => {
  expect(failure(GOOD.replace("baseUrl", "baseURL")).message).toContain('did you mean "baseUrl"?');
});

test.each([["http://127.0.0.1:99999"], ["http://[::1"], ["http://a..b:x"]])(
  "%s is not an address, and the error shows its line",
  (address) => {
    const { code, message } = failure(GOOD.replace("https://live.example.com", address), "staging");
    expect(code).toBe("environment.invalid");
    expect(message).toContain("tokenbook.yaml:8:24");
    expect(message).toContain('"baseUrl" is not an address');
  },
);

test.each([["robot:secretpw@"], ["secretpw@"], [":secretpw@"], ["robot:secret/pw@"]])(
  "an address with a login (%s) is refused, and the login is not shown",
  (login) => {
    const { code, message } = failure(GOOD.replace("https://live.", `https://${login}live.`));
    expect(code).toBe("environment.invalid");
    expect(message).toContain("tokenbook.yaml:8:24");
    expect(message).not.toMatch(/secret\/?pw/);
    const beside = failure(GOOD.replace("https://live.", `https://${login}live.`).replace("orgId: org1", "orgID: org1"));
    expect(beside.message).not.toMatch(/secret\/?pw/);
  },
);

test.each([
  ["ftp://robot:secretpw@live.example.com"],
  ["HTTPS://robot:secretpw@live.example.com"],
  ["https:robot:secretpw@live.example.com"],
  ["//robot:secretpw@live.example.com"],
  ["robot:secretpw@live.example.com/path"],
  ["https://live.example.com/path?key=secretpw"],
  ["https://live.example.com/#secretpw"],
  ["https://live.example.com:99999/?secretpw"],
  [String.raw`https://robot:secret\u0070w@live.example.com`],
  [String.raw`https://robot:s\x65cretpw@live.example.com`],
])("a refused address is not shown where it can contain a key: %s", (address) => {
  const text = GOOD.replace(/"?https:\/\/live\.example\.com"?/, () => `"${address}"`);
  expect(text).not.toBe(GOOD);
  const { code, message } = failure(text, "staging");
  expect(code).toBe("environment.invalid");
  expect(message).toContain("tokenbook.yaml:8:");
  expect(message).not.toMatch(/robot|s(?:e|\\x65)cret(?:p|\\u0070)w/);
});

test.each([["0s"], ["0.5ms"], ["600h"], ["61m"]])("a timeout of %s is refused", (timeout) => {
  const { code, message } = failure(GOOD.replace("timeout: 5s", `timeout: ${timeout}`));
  expect(code).toBe("environment.invalid");
  expect(message).toContain("tokenbook.yaml:5:14");
  expect(message).toContain('"timeout" must be from 1ms to 1h');
  const notified = `${GOOD}notifications:\n  me: { command: [me], timeout: ${timeout} }\n`;
  expect(failure(notified).message).toContain('"timeout" must be from 1ms to 1h');
});

test("a field `__proto__` is refused, and changes no prototype", () => {
  expect(failure(GOOD.replace("profile: {", "profile: { __proto__: { polluted: 1 },")).message).toContain("__proto__");
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("a profile is read without the keys of its environment", () => {
  const path = join(folder, "tokenbook.yaml");
  writeFileSync(path, GOOD);
  const { ledger } = loadProfile(path, { name: "staging", cwd: folder });
  expect(ledger.onBehalfOf).toEqual({ in: "header", name: "X-Act-As" });
  expect(loadProfile(path, { name: "production", cwd: folder }).ledger.onBehalfOf).toEqual({ in: "query", name: "actAs" });
  expect(() => loadProfile(path, { name: "stagin", cwd: folder })).toThrow(
    expect.objectContaining({ code: "environment.unknown", next: "--profile staging" }),
  );
});

test("an environment with any name can be the embedded sandbox", () => {
  const path = join(folder, "tokenbook.yaml");
  writeFileSync(path, `${GOOD}  here: embedded\n`);
  expect(loadEnvironment(path, { name: "here", cwd: folder, variables: {} })).toEqual({ sandbox: "here" });
  expect(failure("environments:\n  here: embeded\n").message).toContain('"here" must be "embedded", or a map of fields');
});

test.for([
  [
    "ledger: { receipt: { committed: [COMMITTED, FAILED] } }",
    '"ledger.receipt" gives "FAILED" two meanings: committed and failed',
  ],
  ["ledger: { receipt: { pending: COMMITTED } }", '"ledger.receipt" gives "COMMITTED" two meanings: committed and pending'],
  [
    "ledger: { requestStatus: { pending: X, approved: X } }",
    '"ledger.requestStatus" gives "X" two meanings: pending and approved',
  ],
  ["ledger: { requestStatus: { pending: APPROVED } }", "two meanings"],
  ["investor: { parameters: { page: limit } }", '"investor.parameters" gives "limit" two meanings: page and limit'],
  ['successStatus: { "ledger.token.mintt": 201 }', '"ledger.token.mintt" is no operation'],
  ['conditionStatus: { "asset already existz": 404 }', 'did you mean "asset already exists"?'],
])("an ambiguous profile is refused: %s", ([profile, message]) => {
  const text = `environments:\n  here:\n    ledger: { baseUrl: "http://h", appId: a, orgId: o, apiKey: env:K }\n    profile: { ${profile} }\n`;
  expect(failure(text).message).toContain(message);
});

test("a profile can exchange the meanings of two words", () => {
  const text = `environments:\n  here:\n    ledger: { baseUrl: "http://h", appId: a, orgId: o, apiKey: env:K }\n    profile: { ledger: { receipt: { committed: [FAILED], failed: [COMMITTED] } } }\n`;
  expect(failure(text).message).not.toContain("two meanings");
});
