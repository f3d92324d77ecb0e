import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newProject } from "./world.ts";

test("--help has groups in the order of the work, and five to eight words for each command", async () => {
  const { stdout, transcript } = await newProject().run("--help");
  const headings = stdout.match(/^\w+:$/gm)?.filter((heading) => heading !== "Options:");
  expect(headings, transcript).toEqual(["Start:", "Run:", "See:", "Reference:", "Serve:"]);
  const rows = stdout.replaceAll(/\n {8,}/g, " ").matchAll(/^ {2}(\w+)(?: \[[^\]]+\]| <[^>]+>)* {2,}(\S.*)$/gm);
  const lengths = Array.from(rows, ([, name = "", words = ""]) => [name, words.trim().split(/\s+/).length] as const);
  expect(lengths.length, transcript).toBe(33);
  expect(lengths.filter(([, length]) => length < 5 || length > 8)).toEqual([]);
});

test.for([
  ["init", "tokenbook new project FOLDER"],
  ["validate", "tokenbook check FILE"],
  ["lint", "tokenbook check FILE"],
  ["list", "tokenbook runs"],
  ["apply", "tokenbook run FILE"],
  ["Format", "tokenbook fmt FILE"],
  ["preview", "tokenbook plan FILE"],
  ["import", "tokenbook convert FROM TO"],
  ["draft", "tokenbook new playbook FILE"],
] as const)("a word of another tool: %s", async ([word, command]) => {
  const { code, stderr } = await newProject().run(word);
  expect(code, stderr).toBe(2);
  expect(stderr).toContain(`unknown command '${word}'\n  next: ${command}\n`);
});

describe("operations", () => {
  test("are searched by words", async () => {
    const project = newProject();
    const one = await project.run("operations", "mint");
    expect(one.code, one.transcript).toBe(0);
    expect(one.stdout).toContain("ledger.token.mint");
    expect(one.stdout).toContain("tokenbook operations ledger.token.mint\n");
    expect(one.stdout).not.toContain("ledger.token.burn");
    const both = await project.run("operations", "Transfer", "approve");
    expect(both.stdout, both.transcript).toContain("ledger.transfer.approve");
    expect(both.stdout).not.toContain("ledger.transfer.reject");
  });

  test("are shown one after the other when several are named in full", async () => {
    const project = newProject();
    const both = await project.run("operations", "ledger.token.mint", "ledger.token.burn");
    expect(both.stdout, both.transcript).toMatch(/^ledger\.token\.mint: [^]*^ledger\.token\.burn: /m);
    const data = await project.run("operations", "ledger.token.mint", "ledger.token.burn", "--json");
    expect(JSON.parse(data.stdout)).toMatchObject({ operations: [{ name: "ledger.token.mint" }, { name: "ledger.token.burn" }] });
    const wrong = await project.run("operations", "ledger.token.mint", "ledger.token.brun");
    expect([wrong.code, wrong.stderr], wrong.transcript).toEqual([2, expect.stringContaining('called "ledger.token.brun"')]);
  });

  test("that no word finds are a mistake", async () => {
    const { code, stderr } = await newProject().run("operations", "wibblewobble");
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('there is no operation called "wibblewobble"');
  });
});

const READ = "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n";

describe("the sandbox gives an environment that works", () => {
  test("written by --write-env, with keys that nobody else can read", async () => {
    const project = newProject({});
    project.write("read.yaml", READ);
    const sandbox = project.start("sandbox", "--port", "0", "--write-env");
    await sandbox.printed("The sandbox is ready");
    const run = await project.run("run", "read.yaml");
    const healthy = await project.run("doctor", "--env", "local");
    const environment = project.read("tokenbook.yaml");
    project.write("tokenbook.yaml", environment.replace("# REVOKED_KEY:", "REVOKED_KEY:"));
    const refused = await project.run("doctor", "--env", "local");
    await sandbox.signal("SIGTERM");
    await sandbox.ended;
    expect(run.code, run.transcript).toBe(0);
    expect(run.stdout).toContain("environment local ");
    expect(healthy.code, healthy.transcript).toBe(0);
    expect([refused.code, refused.stdout], refused.transcript).toEqual([1, expect.stringMatching(/✗ .*REVOKED_KEY/)]);
    expect(statSync(join(project.folder, ".env")).mode & 0o077).toBe(0);
    const again = await project.run("sandbox", "--port", "0", "--write-env");
    expect(again.code, again.transcript).toBe(2);
    expect(again.stderr).toContain("tokenbook.yaml, .env exist already");
    expect(again.stderr).toContain("next: leave out --write-env, and copy into them what the sandbox then prints\n");
  });

  test("pasted as it is printed", async () => {
    const project = newProject({});
    project.write("read.yaml", READ);
    const running = project.start("sandbox", "--port", "0");
    await running.printed("REVOKED_KEY=");
    const lines = await running.lines(1);
    const [yaml, env] = ["# tokenbook.yaml", "# .env"].map((begin) => lines.findIndex((line) => line.startsWith(begin)));
    const environment = lines.slice((yaml ?? 0) + 1, env).join("\n");
    const keys = lines.slice((env ?? 0) + 1).join("\n");
    project.write("tokenbook.yaml", environment);
    project.write(".env", keys);
    const run = await project.run("run", "read.yaml");
    await running.signal("SIGTERM");
    await running.ended;
    expect(run.code, run.transcript).toBe(0);
    expect(run.stdout).toContain("environment local ");
    expect(existsSync(join(project.folder, "tokenbook.yaml"))).toBe(true);
    expect(readFileSync(join(project.folder, "tokenbook.yaml"), "utf8")).toMatch(/^environments:\n/);
  });
});

