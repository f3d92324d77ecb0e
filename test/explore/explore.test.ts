import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/ports.ts";
import { contract } from "../../src/contract/contract.ts";
import { Decimal } from "../../src/base/numbers/decimal.ts";
import { profileWith } from "../../src/contract/profile.ts";
import { Asker, type Carry } from "../../src/explore/ask.ts";
import { playbookOf } from "../../src/explore/found-playbook.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { withMoreLooks } from "../../src/explore/shorten.ts";
import { MAKERS, sequenceOf } from "../../src/explore/sequence.ts";
import { checkPlaybook } from "../../src/playbook/check.ts";
import { LEDGER_RULES } from "../../src/sandbox/ledger/operations.ts";
import { isNightly } from "../sizes.ts";
import { filesBelow, newProject, temporaryFolder } from "../stories/world.ts";
import { serve } from "../unit/engine/server.ts";
import { PLANTED_BUGS } from "./bugs.ts";
import { brokenSandbox, exploreSandbox } from "./hunt.ts";
import { runPlaybook } from "./run-playbook.ts";

const PATIENCE_MS = 600_000;
const TYPES = [{ name: "Property", primaryKey: "id" }];

test("explore finds nothing in a correct sandbox", { timeout: PATIENCE_MS }, async () => {
  const sandbox = await brokenSandbox();
  const { sequences, findings, lost } = await exploreSandbox(sandbox, { sequences: 10, timeMs: PATIENCE_MS });
  expect({ sequences, findings, lost }).toEqual({ sequences: 10, findings: [], lost: 0 });
  await sandbox.close();
});

// Bugs that a few sequences find. `npm run explore:bugs` looks for all of them.
const QUICK = isNightly ? ["created-twice", "stranger-votes", "approval-counted-twice"] : ["stranger-votes"];

describe("planted bugs (all of them, or one by its name: npm run explore:bugs -- NAME)", () => {
  test.for(QUICK)("explore finds %s, and shows it with a playbook of at most 6 steps", { timeout: PATIENCE_MS }, async (name) => {
    const broken = await brokenSandbox(PLANTED_BUGS[name]?.flaw);
    const { findings } = await exploreSandbox(broken, { timeMs: PATIENCE_MS });
    expect(findings, `npm run explore:bugs -- ${name}`).toMatchObject([{ isRepeatable: true }]);
    const [{ playbook, steps } = { playbook: "", steps: 0 }] = findings;
    expect(steps, playbook).toBeLessThanOrEqual(6);
    const good = await brokenSandbox();
    const file = join(temporaryFolder(), "found.yaml");
    writeFileSync(file, playbook);
    const [onBroken, onGood] = [await runPlaybook(file, broken), await runPlaybook(file, good)];
    expect([onBroken.code, onGood.code], `${playbook}\n${onBroken.output}\n${onGood.output}`).toEqual([
      expect.not.toBeOneOf([0, 2]) as number,
      0,
    ]);
    await Promise.all([broken.close(), good.close()]);
  });

  test(
    "explore finds a write that takes effect although it is refused, with a playbook that fails",
    { timeout: PATIENCE_MS },
    async () => {
      const faults = [{ operation: "ledger.token.mint", fault: { "status-after": 403 } }];
      const broken = await startSandbox({ path: ":memory:", commitDelayMs: 0, seed: {}, faults });
      const { findings } = await exploreSandbox(broken, { timeMs: PATIENCE_MS });
      const [{ what, playbook } = { what: "", playbook: "" }] = findings;
      expect(what).toMatch(/^ledger\.token\.mint must succeed, and does not/);
      const good = await brokenSandbox();
      const file = join(temporaryFolder(), "found.yaml");
      writeFileSync(file, playbook);
      const [onBroken, onGood] = [await runPlaybook(file, broken), await runPlaybook(file, good)];
      expect([onBroken.code, onGood.code], `${playbook}\n${onBroken.output}\n${onGood.output}`).toEqual([1, 0]);
      await Promise.all([broken.close(), good.close()]);
    },
  );

  test("there are at least 30 bugs, each with the sentence that it breaks", () => {
    expect(Object.keys(PLANTED_BUGS).length).toBeGreaterThanOrEqual(30);
    for (const { breaks, sentence } of Object.values(PLANTED_BUGS)) expect([breaks, sentence]).not.toContain("");
  });
});

