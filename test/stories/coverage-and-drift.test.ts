import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Coverage } from "../../src/coverage/coverage.ts";
import { agreementOn } from "../coverage/redocly.ts";
import { MINT_ONCE, newProject, ROOT, servedSandbox } from "./world.ts";

const SCENARIOS = ["approvals.yaml", "identity.yaml", "sales.yaml"];

function coverageIn(text: string): Coverage {
  return JSON.parse(text) as Coverage;
}

test("coverage counts the same items as redocly, and writes every format", async () => {
  const project = newProject({});
  for (const name of SCENARIOS) cpSync(join(ROOT, "playbooks/scenarios", name), join(project.folder, name));
  const run = await project.run("run", ...SCENARIOS, "--report", "har=all.har");
  expect(run.code, run.transcript).toBe(0);
  const covered = await project.run("coverage", "--json");
  for (const { differences, dimension, ours, theirs } of agreementOn(
    [join(project.folder, "all.har")],
    coverageIn(covered.stdout),
  )) {
    expect(differences, dimension).toEqual([]);
    expect(ours, dimension).toBe(theirs);
  }

  const below = await project.run(
    "coverage",
    "--report",
    "html=c.html,junit=c.xml,json=c.json",
    "--fail-under",
    "operations=10,parameters=90",
  );
  expect(below.code, below.transcript).toBe(1);
  expect(below.stderr).toMatch(/^coverage of parameters is \d+% \(\d+ of 134\), less than 90%\n$/);
  expect(below.lines.at(-1)).toMatch(/^ +\d+% /);
  expect(coverageIn(project.read("c.json"))).toEqual(coverageIn(covered.stdout));
  expect(project.read("c.xml")).toMatch(/<testsuite name="coverage" tests="8" failures="1"/);
  const page = project.read("c.html");
  const links = Array.from(page.matchAll(/href="#([^"]+)"/g), ([, to]) => to ?? "");
  const targets = new Set(Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
  expect(links.filter((to) => !targets.has(to))).toEqual([]);
  expect(links.filter((to) => to.startsWith("step-")).length).toBeGreaterThan(100);

  const other = await project.run("coverage", "--report", "md=c.md");
  expect(other.code, other.transcript).toBe(2);
  expect(other.stderr).toContain("coverage.format");
  const unknown = await project.run("coverage", "--report", "pdf=c.pdf");
  expect(unknown.stderr, unknown.transcript).toContain("with a format of json, html, junit.");
});

const NOT_SENT = `playbook: 1
inputs:
  given: { type: object, properties: { id: { type: string } }, required: [], default: {} }
actors: { alice: { ledger: "userId:alice" } }
defaults: { as: alice }
steps:
  - id: made
    uses: ledger.asset.create
    with: { assetType: Document, data: { id: "D\${{ run.key }}" } }
  - id: before
    uses: ledger.asset.put
    with: { assetType: Document, data: { id: "\${{ steps.made.id }}" } }
    ensure:
      read: ledger.asset.get
      with: { assetType: Document, id: "\${{ steps.made.id }}" }
      that: response.id == steps.made.id
  - block:
      - uses: ledger.token.mint
        with: { id: "\${{ inputs.given.id }}", to: "\${{ actors.alice }}", value: "1" }
    rescue: [{ uses: ledger.asset.stats }]
  - uses: ledger.token.get
    with: { id: "\${{ inputs.given.id }}" }
`;

test("coverage does not count an operation whose request never left", async () => {
  const project = newProject();
  const { url } = await servedSandbox({});
  project.serviceAt(url);
  project.write("not-sent.yaml", NOT_SENT);
  expect((await project.run("run", "not-sent.yaml")).code).toBe(1);
  const calledIn = async (): Promise<readonly string[]> => {
    const covered = await project.run("coverage", "latest", "--json");
    const isCovered = ({ items }: Coverage["operations"][number]): boolean =>
      [...items.operations, ...items.successes].some(({ by }) => by !== null);
    return coverageIn(covered.stdout).operations.flatMap((each) => (isCovered(each) ? [each.operation] : []));
  };
  expect(await calledIn()).toEqual(["ledger.asset.create", "ledger.asset.stats"]);

  project.write("read.yaml", "playbook: 1\nmode: read-only\nsteps: [{ uses: ledger.asset.stats }]\n");
  project.serviceAt("http://127.0.0.1:9");
  const unreachable = await project.run("run", "read.yaml");
  expect(unreachable.transcript).toContain("service.unreachable");
  expect(await calledIn()).toEqual([]);
});

const REFUSED = `playbook: 1
actors: { alice: { ledger: "userId:alice" } }
defaults: { as: alice }
steps:
  - id: planned
    uses: ledger.vault.assets
    with: { id: none }
    fails: { status: 500 }
  - id: failed
    uses: ledger.asset.delete
    with: { assetType: Document, id: A1 }
    fails: { condition: asset not found }
`;

test("coverage counts no refusal of a planned fault, and shows the verdict of a lost answer", async () => {
  const faults = [
    { operation: "ledger.vault.assets", nth: 1, fault: { status: 500 } },
    { operation: "ledger.token.mint", nth: 1, fault: "drop-after" },
    { operation: "ledger.asset.delete", fault: { "receipt-failed": "asset not found: A1" } },
  ];
  const project = newProject();
  project.serviceAt((await servedSandbox({ faults })).url);
  project.write("mint.yaml", MINT_ONCE);
  project.write("refused.yaml", REFUSED);
  for (const args of [["mint.yaml"], ["refused.yaml", "--keep-exchanges"]]) {
    const run = await project.run("run", ...args);
    expect(run.code, run.transcript).toBe(0);
  }
  const refusalsOf = async (): Promise<readonly unknown[]> => {
    const covered = await project.run("coverage", "--json");
    expect(covered.stderr, covered.transcript).toContain("kept no exchanges");
    const { operations } = coverageIn(covered.stdout);
    const mint = operations.find(({ operation }) => operation === "ledger.token.mint");
    expect(mint?.items.lost.filter(({ by }) => by !== null)).toMatchObject([{ name: "no answer", verdicts: ["applied"] }]);
    expect(mint?.actors).toEqual(["userId:alice"]);
    const struck = operations.filter(({ operation }) => ["ledger.vault.assets", "ledger.asset.delete"].includes(operation));
    return struck.flatMap(({ items }) => items.refusals.filter(({ by }) => by !== null));
  };
  expect(await refusalsOf()).toEqual([]);
  project.write("refused.yaml", REFUSED.replace("status: 500", "condition: vault not found"));
  const real = await project.run("run", "refused.yaml", "--keep-exchanges");
  expect(real.code, real.transcript).toBe(0);
  expect(await refusalsOf()).toMatchObject([{ name: "vault not found", by: { step: "planned" } }]);
});

const RECEIPT = { transactionId: "tx1", status: "SETTLED", message: null, block: 7 };

function entryOf(path: string, status: number, body: unknown): object {
  const content = { size: 0, mimeType: "application/json", text: JSON.stringify(body) };
  return {
    startedDateTime: "2026-01-01T00:00:00Z",
    request: { method: "GET", url: `https://ledger.example${path}` },
    response: { status, content },
  };
}

interface Drift {
  readonly new: number;
  readonly findings: readonly { readonly id: string; readonly kind: string; readonly where: string; readonly callsFor: string }[];
}

test.for(["text", "json"])("contract drift shows no key, cookie or secret field of an archive, in %s", async (format) => {
  const project = newProject({});
  const path = "/tokenize/app9/asset/receipt?receiptId=r1&access_token=LIVE-query-99";
  const secret = (name: string): string => `LIVE-${name}-99`;
  const entry = (status: number, content: object): object => {
    const { request, ...rest } = entryOf(path, status, content) as { readonly request: object };
    const headers = [
      { name: "X-Api-Key", value: secret("key") },
      { name: "Cookie", value: `sid=${secret("cookie")}` },
    ];
    return { ...rest, request: { ...request, headers } };
  };
  const condition = `bad key ${secret("key")}, ${secret("cookie")}, ${encodeURIComponent(secret("query"))}`;
  const entries = [
    entry(200, { ...RECEIPT, apiKey: secret("key"), sessionToken: secret("session"), nested: { password: secret("nested") } }),
    // Everything below a field that is named like a secret may be a secret.
    entry(200, { ...RECEIPT, accessToken: { value: secret("below"), all: [{ one: secret("list") }] }, password: 9917_445_501 }),
    entry(400, { status: "Error", message: "x", condition }),
  ];
  project.write("session.har", JSON.stringify({ log: { version: "1.2", entries } }));
  const found = await project.run("contract", "drift", "--har", "session.har", ...(format === "json" ? ["--json"] : []));
  expect(found.code, found.transcript).toBe(3);
  expect(found.stdout, found.transcript).toContain("secrets.X_API_KEY");
  expect(found.transcript).not.toMatch(/LIVE-|9917445501/);
});

test("contract drift lists each difference from the contract, and exits with 3 as long as one is new", async () => {
  const project = newProject({});
  const path = "/some/tokenize/app9/asset/receipt?receiptId=r1";
  const write = (entries: readonly object[]): void =>
    project.write("session.har", JSON.stringify({ log: { version: "1.2", entries } }));
  write([
    ...Array.from({ length: 20 }, () => entryOf(path, 200, RECEIPT)),
    entryOf(path, 418, { status: "Error", message: "no", condition: "too early" }),
    entryOf(path, 202, {}),
    entryOf("/elsewhere", 200, { any: "thing" }),
  ]);
  const first = await project.run("contract", "drift", "--har", "session.har", "--json");
  expect(first.code, first.transcript).toBe(3);
  const { findings } = JSON.parse(first.stdout) as Drift;
  expect(findings.map(({ kind, where }) => `${kind} ${where}`)).toEqual([
    "word status",
    "type message",
    "field block",
    "status 418",
    "condition condition",
    "status 202",
  ]);
  expect(findings.map(({ callsFor }) => callsFor)).toEqual(
    expect.arrayContaining([
      'profile: ledger.receipt, with "SETTLED" where it belongs',
      "schemas/ledger.openapi.yaml, components.schemas.Receipt: block: { type: number }",
      expect.stringMatching(/^profile: \{ refusals: \[.*, 418\] \}$/) as string,
    ]),
  );

  const second = await project.run("contract", "drift", "--har", "session.har", "--json");
  expect(second.code, second.transcript).toBe(0);
  expect((JSON.parse(second.stdout) as Drift).findings.map(({ id }) => id)).toEqual(findings.map(({ id }) => id));

  const { message: _, ...without } = RECEIPT;
  write(Array.from({ length: 20 }, () => entryOf(path, 200, without)));
  const third = await project.run("contract", "drift", "--har", "session.har");
  expect(third.code, third.transcript).toBe(3);
  expect(third.stdout).toMatch(
    /new +ledger\.receipt\.get {2}never there message: the contract describes it, and none of 20 answers has it/,
  );
  expect(third.lines.at(-1)).toBe("20 exchanges: 3 findings, 1 new");

  for (const [text, why] of [
    ["{", "it is not JSON"],
    ["{}", "it has no list log.entries"],
    ['{"log":{"entries":[{}]}}', "log.entries[0]"],
  ] as const) {
    project.write("broken.har", text);
    const broken = await project.run("contract", "drift", "--har", "broken.har");
    expect(broken.code, broken.transcript).toBe(2);
    expect(broken.stderr).toContain(why);
  }
  expect((await project.run("contract", "drift")).stderr).toContain("contract.which");
});

test("contract drift of an archive in which nothing can be compared is no success", async () => {
  const project = newProject({});
  const path = "/some/tokenize/app9/asset/receipt?receiptId=r1";
  const [answer, without] = [entryOf(path, 200, RECEIPT), entryOf(path, 200, undefined)];
  for (const [entries, found] of [
    [[], "0 exchanges"],
    [[entryOf("/elsewhere", 200, { any: "thing" })], "1 exchange"],
    [[without, without], "2 exchanges"],
  ] as const) {
    project.write("session.har", JSON.stringify({ log: { version: "1.2", entries } }));
    const drift = await project.run("contract", "drift", "--har", "session.har");
    expect([drift.code, drift.stdout], drift.transcript).toEqual([2, ""]);
    expect(drift.stderr).toMatch(new RegExp(`^error contract\\.nothing-compared\n.* session\\.har has ${found}, `));
  }
  project.write("session.har", JSON.stringify({ log: { version: "1.2", entries: [without, answer] } }));
  const part = await project.run("contract", "drift", "--har", "session.har");
  expect(part.lines.at(-1), part.transcript).toMatch(/^2 exchanges, 1 of them compared: \d+ findings, /);
});

test("contract drift ignores web pages and errors of a gateway, and reads numbers as the profile says", async () => {
  const project = newProject({});
  const path = "/tokenize/app9/asset/stats";
  const page = { startedDateTime: "2026-01-01T00:00:00Z", request: { method: "GET", url: `https://ledger.example${path}` } };
  const entries = [
    { ...page, response: { status: 200, content: { mimeType: "text/html", text: "<html>Sign in</html>" } } },
    { ...page, response: { status: 200, content: {} } },
    entryOf(path, 200, { totalCount: "1", countByType: [{ assetType: "Bond", count: "1" }] }),
    entryOf(path, 502, { message: "bad gateway" }),
    entryOf(path, 408, { message: "timeout" }),
    entryOf(path, 410, { message: "gone" }),
  ];
  project.write("session.har", JSON.stringify({ log: { version: "1.2", entries } }));
  const ledger = '{ baseUrl: "https://ledger.example", appId: app9, orgId: org1, apiKey: env:LEDGER_KEY }';
  project.write("tokenbook.yaml", `environments: { texts: { ledger: ${ledger}, profile: { numbers: text } } }`);
  const found = await project.run("contract", "drift", "--har", "session.har", "--env", "texts", "--json");
  expect(found.code, found.transcript).toBe(3);
  const { findings } = JSON.parse(found.stdout) as Drift;
  expect(findings.map(({ kind, where, callsFor }) => `${kind} ${where}: ${callsFor}`)).toEqual([
    "type answer: JSON by schemas/ledger.openapi.yaml, GET /asset/stats",
    "status 410: profile: ledger.errors, with the form of this error if no gateway writes it",
  ]);
  project.write("tokenbook.yaml", `environments: { plain: { ledger: ${ledger} } }`);
  const plain = await project.run("contract", "drift", "--har", "session.har", "--env", "plain", "--json");
  const types = (JSON.parse(plain.stdout) as Drift).findings.filter(({ kind, where }) => kind === "type" && where !== "answer");
  expect(types.map(({ where, callsFor }) => `${where}: ${callsFor}`)).toEqual([
    "totalCount: profile: { numbers: text }",
    "countByType[].count: profile: { numbers: text }",
  ]);
});

test("contract drift reads the exchanges that the runs of an environment kept", async () => {
  const project = newProject({});
  cpSync(join(ROOT, "playbooks/scenarios/approvals.yaml"), join(project.folder, "approvals.yaml"));
  const nothing = await project.run("contract", "drift", "--env", "sandbox");
  expect(nothing.code, nothing.transcript).toBe(2);
  expect(nothing.stderr).toContain("contract.no-exchanges");
  const run = await project.run("run", "approvals.yaml", "--keep-exchanges");
  expect(run.code, run.transcript).toBe(0);
  const drift = await project.run("contract", "drift", "--env", "sandbox");
  expect(drift.code, drift.transcript).toBe(3);
  expect(drift.stdout).toMatch(/new word records\[\]\.trasactionType: "UPDATED" is none of its known words/);
  expect((await project.run("contract", "drift", "--env", "sandbox")).code).toBe(0);
});
