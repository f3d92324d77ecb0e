import { expect, test } from "vitest";
import { DEFAULT_SEED } from "../../src/sandbox/seed/default.ts";
import { answerAfterwards, proxyTo } from "./proxy.ts";
import { KEYS_OF_SANDBOX, lineOf, newProject, operationsOf, runIn, servedSandbox, stepIn, tokenWith } from "./world.ts";

const HEAD = `playbook: 1
actors:
  issuer: { ledger: "userId:alice" }
  buyers: [{ investor: BUYER_KEY }, { investor: SECOND_BUYER_KEY }]
defaults: { as: issuer }
`;

const TOKEN = `  - { id: token, uses: ledger.token.create, with: ${tokenWith("Gold")} }
  - { id: mint, uses: ledger.token.mint, with: { id: Gold, to: "\${{ actors.issuer }}", value: "12.50" } }
`;

const CHECKED = `${HEAD}name: Mint, and look
steps:
${TOKEN}checks:
  - { name: enough was minted, read: ledger.token.get, with: { id: Gold }, that: response.totalSupply >= 20 }
  - { name: it has a description, read: ledger.token.get, with: { id: Gold }, that: 'response.description != ""', severity: warn }
  - conserve: { token: Gold }
  - { foreach: { who: [alice, bob], key: who }, name: no debts, read: ledger.account.list, with: { tokenId: Gold }, that: "response.all(a, a.entity.userId != who || a.balance >= 0)" }
`;