describe("an answer is read with the profile of the service", () => {
  const ANSWERS = [
    [
      "the bookmark of the last page ends a list",
      { ledger: { lastBookmark: "nil" } },
      { status: 200, text: '{"count":1,"bookmark":"nil","records":[{"name":"Gold"}]}' },
      { kind: "done", payload: [{ name: "Gold" }] },
    ],
    [
      "numbers that are written as texts are numbers",
      { numbers: "text" },
      { status: 200, text: '{"count":"1","records":[{"totalSupply":"5.0"}]}' },
      { kind: "done", payload: [{ totalSupply: Decimal.parse("5.0") }] },
    ],
    [
      "the code of a condition is a refusal",
      { conditionStatus: { "invalid parameters": 500 } },
      { status: 500, text: '{"condition":"invalid parameters"}' },
      { kind: "refused", condition: "invalid parameters" },
    ],
    [
      "the code of a server error is no refusal",
      { conditionStatus: { "server error": 508 } },
      { status: 508, text: '{"condition":"server error"}' },
      { kind: "broken", why: "HTTP 508" },
    ],
  ] as const;
  test.for(ANSWERS)("%s", async ([, overrides, answer, said]) => {
    const asker = new Asker(async () => answer, { profile: profileWith(overrides), clock: systemClock });
    expect(await asker.ask({ uses: "ledger.token.list", input: {}, actingEntity: "userId:ana" })).toEqual(said);
    expect(asker.requests).toBe(1);
  });
});

describe("a service that does not answer as one", () => {
  const ANSWERS = [
    ["a page to log in", { body: "<html>log in</html>" }],
    ["a gateway's time limit in JSON", { status: 504, body: '{"message":"Endpoint request timed out"}' }],
    ["a key that has expired", { status: 401, body: '{"message":"key expired"}' }],
  ] as const;
  test.for(ANSWERS)("%s is no mistake of the service", { timeout: PATIENCE_MS }, async ([, answer]) => {
    const stats = JSON.stringify({ totalCount: 1, countByType: [{ assetType: "Deed", count: 1 }] });
    const { url } = await serve(({ path }) => (path === "/asset/stats" ? { body: stats } : answer));
    const project = newProject({ LEDGER_KEY: "c4nary-ledger-key" });
    project.write("tokenbook.yaml", environmentOf(url, { appId: "app1", orgId: "org1" }));
    const ended = await project.run("explore", "--env", "here", "--seed", "3", "--sequences", "5");
    expect(ended.code, ended.transcript).toBe(1);
    expect(ended.stderr).toContain("explore.lost");
    expect(ended.stdout).toMatch(/^✗ nothing can be said: .* may stay in the service/);
    expect(ended.transcript).not.toContain("this sentence of the description");
  });

  test("a list without an end leads to no finding about other calls, and is named", { timeout: PATIENCE_MS }, async () => {
    const sandbox = await brokenSandbox();
    let pages = 0;
    const spoil =
      (carry: Carry): Carry =>
      async (operation, request) => {
        if (operation.name !== "ledger.transfer.mine") return carry(operation, request);
        return { status: 200, text: JSON.stringify({ count: 1, bookmark: `b${pages++}`, records: [{ id: "other" }] }) };
      };
    const explored = await exploreSandbox(sandbox, { seed: 7, sequences: 60, timeMs: PATIENCE_MS, spoil });
    expect(explored).toMatchObject({ findings: [], lost: 0, unread: ["ledger.transfer.mine"] });
    await sandbox.close();
  });

  test("an error that does not come again is reported with doubt", { timeout: PATIENCE_MS }, async () => {
    const sandbox = await brokenSandbox();
    let isDone = false;
    const spoil =
      (carry: Carry): Carry =>
      async (operation, request) => {
        if (isDone || operation.name !== "ledger.token.create") return carry(operation, request);
        isDone = true;
        return { status: 500, text: "{}" };
      };
    const { findings } = await exploreSandbox(sandbox, { sequences: 12, timeMs: PATIENCE_MS, spoil });
    expect(findings).toMatchObject([{ isRepeatable: false, repeated: "not again" }]);
    expect(findings[0]?.playbook).toMatch(/ledger\.token\.create may break this sentence .* it did not appear again/);
    await sandbox.close();
  });

  test("answers that are slow do not keep it beyond its time", { timeout: PATIENCE_MS }, async () => {
    const sandbox = await brokenSandbox();
    let requests = 0;
    const spoil =
      (carry: Carry): Carry =>
      async (operation, request) => {
        requests += 1;
        return carry(operation, request);
      };
    const clock = { ...systemClock, elapsed: () => requests * 60_000 };
    const explored = await exploreSandbox(sandbox, { timeMs: 1_000, clock, spoil });
    expect(explored).toMatchObject({ sequences: 0, findings: [] });
    expect(requests).toBeLessThanOrEqual(3 * LIMITS.exploreAtOnce);
    await sandbox.close();
  });
});