test.for([
  ["ledger", "https://ledger.example.com/gw/tokenize/app1/", 'baseUrl: "https://ledger.example.com/gw"'],
  ["investor", "https://invest.example.com/api/v/1", 'baseUrl: "https://invest.example.com"'],
] as const)("an address with the path of the service is refused with the fix: %s", async ([name, baseUrl, fix]) => {
  const project = newProject();
  const more =
    name === "ledger" ? "appId: app1, orgId: org1, apiKey: env:LEDGER_KEY" : "credentials: { BUYER_KEY: env:BUYER_KEY }";
  project.write("tokenbook.yaml", `environments:\n  here:\n    ${name}: { baseUrl: "${baseUrl}", ${more} }\n`);
  project.write("read.yaml", READ);
  const { code, stderr } = await project.run("run", "read.yaml");
  expect(code, stderr).toBe(2);
  expect(stderr).toContain(`"baseUrl" includes the service's own path`);
  expect(stderr).toContain(`fix: ${fix}`);
});

test("a pattern is never a message: the rule in words, and what was probably meant", async () => {
  const project = newProject();
  project.write(
    "wrong.yaml",
    `playbook: 1
tags: ["too slow"]
inputs: { Too-Much: { type: decimal, minimum: "1,5" } }
actors:
  first: alice
  second: { ledger: alice }
steps:
  - id: tooMuch
    uses: ledger.asset.stats
    wait: { timeout: "30 s" }
  - { id: in, uses: ledger.asset.stats }
`,
  );
  const { code, stdout } = await project.run("check", "wrong.yaml");
  expect(code, stdout).toBe(2);
  expect(stdout).not.toMatch(/must match|\(\?|\[a-z/);
  for (const fix of ["too_much", "userId:alice", "30s", "in_1", "too_slow"])
    expect(stdout).toMatch(new RegExp(`fix: try ${fix}$`, "m"));
  expect(stdout).toContain('fix: such as { ledger: "userId:alice" }');
});

const MINT_TO_BOB = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with:
      name: First
      symbol: FST
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "10", transferable: true, burnable: true }
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "userId:bob", value: "1" }
`;

test("an entity in `with` may be written as text, and gets its organization", async () => {
  const project = newProject({});
  project.write("mint.yaml", MINT_TO_BOB);
  const plan = await project.run("plan", "mint.yaml", "--json");
  expect(plan.code, plan.transcript).toBe(0);
  const run = await project.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(0);
  const shown = await project.run("runs", "show", "latest");
  expect(shown.stdout, shown.transcript).toContain('"to":{"orgId":"org1","userId":"bob"}');
  project.write("mint.yaml", MINT_TO_BOB.replace("userId:bob", "userid:bob"));
  const misspelt = await project.run("check", "mint.yaml");
  expect(misspelt.stdout, misspelt.transcript).toContain('did you mean "userId"?');
});

describe("how much of a run is printed", () => {
  const BLOCK = MINT_TO_BOB.replace("steps:\n", "steps:\n  - id: all\n    block:\n").replaceAll(
    /^( {2}- id: (?:token|mint)| {4}(?:uses|with)| {6}\w)/gm,
    "    $1",
  );

  test("what passed is one line, with short ids; everything with --verbose; the summary with --quiet", async () => {
    const project = newProject({});
    project.write("block.yaml", BLOCK);
    const short = await project.run("run", "block.yaml");
    expect(short.code, short.transcript).toBe(0);
    expect(short.stdout).toMatch(/^✓ changed {2}all {2}block {2}2 steps {2}/m);
    expect(short.stdout).not.toContain("ledger.token.mint");
    const full = await project.run("run", "block.yaml", "--verbose");
    expect(full.stdout, full.transcript).toMatch(/^ {2}✓ changed {2}mint .* tx [0-9a-f]{64} /m);
    const quiet = await project.run("run", "block.yaml", "--quiet");
    expect(quiet.lines, quiet.transcript).toEqual([expect.stringMatching(/^✓ passed {2}block.yaml: 2 steps: 2 changed in /)]);
    project.write("mint.yaml", MINT_TO_BOB);
    const plain = await project.run("run", "mint.yaml");
    expect(plain.stdout, plain.transcript).toMatch(/ tx [0-9a-f]{8}… /);
  });

  test("a block that fails shows its steps", async () => {
    const project = newProject({});
    project.write("block.yaml", BLOCK.replace('"${{ steps.token.id }}"', "nothing"));
    const failed = await project.run("run", "block.yaml");
    expect(failed.code, failed.transcript).toBe(1);
    const begins = failed.lines.map((line) => line.slice(0, 16));
    expect(begins, failed.transcript).toEqual(expect.arrayContaining(["▸ all  block", "  ✓ changed  tok", "  ✗ failed   min"]));
  });
});