test("a failed check of severity error fails the run, one of severity warn is reported, and all others run", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("checked.yaml", CHECKED);
  const run = await project.run("run", "checked.yaml", "--report", "junit=junit.xml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout, run.transcript).toMatch(/^✗ failed {3}checks\.enough was minted {2}check {2}[\d.]+ m?s$/m);
  expect(run.stdout, run.transcript).toContain("(it is 12.5: 7.5 less)");
  expect(run.stdout, run.transcript).toMatch(
    /^! warned {3}checks\.it has a description .*\n {4}warning:\n {4}expect\.failed: this does not hold/m,
  );
  expect(run.stdout, run.transcript).toMatch(/^✓ ok {7}checks\.3 {2}conserve token {2}check {2}/m);
  for (const who of ["alice", "bob"]) expect(run.stdout, run.transcript).toMatch(lineOf("✓ ok", `checks.no debts[${who}]`));
  expect(run.stdout, run.transcript).toMatch(/^✗ failed {2}Mint, and look: 7 steps: 2 changed, 4 ok, 1 failed, 1 warning in /m);
  const junit = project.read("junit.xml");
  expect(junit, junit).toContain('tests="7" failures="1" errors="0" skipped="0"');
  expect(junit, junit).toMatch(
    /name="checks\.it has a description" file="[^"]*" time="[^"]*">\s*<system-out><!\[CDATA\[warning:\nexpect\.failed/,
  );

  await world.call("POST /token/mint", "userId:alice", [{ id: "Gold", to: { orgId: "org1", userId: "alice" }, value: 10 }]);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create", "ledger.token.mint", "ledger.token.mint"]);
});

test("a check with an empty list fails its run or warns: it never passes in silence", async () => {
  const project = newProject();
  const checks = (severity: string): string => `playbook: 1
name: Nothing
mode: read-only
inputs: { tokens: { type: list, items: { type: string }, default: [] } }
checks:
  - { name: supply, foreach: { t: "\${{ inputs.tokens }}", key: t }, as: { ledger: "userId:alice" }, conserve: { token: "\${{ t }}" }, severity: ${severity} }
  - { name: supplied, foreach: { t: "\${{ inputs.tokens }}", key: t }, as: { ledger: "userId:alice" }, read: ledger.token.get, with: { id: "\${{ t }}" }, that: response.totalSupply > 0 }
`;
  project.write("nothing.yaml", checks("error"));
  const failed = await project.run("run", "--env", "sandbox", "nothing.yaml");
  expect(failed.code, failed.transcript).toBe(1);
  expect(failed.stdout, failed.transcript).toMatch(/^✗ failed {3}checks\.supply/m);
  expect(failed.stdout, failed.transcript).toMatch(/^! warned {3}checks\.supplied/m);
  expect(failed.transcript).toContain("check.empty: nothing was checked: the list of `foreach` is empty");
  project.write("nothing.yaml", checks("warn"));
  const warned = await project.run("run", "--env", "sandbox", "nothing.yaml");
  expect(warned.code, warned.transcript).toBe(0);
  expect(warned.stdout, warned.transcript).toContain("2 warnings");
  expect(warned.transcript, "advice for a check that has failed").not.toContain("severity: warn");
});

test("a playbook that compares is included once for each item of a list: without an item nothing is compared, and the run fails", async () => {
  const project = newProject();
  const head = "playbook: 1\nmode: read-only\n";
  const side = 'rows: "[1]", key: row';
  const compares = (more: string): string => `${head}reconcile: [{ id: h, left: { ${side} }, right: { ${side} }${more} }]\n`;
  const conserves = (more: string): string =>
    `${head}checks: [{ as: { ledger: "userId:alice" }, conserve: { token: Gold }${more} }]\n`;
  const include = 'foreach: { item: "${{ inputs.list }}", key: item }, uses: ./compared.yaml';
  const outer = (step: string): string =>
    `${head}inputs: { list: { type: list, items: { type: string }, default: [] } }\nsteps: [{ id: each, ${step} }]\n`;
  const inBlock = `foreach: { item: "\${{ inputs.list }}", key: item }, block: [{ uses: ./between.yaml }]`;
  project.write("between.yaml", `${head}steps: [{ uses: ./compared.yaml }]\n`);
  for (const [compared, step, code] of [
    [compares(""), include, 1],
    [compares(""), inBlock, 1],
    [conserves(""), include, 1],
    [compares(", empty: pass"), include, 0],
    [conserves(", severity: warn"), include, 0],
    [`${head}steps: [{ uses: ledger.status }]\n`, include, 0],
  ] as const) {
    project.write("compared.yaml", compared);
    project.write("each.yaml", outer(step));
    const ran = await project.run("run", "--env", "sandbox", "each.yaml");
    expect(ran.code, ran.transcript).toBe(code);
    const message = "reconcile.empty: nothing was compared: the list of `foreach` is empty";
    expect(ran.transcript.includes(message), ran.transcript).toBe(code === 1);
  }
});

test("a playbook whose only comparison is skipped by an `if` does not pass", async () => {
  const project = newProject();
  const head = "playbook: 1\nname: Compared\nmode: read-only\n";
  const compares = (more: string): string =>
    `${head}inputs: { list: { type: list, items: { type: string }, default: [a] } }
reconcile:
  - { id: same, left: { rows: inputs.list, key: row }, right: { rows: inputs.list, key: row }${more} }\n`;
  const outer = (rest: string): string =>
    `${head}inputs: { go: { type: boolean, default: false } }\nsteps:\n  - { id: only, if: inputs.go, uses: ./compared.yaml }\n${rest}`;
  const other = "  - { id: other, uses: ./compared.yaml }\n";
  const looks = `checks: [{ read: ledger.status, as: { ledger: "userId:alice" }, that: "true" }]\n`;
  project.write("looks.yaml", `${head}${looks}`);
  const own = `reconcile: [{ id: own, left: { rows: "['a']", key: row }, right: { rows: "['a']", key: row } }]\n`;
  const writing = outer("").replace("mode: read-only\n", "");
  for (const [compared, playbook, code] of [
    [compares(""), outer(""), 1],
    [compares(""), outer(other), 0],
    [compares(""), outer(own), 0],
    [compares(""), outer(looks), 1],
    [compares(""), outer("  - { id: other, uses: ./looks.yaml }\n"), 1],
    [compares(""), writing, 0],
    [compares(", empty: pass"), outer(""), 0],
  ] as const) {
    project.write("compared.yaml", compared);
    project.write("outer.yaml", playbook);
    for (const command of ["run", "plan"]) {
      const ended = await project.run(command, "--env", "sandbox", "outer.yaml");
      expect(ended.code, ended.transcript).toBe(code);
      const message = "reconcile.empty: nothing was compared: each step that includes a comparison was skipped";
      expect(ended.transcript.includes(message), ended.transcript).toBe(code === 1);
    }
  }
  project.write("compared.yaml", compares(""));
  project.write("later.yaml", outer(""));
  for (const [go, code, isNamed] of [
    ["true", 0, false],
    ["false", 1, true],
  ] as const) {
    const ran = await project.run("run", "--env", "sandbox", "later.yaml", "--input", `go=${go}`);
    expect(ran.code, ran.transcript).toBe(code);
    const listed = await project.run("drift", "list");
    expect(listed.stdout.includes("later.yaml"), listed.transcript).toBe(isNamed);
  }
});

test("conserve token reports a supply that differs from the sum of its accounts, in numbers", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("checked.yaml", `${HEAD}name: Conserved\nsteps:\n${TOKEN}checks: [{ conserve: { token: Gold } }]\n`);
  const drifted = answerAfterwards(({ status, body }) => ({
    status,
    body: body.replace('"totalSupply":12.5,', '"totalSupply":12.51,'),
  }));
  // A difference counts if the second reading confirms it. If it has gone by then, the first reading fell between two changes.
  void proxy.next("GET /token", drifted);
  const once = await project.run("run", "checked.yaml");
  expect(once.code, once.transcript).toBe(0);
  for (let look = 0; look < 2; look++) void proxy.next("GET /token", drifted);
  project.write(
    "look.yaml",
    `${HEAD}name: Conserved\nsteps: [{ uses: ledger.status }]\nchecks: [{ conserve: { token: Gold } }]\n`,
  );
  const twice = await project.run("run", "look.yaml");
  expect(twice.code, twice.transcript).toBe(1);
  expect(twice.stdout, twice.transcript).toContain(
    "conserve.differs: token Gold, accounts: the token 12.51, its accounts and transactions 12.5 (difference 0.01); token Gold, transactions: the token 12.51, its accounts and transactions 12.5 (difference 0.01)",
  );
});

const VAULT = `${HEAD}name: Shares for a house
steps:
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: Mill3 } } }
  - id: vault
    uses: ledger.vault.create
    with: { id: Vault3, name: Vault, vaultToken: [{ id: Shares3, name: Shares, symbol: SHR, classification: { unit: whole, supply: capped-variable }, behaviour: { decimal: 0, transferable: true, burnable: true } }] }
  - uses: tokenbook/deposit.yaml
    with: { vault: Vault3, assetType: Property, asset: Mill3, share: Shares3, quantity: 100, receiver: "\${{ actors.issuer }}", custodian: "\${{ actors.issuer }}" }
checks: [{ conserve: { vault: Vault3 } }]
`;

test("conserve vault reports shares that were burnt outside of the vault, and no rescue hides it", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("vault.yaml", VAULT);
  const run = await project.run("run", "vault.yaml");
  expect(run.code, run.transcript).toBe(0);
  await world.call("POST /token/burn", "userId:alice", [{ id: "Shares3", from: { orgId: "org1", userId: "alice" }, value: 1 }]);
  project.write("look.yaml", `${HEAD}steps: [{ uses: ledger.status }]\nchecks: [{ conserve: { vault: Vault3 } }]\n`);
  const drifted = await project.run("run", "look.yaml");
  expect(drifted.code, drifted.transcript).toBe(1);
  expect(drifted.stdout, drifted.transcript).toContain(
    "conserve.differs: vault Vault3, Shares3: its share tokens 99, what was issued for its assets 100 (difference -1)",
  );
  const include = "{ id: looking, uses: ./look.yaml }";
  project.write("around.yaml", `${HEAD}steps: [{ id: try, block: [${include}], rescue: [{ uses: ledger.status }] }]\n`);
  const around = await project.run("run", "around.yaml");
  expect(around.code, around.transcript).toBe(1);
  expect(around.stdout, around.transcript).toMatch(lineOf("✗ failed", "looking/checks.1"));
});