test.runIf(isNightly)(
  "explore finds a bug that the reference has too, because the numbers do not add up",
  { timeout: PATIENCE_MS },
  async () => {
    const flaw = PLANTED_BUGS["burn-keeps-supply"]?.flaw;
    const broken = await brokenSandbox(flaw);
    const { findings } = await exploreSandbox(broken, {
      timeMs: PATIENCE_MS,
      ...(flaw === undefined ? {} : { referenceRules: flaw(LEDGER_RULES) }),
    });
    expect(findings).toMatchObject([{ what: expect.stringContaining("a token does not add up") as string }]);
    expect(findings[0]?.playbook).toContain("conserve:");
    await broken.close();
  },
);

test("explore does not shorten a finding after it was stopped", { timeout: PATIENCE_MS }, async () => {
  const faults = [{ operation: "ledger.account.*", fault: { status: 500 } }];
  const broken = await startSandbox({ path: ":memory:", commitDelayMs: 0, seed: {}, faults });
  const stop = new AbortController();
  const spoil =
    (carry: Carry): Carry =>
    async (operation, request) => {
      stop.abort(); // each lane has begun a sequence
      return carry(operation, request);
    };
  const { findings, sequences } = await exploreSandbox(broken, { stopping: stop.signal, spoil, findings: 100 });
  expect(sequences).toBe(LIMITS.exploreAtOnce);
  expect(findings[0]?.steps).toBeGreaterThan(2); // two steps would be enough to show the bug
  await broken.close();
});

test("the page of a gateway counts as a lost answer, not as a bug of the service", { timeout: PATIENCE_MS }, async () => {
  const faults = [{ operation: "ledger.account.*", fault: { gateway: 503, body: "text" } }] as const;
  const behind = await startSandbox({ path: ":memory:", commitDelayMs: 0, seed: {}, faults });
  const { findings, lost, lastLoss } = await exploreSandbox(behind, { sequences: 30 });
  expect({ findings, lastLoss }).toEqual({ findings: [], lastLoss: "HTTP 503 without JSON" });
  expect(lost).toBeGreaterThan(0);
  await behind.close();
});

test("a seed and a number always give the same sequence, and each operation is called or has a reason", () => {
  expect(sequenceOf(7, 12, TYPES)).toEqual(sequenceOf(7, 12, TYPES));
  expect(sequenceOf(7, 12, TYPES)).not.toEqual(sequenceOf(8, 12, TYPES));
  const numbers = [...Array(600).keys()];
  const called = new Set(numbers.flatMap((number) => sequenceOf(1, number, TYPES)).map(({ uses }) => uses));
  const ledger = Object.values(contract.operations).filter((operation) => operation.interface === "ledger");
  const never = ledger.map(({ name }) => name).filter((name) => !called.has(name as keyof typeof MAKERS));
  expect(never.filter((name) => typeof MAKERS[name as keyof typeof MAKERS] !== "string")).toEqual([]);
  const sequence = sequenceOf(7, 12, TYPES);
  expect(new Set(withMoreLooks(sequence).map(({ id }) => id)).size).toBe(withMoreLooks(sequence).length);
});

test("a text of the service is never an expression in the playbook", () => {
  const said = "there is no ${{ secrets.KEY }}";
  const get = { id: "get1", as: "ana", uses: "ledger.asset.get", with: { assetType: "Deed", id: "A1" } } as const;
  for (const wrong of [
    { kind: "not done", said },
    { kind: "differs", difference: { path: ["data", "note"], expected: said, seen: `${said}!` } },
  ] as const) {
    const found = {
      key: "x",
      steps: [get],
      refused: new Map(),
      called: new Map(),
      lost: undefined,
      isCut: false,
      hasWritten: true,
      wrong,
    };
    expect(checkPlaybook("found.yaml", playbookOf(found, { origin: "Found.", repeated: "again" })).diagnostics).toEqual([]);
  }
});

