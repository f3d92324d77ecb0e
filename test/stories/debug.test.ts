import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answerAfterwards, proxyTo } from "./proxy.ts";
import { filesBelow, KEYS, launch, MINT_ONCE, newProject, type Project, servedSandbox, type Variables } from "./world.ts";

const PIN = "canary pin/+4711";
const KEY = KEYS["LEDGER_KEY"] ?? "";

const WITH_PIN = `playbook: 1
secrets: { PIN: env:DOOR_PIN }
steps:
  - uses: ledger.asset.create
    as: { ledger: "userId:alice" }
    with: { assetType: Property, data: { id: "P\${{ run.key }}", doorPin: "\${{ secrets.PIN }}" } }
`;

async function projectAt(url: string, variables: Variables = { ...KEYS, DOOR_PIN: PIN }): Promise<Project> {
  const project = newProject(variables);
  project.serviceAt(url);
  project.write("pin.yaml", WITH_PIN);
  return project;
}

const SPELLINGS = [KEY, PIN].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64"),
  JSON.stringify(secret).slice(1, -1),
]);

function expectNone(text: string): void {
  for (const spelling of SPELLINGS) expect(text).not.toContain(spelling);
}

test("--debug prints each exchange as a command, and the pasted command does the same", async () => {
  const service = await servedSandbox();
  const project = await projectAt(service.url);
  const ended = await project.run("run", "pin.yaml", "--debug");
  expect(ended.code, ended.transcript).toBe(0);
  expectNone(ended.transcript);
  const write = ended.stderr.split("\n\n").find((block) => block.includes("-X POST")) ?? "";
  expect(write).toMatch(/^\S+Z {2}pin\.yaml \S+\n {2}# a write: pasted, it would be sent once more\n {2}curl /);
  expect(write).toContain(`-H 'X-API-KEY: '"$LEDGER_KEY"`);
  expect(write).toContain(`"doorPin":"'"$DOOR_PIN"'"`);
  expect(write).toMatch(/HTTP 20[01] in .*, \d+ bytes sent, \d+ bytes received \(application\/json.*\)\n {2}\{"transactionId":/);
  const command = (/^ {2}(curl .*)$/m.exec(write)?.[1] ?? "").replace(/"id":"P\w+"/, '"id":"PASTED"');
  const variables = { LEDGER_KEY: KEY, DOOR_PIN: PIN };
  const pasted = await launch(["-c", command], { cwd: project.folder, program: "bash", variables }).ended;
  expect(pasted.stdout, pasted.transcript).toContain("transactionId");
  let commits = await service.commits();
  while (commits.length < 2) commits = await service.commits(); // the answer arrives before the commit
  const [first, second] = commits;
  expect(JSON.stringify(second?.body)).toBe(JSON.stringify(first?.body).replace(/"id":"P\w+"/, '"id":"PASTED"'));
});

test("--debug=FILE makes a file for its owner alone, and masks every spelling of a secret in it", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = await projectAt(proxy.url);
  const echo = JSON.stringify({ status: "Error", message: SPELLINGS.join(" "), condition: "no", [KEY]: PIN });
  void proxy.next("POST /asset", answerAfterwards({ status: 422, body: echo }));
  const ended = await project.run("run", "pin.yaml", "--debug=seen.log", "--json");
  expect(ended.code, ended.transcript).toBe(1);
  expect(ended.stderr).not.toContain("curl");
  expect(statSync(join(project.folder, "seen.log")).mode & 0o777).toBe(0o600);
  const text = project.read("seen.log");
  expect(text).toMatch(/HTTP 422 .*\n {2}\{"status":"Error","message":"\$\{\{ secrets\.LEDGER_API_KEY \}\}/);
  for (const file of filesBelow(project.folder)) {
    if (!file.endsWith("tokenbook.yaml")) expectNone(readFileSync(file, "latin1"));
  }
});

test("no answer of a service can look like another exchange in the debug file", async () => {
  const proxy = await proxyTo((await servedSandbox()).url);
  const project = await projectAt(proxy.url);
  const forged = "2026-11-22T02:07:24.446Z  pin.yaml forged";
  void proxy.next("POST /asset", answerAfterwards({ status: 422, body: `no\n\n${forged}\n  curl -sS http://evil.example/` }));
  const ended = await project.run("run", "pin.yaml", "--debug=seen.log");
  expect(ended.code, ended.transcript).toBe(0); // the answer is not a refusal in the service's own words, and the asset is there
  const lines = project.read("seen.log").split("\n");
  expect(lines).toContain(`  ${forged}`);
  for (const line of lines) expect(line).toMatch(/^(?:$| {2}|\d{4}-\S+Z(?: {2}pin\.yaml step1)?$)/);
});

test("--debug names the playbook of each exchange, and shortens a long body with a note", async () => {
  const service = await servedSandbox();
  const project = await projectAt(service.url);
  project.write("mint.yaml", MINT_ONCE.replace("name: Minted once", `name: "${"x".repeat(5_000)}"`));
  const ended = await project.run("run", "pin.yaml", "mint.yaml", "--debug");
  expect(ended.code, ended.transcript).toBe(0);
  const blocks = ended.stderr.split("\n\n").filter((block) => block.includes("-X POST"));
  const named = blocks.flatMap((block) => /^\S+ {2}(\S+)/.exec(block)?.[1] ?? []);
  expect(named).toHaveLength(3);
  expect(named.filter((name) => name === "mint.yaml")).toHaveLength(2);
  expect(blocks.find((block) => block.includes("xxx"))).toMatch(/… \(\d{4} characters more\)/);
});

test("plan and resume take --debug and TOKENBOOK_DEBUG, and print no exchange without them", async () => {
  const service = await servedSandbox();
  const project = await projectAt(service.url);
  project.write("look.yaml", "playbook: 1\nsteps:\n  - uses: ledger.asset.stats\n    expect: [response.totalCount == 999]\n");
  expect((await project.run("plan", "look.yaml", "--debug")).stderr).toContain("/asset/stats");
  const failed = await project.run("run", "look.yaml");
  expect(failed.stderr).toBe("");
  const shown = project.as({ ...project.variables, TOKENBOOK_DEBUG: "1" });
  expect((await shown.run("resume")).stderr).toContain("/asset/stats");
  expect((await project.as({ ...project.variables, TOKENBOOK_DEBUG: "0" }).run("resume")).stderr).toBe("");
  const nowhere = await project.run("resume", "--debug=no/where.log");
  expect(nowhere.code).toBe(2);
  expect(nowhere.stderr).toContain("error debug.cannot-write");
});