const SALE = `${HEAD}name: Two buyers
steps:
${["BUYER_KEY", "SECOND_BUYER_KEY"]
  .map(
    (
      key,
    ) => `  - { as: { investor: ${key} }, uses: investor.sales.buy, with: { tokenSaleId: saleActive1, userAddress: "0xb1", amount: 5, currencyContract: "0xc1", timezone: UTC } }
`,
  )
  .join("")}checks: [{ conserve: { sale: saleActive1 }, as: buyers }]
`;

test("conserve sale compares what was sold with what all investors bought", async () => {
  const sold = (totalSoldTokens: string): object => ({
    ...DEFAULT_SEED,
    ...KEYS_OF_SANDBOX,
    sales: DEFAULT_SEED.sales?.map((sale) => (sale.id === "saleActive1" ? { ...sale, totalSoldTokens } : sale)),
  });
  const clean = await servedSandbox({ seed: sold("0") });
  const project = newProject();
  project.serviceAt(clean.url);
  project.write("sale.yaml", SALE);
  const run = await project.run("run", "sale.yaml");
  expect(run.code, run.transcript).toBe(0);
  const { data } = await project.json("runs", "show", runIn(run));
  expect(stepIn(data, "checks.1")).toMatchObject({ kind: "check", outcome: "ok" });

  const drifted = await servedSandbox({ seed: sold("7.5") });
  project.serviceAt(drifted.url);
  const late = await project.run("run", "sale.yaml");
  expect(late.code, late.transcript).toBe(1);
  expect(late.stdout, late.transcript).toContain(
    "conserve.differs: sale saleActive1, purchases: the sale 17.5, its purchases 10 (difference 7.5)",
  );
});