describe("tokenbook explore", () => {
  test(
    "writes a playbook of its finding, shows the broken sentence, and removes its data",
    { timeout: PATIENCE_MS },
    async () => {
      // The service has a name that a playbook would read as an expression.
      const seed = { assetTypes: ["Deed ${{ secrets.KEY }}"] };
      const broken = await brokenSandbox(PLANTED_BUGS["asset-delete-by-anybody"]?.flaw, seed);
      const project = newProject({ LEDGER_KEY: broken.ledgerApiKey });
      project.write("tokenbook.yaml", environmentOf(broken.ledgerBaseUrl, broken));
      const options = ["--seed", "3", "--output", "found"];
      const ended = await project.run("explore", "--env", "here", ...options, "--sequences", "12", "--time", "10m");
      expect(ended.code, ended.transcript).toBe(1);
      expect(ended.stderr).toMatch(
        /✗ ledger\.asset\.delete does what it must refuse: unauthorized caller\n +ledger\.asset\.delete breaks this sentence of the description \(B\.1\): \S/,
      );
      const files = readdirSync(join(project.folder, "found"));
      expect(files.length, ended.transcript).toBeGreaterThan(0);
      for (const file of files) {
        const text = readFileSync(join(project.folder, "found", file), "utf8");
        expect((await project.run("check", `found/${file}`)).code, text).toBe(0);
        expect(text).toContain('Deed ${{ "$" }}{{ secrets.KEY }}');
      }
      const left = broken
        .contents()
        .resources.filter(({ kind, value }) => kind === "asset" && !JSON.stringify(value).includes("vaultId"));
      expect(left).toEqual([]);
      await broken.close();
    },
  );

  test("prints and writes no key that a service repeats", { timeout: PATIENCE_MS }, async () => {
    const key = "c4nary-ledger-key";
    const stats = JSON.stringify({ totalCount: 1, countByType: [{ assetType: "Deed", count: 1 }] });
    const refusal = JSON.stringify({ status: "Error", message: `no ${key}`, condition: `no ${key}` });
    let does = "nothing";
    const { url } = await serve(({ path, method }) => {
      if (path === "/asset/stats") return { body: stats };
      if (path.startsWith("/asset/receipt")) return { body: '{"transactionId":"t","status":"COMMITTED","message":""}' };
      const isDone = method === "POST" && path.startsWith(does);
      return isDone ? { status: 201, body: '{"transactionId":"t","receiptId":"r"}' } : { status: 422, body: refusal };
    });
    const project = newProject({ LEDGER_KEY: key });
    project.write("tokenbook.yaml", environmentOf(url, { appId: "app1", orgId: "org1" }));
    const refused = await project.run("explore", "--env", "here", "--seed", "3", "--output", "found", "--sequences", "5");
    expect([refused.code, refused.stdout], refused.transcript).toEqual([1, ""]);
    expect(refused.stderr).toContain("every write of 5 sequences, the last one because: no ${{ secrets.LEDGER_API_KEY }}");
    expect(existsSync(join(project.folder, "found")), "a refusal of everything is no finding").toBe(false);
    does = "/asset";
    const ended = await project.run("explore", "--env", "here", "--seed", "3", "--output", "found", "--sequences", "5", "--json");
    expect(ended.code, ended.transcript).toBe(1);
    const files = filesBelow(join(project.folder, "found"));
    expect(files.length, ended.transcript).toBeGreaterThan(0);
    const texts = [ended.stdout, ended.stderr, ...files.map((file) => readFileSync(file, "utf8"))];
    for (const text of texts) expect(text).toContain("secrets.LEDGER_API_KEY");
    for (const text of texts) expect(text).not.toContain(key);
  });

  test("never touches a protected environment", async () => {
    const sandbox = await brokenSandbox();
    const project = newProject({ LEDGER_KEY: sandbox.ledgerApiKey });
    project.write("tokenbook.yaml", environmentOf(sandbox.ledgerBaseUrl, sandbox, "protected: true"));
    const ended = await project.run("explore", "--env", "here");
    expect([ended.code, ended.stdout], ended.transcript).toEqual([2, ""]);
    expect(ended.stderr).toContain("explore.protected");
    expect(sandbox.contents().commits).toEqual([]);
    await sandbox.close();
  });

  test("fails if its time is over before the first call", async () => {
    const ended = await newProject({}).run("explore", "--env", "sandbox", "--time", "0s");
    expect([ended.code, ended.stdout], ended.transcript).toEqual([2, ""]);
    expect(ended.stderr).toContain("explore.nothing");
  });

  test("reports lost answers", { timeout: PATIENCE_MS }, async () => {
    const sandbox = await brokenSandbox();
    const project = newProject({ LEDGER_KEY: sandbox.ledgerApiKey });
    project.write("tokenbook.yaml", environmentOf("http://127.0.0.1:9", sandbox));
    const ended = await project.run("explore", "--env", "here");
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr).toContain("explore.no-service");
    await sandbox.close();
  });
});

function environmentOf(baseUrl: string, { appId, orgId }: { readonly appId: string; readonly orgId: string }, more = ""): string {
  const ledger = `{ baseUrl: "${baseUrl}", appId: ${appId}, orgId: ${orgId}, apiKey: env:LEDGER_KEY }`;
  return `environments:\n  here:\n    ledger: ${ledger}\n${more === "" ? "" : `    ${more}\n`}`;
}
