import { expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { checkDocument } from "../../../src/interchange/check.ts";
import { importHar } from "../../../src/interchange/har/import-har.ts";
import { playbookOrder } from "../../../src/playbook/keywords/key-order.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { formatYaml } from "../../../src/source/format.ts";
import { onNew, RUN_KEY, type Served, withTokenbook } from "../../interchange/both-ways.ts";
import { comparable } from "../../interchange/commits.ts";
import { type ClientRequest, RecordingClient } from "../../interchange/record-har.ts";
import { temporaryFolder } from "../../stories/world.ts";

const PASSWORD = "open-sesame-4242";
const DIGITS = "12345678901234567890.50";

function fieldIn(answer: string, name: string): string {
  return new RegExp(`"${name}":\\s*"([^"]*)"`).exec(answer)?.[1] ?? "";
}

/** Sends the requests that somebody writes by hand in a morning's work. */
async function session(client: RecordingClient, { url, keys }: Served): Promise<void> {
  const call = (method: string, path: string, user: string, body?: unknown): Promise<string> =>
    client.send(`${url}/tokenize/app1${path}${path.includes("?") ? "&" : "?"}actAs=userId%3A${user}`, {
      method,
      headers: { "X-API-KEY": keys["LEDGER_API_KEY"] ?? "", cookie: "session=cookie-of-alice" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const invest = (path: string, key: string, body?: object): Promise<string> =>
    client.send(`${url}/api/v/1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-api-key": keys[key] ?? "" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  client.record("https://metrics.example/reset/cookie-of-alice?access_token=elsewhere-4242", {}, { status: 200, text: "" });
  await call(
    "POST",
    "/asset",
    "alice",
    `{"assetType":"Property","data":{"id":"Loft1","area":${DIGITS},"doorPassword":"${PASSWORD}"}}`,
  );
  const behaviour = { decimal: 2, maxMintQuantity: 100, transferable: true, burnable: true };
  const id = "GOLD1";
  const receiptId = fieldIn(await call("POST", "/token", "alice", [{ id, name: "Gold", symbol: "GLD", behaviour }]), "receiptId");
  await call("GET", `/asset/receipt?receiptId=${receiptId}`, "alice");
  await call("GET", `/asset/receipt?receiptId=${receiptId}`, "alice");
  await call("POST", "/token/mint", "alice", [{ id, to: { orgId: "org1", userId: "bob" }, value: 60 }]);
  await call("POST", "/token/mint", "alice", [{ id, to: { orgId: "org1", userId: "bob" }, value: 60 }]);
  const approval = { approvers: [{ orgId: "org1", userId: "bob" }], numRequired: 1, timeout: 60, data: { roof: true } };
  for (let round = 0; round < 3; round += 1)
    await call("POST", "/approval?async=false", "alice", { approvalType: "budget", approvals: [approval] });
  const first = await call("GET", "/approval/my?approvalType=budget&pageSize=2", "alice");
  const next = encodeURIComponent(fieldIn(first, "bookmark"));
  const last = await call("GET", `/approval/my?approvalType=budget&pageSize=2&bookmark=${next}`, "alice");
  await call("POST", "/approval/accept", "bob", {
    approvalType: "budget",
    approvals: [{ id: fieldIn(last, "id"), comment: "Fine" }],
  });
  const saleId = fieldIn(await invest("/token-sales?limit=2&page=1", "BUYER_KEY"), "id");
  await invest("/token-sales?limit=2&page=2", "BUYER_KEY");
  await invest("/token-sales?limit=2&page=3", "BUYER_KEY");
  await invest(`/token-sales/${saleId}`, "SECOND_BUYER_KEY");
  const wallet = { userAddress: `0x${"b".repeat(40)}`, currencyContract: `0x${"c".repeat(40)}`, timezone: "Europe/Lisbon" };
  await invest("/token-sales/buy", "BUYER_KEY", { tokenSaleId: saleId, amount: 2.5, ...wallet });
}

test("an imported session of another client passes its check, and commits the same", async () => {
  const client = new RecordingClient();
  const [there, keys] = await onNew(async (served) => {
    await session(client, served);
    return [comparable(await served.commits(), RUN_KEY), Object.values(served.keys)] as const;
  });
  const { text = "", diagnostics } = importHar("session.har", client.archive());

  const shown = text + diagnostics.map(formatDiagnostic).join("\n");
  for (const secret of [...keys, PASSWORD, "cookie-of-alice", "elsewhere-4242"]) expect(shown).not.toContain(secret);
  expect(diagnostics.map(({ line, message }) => `${line}: ${message}`)).toEqual([
    "9: this GET to metrics.example is left out",
    expect.stringMatching(/^\d+: the caller with this key is called CALLER_KEY$/),
    expect.stringMatching(/^\d+: the caller with this key is called CALLER_2_KEY$/),
  ]);
  expect(text).toContain(`area: ${DIGITS}`);
  expect(text).toContain("doorPassword: env:DOOR_PASSWORD");
  expect(text).toContain('id: "${{ steps.approval_mine.response[2].id }}"');
  expect(text).toContain("fails: { condition: mint quantity exceeded, status: 422 }");
  expect(text.match(/uses: .*/g)).toEqual([
    "uses: ledger.asset.create",
    "uses: ledger.token.create",
    "uses: ledger.token.mint",
    "uses: ledger.token.mint",
    "uses: ledger.approval.create",
    "uses: ledger.approval.create",
    "uses: ledger.approval.create",
    "uses: ledger.approval.mine",
    "uses: ledger.approval.accept",
    "uses: investor.sales.list",
    "uses: investor.sales.get",
    "uses: investor.sales.buy",
  ]);
  expect(checkDocument("session.yaml", text).diagnostics).toEqual([]);
  expect(formatYaml("session.yaml", text, playbookOrder)).toMatchObject({ text });

  await onNew(async (served) => {
    const more = { CALLER_KEY: served.keys["BUYER_KEY"] ?? "", CALLER_2_KEY: served.keys["SECOND_BUYER_KEY"] ?? "" };
    const folder = temporaryFolder();
    const named = { ...served, keys: { ...served.keys, ...more, DOOR_PASSWORD: PASSWORD } };
    const here = await withTokenbook({ file: "session.yaml", text, folder, runKey: RUN_KEY }, named);
    expect(here.code, here.output).toBe(0);
    expect(here.commits).toEqual(there);
  });
});

const TOKEN = "http://127.0.0.1:1/tokenize/app1/token?id=GOLD1&actAs=userId:alice";
const MINT = { method: "POST", body: '[{"id":"GOLD1","to":{"orgId":"org1","userId":"bob"},"value":1}]' };

function imported(record: (client: RecordingClient) => void): ReturnType<typeof importHar> {
  const client = new RecordingClient();
  record(client);
  return importHar("session.har", client.archive());
}

test("a write that a client repeated after a lost answer becomes one step, and is reported", () => {
  const { text, diagnostics } = imported((client) => {
    const url = "http://127.0.0.1:1/tokenize/app1/token/mint?actAs=userId:alice";
    client.record(url, MINT, { status: 0, text: "" });
    client.record(url, MINT, { status: 409, text: '{"condition":"token already exists"}' });
  });
  expect(text?.match(/uses: /g)).toHaveLength(1);
  expect(text).not.toContain("fails");
  expect(diagnostics.map(({ message }) => message)).toEqual(["a write whose answer was lost is one step, here and elsewhere"]);
});

test("a later step takes no id from a write with a failed receipt", () => {
  const { text = "" } = imported((client) => {
    const at = "http://127.0.0.1:1/tokenize/app1";
    const receipt = `{"receiptId":"R1","transactionId":"TX1","status":"FAILED","message":"too much"}`;
    client.record(`${at}/token/mint?actAs=userId:alice`, MINT, { status: 200, text: '{"receiptId":"R1"}' });
    client.record(`${at}/asset/receipt?receiptId=R1&actAs=userId:alice`, {}, { status: 200, text: receipt });
    client.record(`${at}/token/transaction?id=TX1&actAs=userId:alice`, {}, { status: 404, text: "{}" });
  });
  expect(text).toContain("id: TX1");
  expect(checkDocument("session.yaml", text).diagnostics).toEqual([]);
});

// Decision 213 gives the reason.
test("the same request of another caller is its own step, even after a lost answer", () => {
  const kyc = (key: string): ClientRequest => ({ method: "POST", headers: { "x-api-key": key }, body: '{"countryCode":620}' });
  const { text } = imported((client) => {
    const url = "http://127.0.0.1:1/api/v/1/identity/kyc";
    client.record(url, kyc("a-key-of-alice-1111"), { status: 500, text: '{"status":0}' });
    client.record(url, kyc("a-key-of-bob-2222"), { status: 200, text: '{"status":1,"response":{}}' });
  });
  expect(text?.match(/as: \w+/g)).toEqual(["as: caller", "as: caller_2"]);
});

test("a preflight request of the browser between a write and its repetition is ignored", () => {
  const { text } = imported((client) => {
    const url = "http://127.0.0.1:1/tokenize/app1/token/mint?actAs=userId:alice";
    client.record(url, MINT, { status: 0, text: "" });
    client.record(url, { method: "OPTIONS" }, { status: 204, text: "" });
    client.record(url, MINT, { status: 200, text: '{"transactionId":"t","receiptId":"r"}' });
  });
  expect(text?.match(/uses: /g)).toHaveLength(1);
});

test("missing data of the archive is reported at its entry", () => {
  const { diagnostics } = imported((client) => {
    client.record(TOKEN, {}, { status: 200, text: "{}" });
    client.record(TOKEN.replace("id=", "wrong=1&id="), { headers: { "X-API-KEY": "another" } }, { status: 200, text: "{}" });
    client.record(TOKEN, {}, { status: 500, text: "" });
    client.record("http://127.0.0.1:1/tokenize/app1/token/mint", { method: "POST" }, { status: 200, text: "{}" });
    client.record("http://127.0.0.1:1/tokenize/app1/token/mint", { ...MINT, body: "no JSON" }, { status: 200, text: "{}" });
  });
  expect(diagnostics.map(({ message, why }) => `${message}: ${why}`)).toEqual([
    "this request has another key than those before it: an environment has one key for this interface",
    'the parameter "wrong" is not sent: ledger.token.get has no parameter of this name',
    "this read of ledger.token.get is left out: it was not answered",
    "this POST to 127.0.0.1:1 is left out: the archive does not have its body",
    "this POST to 127.0.0.1:1 is left out: its body is no JSON",
  ]);
  expect(new Set(diagnostics.map(({ line }) => line)).size).toBe(4);
});

test("a key that a body contains in another spelling is not copied: its field becomes a secret", () => {
  const key = "a-key-of-alice-4242";
  const data = {
    id: "A1",
    note: Buffer.from(`x:${key}`).toString("base64"),
    digits: Buffer.from(key).toString("hex"),
    plain: `Key ${key}`,
  };
  const { text = "" } = imported((client) => {
    const request = { method: "POST", headers: { "X-API-KEY": key }, body: JSON.stringify({ assetType: "Property", data }) };
    client.record("http://127.0.0.1:1/tokenize/app1/asset?actAs=userId:alice", request, { status: 200, text: "{}" });
  });
  for (const spelling of [key, data.note, data.digits]) expect(text).not.toContain(spelling);
  expect(text).toMatch(
    /note: "\$\{\{ secrets\.note \}\}"\s+digits: "\$\{\{ secrets\.digits \}\}"\s+plain: Key \$\{\{ secrets\.\w+ \}\}/,
  );
});

function createdWith(data: object, more: readonly object[] = []): RecordingClient {
  const client = new RecordingClient();
  for (const each of [data, ...more]) {
    const request = { method: "POST", body: JSON.stringify({ assetType: "Property", data: each }) };
    client.record("http://127.0.0.1:1/tokenize/app1/asset?actAs=userId:alice", request, { status: 200, text: "{}" });
  }
  return client;
}

test(
  "data that looks like an expression is sent unchanged, and a secret number stays a number",
  {
    timeout: 60_000,
  },
  async () => {
    const data = { id: "A1", all: "${{ 1 + 1 }}", some: "see $${{ secrets }} and ${{", doorPassword: 73519284 };
    const { text = "" } = importHar("session.har", createdWith(data).archive());
    expect(checkDocument("session.yaml", text).diagnostics).toEqual([]);
    await onNew(async (served) => {
      const named = { ...served, keys: { ...served.keys, DOOR_PASSWORD: "73519284" } };
      const here = await withTokenbook({ file: "session.yaml", text, folder: temporaryFolder() }, named);
      expect(here.code, here.output).toBe(0);
      const read = await fetch(`${served.url}/tokenize/app1/asset?assetType=Property&id=A1&actAs=userId:alice`, {
        headers: { "x-api-key": served.keys["LEDGER_API_KEY"] ?? "" },
      });
      expect(await read.json()).toMatchObject({ data });
    });
  },
);

test("each value below a name that suggests a secret becomes its own secret", () => {
  const first = { id: "A1", apiToken: { value: "hunter2-hunter2", pins: [4242, "tiger5"], active: true }, password: "a${{b" };
  const { text = "" } = importHar(
    "session.har",
    createdWith(first, [{ id: "A2", api_token: "swordfish", password: "abc" }]).archive(),
  );
  for (const secret of ["hunter2", "4242", "tiger5", "a$", "{{b", "abc", "swordfish"]) expect(text).not.toContain(secret);
  expect(text).toContain("active: true");
  const variables = Array.from(text.matchAll(/env:(\w+)/g), ([, name]) => name);
  expect(variables).toEqual(["API_TOKEN", "API_TOKEN_2", "API_TOKEN_3", "PASSWORD", "API_TOKEN_4", "PASSWORD_2"]);
  expect(checkDocument("session.yaml", text).diagnostics).toEqual([]);
});

test("the message of a failed receipt is not expected if it holds a key", () => {
  const key = "a-key-of-alice-4242";
  const { text, diagnostics } = imported((client) => {
    const headers = { "X-API-KEY": key };
    const url = "http://127.0.0.1:1/tokenize/app1";
    client.record(`${url}/token/mint?actAs=userId:alice`, { ...MINT, headers }, { status: 200, text: '{"receiptId":"r1"}' });
    const failed = JSON.stringify({ status: "FAILED", message: `no rights: ${key}` });
    client.record(`${url}/asset/receipt?receiptId=r1&actAs=userId:alice`, { headers }, { status: 200, text: failed });
  });
  expect(text).not.toContain("4242");
  expect(diagnostics.map(({ message }) => message)).toEqual(["the message of this refusal is not expected"]);
});

test.for([
  ["http://other.example/tokenize/app1", "http://127.0.0.1:1 and here http://other.example", "http://127.0.0.1:1/"],
  ["https://127.0.0.1:1/tokenize/app1", "http://127.0.0.1:1 and here https://127.0.0.1:1", "http://127.0.0.1:1/"],
  ["http://127.0.0.1:1/tokenize/app2", "at 127.0.0.1:1", "leave the entries"],
  ["http://127.0.0.1:1/key-4242/tokenize/app1", "at 127.0.0.1:1", "leave the entries"],
] as const)("an archive of two services is refused: %s", ([other, which, fix]) => {
  const { text, diagnostics } = imported((client) => {
    client.record(TOKEN, {}, { status: 200, text: "{}" });
    client.record("http://127.0.0.1:2/api/v1/no-call", {}, { status: 200, text: "{}" });
    client.record("http://investor.example/api/v/1/token-sales", {}, { status: 200, text: "{}" });
    for (const _ of [1, 2]) client.record(`${other}/token?id=GOLD1&actAs=userId:alice`, {}, { status: 200, text: "{}" });
  });
  const refusals = diagnostics.filter(({ code }) => code === "interchange.refused");
  expect([text, refusals.length, refusals[0]?.suggestion?.includes(fix)]).toEqual([undefined, 1, true]);
  expect(refusals[0]?.message).toContain(which);
  expect(diagnostics.map(formatDiagnostic).join("\n")).not.toContain("key-4242");
});

test("an archive without a call of the service is refused", () => {
  const { text, diagnostics } = imported((client) => client.record("https://other.example/", {}, { status: 200, text: "" }));
  expect(text).toBeUndefined();
  expect(diagnostics.at(-1)?.message).toBe("no request of this archive calls the service");
});

const KEY = "sk-live-4242424242424242";
const ENTRY = JSON.stringify({ request: { method: "GET", url: TOKEN, headers: [{ name: "x-api-key", value: KEY }] } });

test.for([
  [
    "an archive that is cut off",
    `{"log":{"entries":[${ENTRY},{"request":{"headers":[{"value":"${KEY}`,
    /it ends in the middle, after \d/,
  ],
  ["an archive with a word in it", `{"log":{"entries":[${ENTRY}, ${KEY}]}}`, /it is not JSON/],
  ["brackets without end", "[".repeat(1_000_000), /it is not JSON/],
  ["a list", "[]", /it has no list log.entries/],
  ["too many entries", `{"log":{"entries":[${"0,".repeat(LIMITS.keptExchanges)}0]}}`, /more than .* entries/],
  ["an entry without an address", `{"log":{"entries":[{"request":{"url":"${KEY}"}}]}}`, /log\.entries\[0\]/],
] as const)("%s gives one clear error that quotes nothing", ([, text, says]) => {
  let error: unknown;
  try {
    importHar("session.har", text);
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof Failure)) throw new Error("no Failure", { cause: error });
  expect(error.code).toBe("har.invalid");
  expect(error.message).toMatch(says);
  expect(error.message + String(error.next)).not.toContain("4242");
});
