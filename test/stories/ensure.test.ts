import { expect, test } from "vitest";
import { proxyTo } from "./proxy.ts";
import { lineOf, newProject, operationsOf, runIn, servedSandbox, stepIn, tokenWith } from "./world.ts";

const HEAD = `playbook: 1
actors:
  issuer: { ledger: "userId:alice" }
  board: [{ ledger: "userId:bob" }]
defaults: { as: issuer }
`;

function createUnless(that: string): string {
  return `${HEAD}name: Create unless it is there
steps:
  - id: token
    uses: ledger.token.create
    with: ${tokenWith("Gold")}
    ensure: { read: ledger.token.get, with: { id: Gold }, that: '${that}', within: 700ms }
  - { id: after, uses: ledger.token.get, with: { id: "\${{ steps.token.ensured.id }}" } }
`;
}

test("a write whose condition already holds is unchanged, and is not sent", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("gold.yaml", createUnless('response.id == "Gold"'));
  const first = await project.run("run", "gold.yaml");
  expect(first.code, first.transcript).toBe(0);
  expect(first.stdout, first.transcript).toMatch(lineOf("✓ changed", "token", " tx [0-9a-f]{8}… "));
  const second = await project.run("run", "gold.yaml", "--report", "junit=junit.xml");
  expect(second.code, second.transcript).toBe(0);
  expect(second.stdout, second.transcript).toMatch(
    /^= unchanged {2}token {2}Create tokens {2}ledger\.token\.create {2}as issuer \(userId:alice\) {2}[\d.]+ m?s$/m,
  );
  expect(second.stdout, second.transcript).toMatch(/: 2 steps: 1 unchanged, 1 ok in /);
  expect(project.read("junit.xml")).toContain('tests="2" failures="0" errors="0" skipped="0"');
  expect(proxy.seen.filter((name) => name === "POST /token")).toHaveLength(1);
  const { data } = await project.json("runs", "show", runIn(second));
  expect(stepIn(data, "token")).toMatchObject({ outcome: "unchanged", attempts: [], transactionId: null, requests: 1 });
});

test("a step fails when its condition does not hold after the write, and says that the write took effect", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("gold.yaml", createUnless('response.name == "Silver"'));
  const run = await project.run("run", "gold.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout, run.transcript).toMatch(lineOf("✗ failed", "token"));
  expect(run.stdout, run.transcript).toContain('ensure.not-so: this does not hold: response.name == "Silver"');
  expect(run.stdout, run.transcript).toContain("why: the write itself took effect");
  expect(run.stdout, run.transcript).toContain('response.name → "Gold"');
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create"]);

  // A write that took effect is not sent again, whatever the playbook promised.
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(1);
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create"]);
});

test.for([
  { name: "fails", fault: { status: 503 }, says: /service\.[\w-]+: HTTP 503/ },
  { name: "is answered with a web page", fault: "html", says: /web page \(HTTP 404\) instead of JSON/ },
])("the write is not sent when the read before it $name", async ({ fault, says }) => {
  const world = await servedSandbox({ faults: [{ operation: "ledger.token.get", fault }] });
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("gold.yaml", createUnless('response.id == "Gold"'));
  const run = await project.run("run", "gold.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout, run.transcript).toMatch(lineOf("✗ failed", "token"));
  expect(run.stdout, run.transcript).toMatch(says);
  expect(proxy.seen.filter((name) => name.startsWith("POST"))).toEqual([]);
  expect(await world.commits()).toEqual([]);
});

const UNCLEAR = [
  {
    shows: "a text that is no number",
    that: "response.totalSupply >= decimal(response.properties.target)",
    says: '"1,000" is not a number',
  },
  {
    shows: "no such field",
    that: "response.totalSupply >= response.properties.goal",
    says: 'response.properties has no field "goal"',
  },
  {
    shows: "a text in place of true or false",
    that: "response.properties.target",
    says: 'this must be true or false, and is "1,000"',
  },
] as const;

function mintUnless(that: string): string {
  const token = `ensure: { read: ledger.token.get, with: { id: Gold }, that: 'response.id == "Gold"' }`;
  return `${HEAD}name: Mint unless there is enough
steps:
  - id: token
    uses: ledger.token.create
    with: ${tokenWith("Gold").replace(/ \}$/, ', properties: { target: "1,000" } }')}
    ${token}
  - id: mint
    uses: ledger.token.mint
    with: { id: Gold, to: "\${{ actors.issuer }}", value: "10.00" }
    ensure: { read: ledger.token.get, with: { id: Gold }, that: '${that}', within: 200ms }
`;
}

test.for(UNCLEAR)("the write is not sent in any run when the condition before it has $shows", async ({ that, says }) => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("mint.yaml", mintUnless(that));
  for (const args of [["run", "mint.yaml"], ["run", "mint.yaml"], ["resume"]]) {
    const run = await project.run(...args);
    expect(run.code, run.transcript).toBe(1);
    expect(run.stdout, run.transcript).toMatch(lineOf("✗ failed", "mint"));
    expect(run.stdout, run.transcript).toContain("ensure.unclear: ");
    expect(run.stdout, run.transcript).toContain(says);
    expect(run.stdout, run.transcript).toContain("in doubt nothing is sent");
  }
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create"]);
  const planned = await project.run("plan", "mint.yaml");
  expect(planned.stdout, planned.transcript).toContain("ensure.unclear");

  // A condition that is plainly false is certain.
  project.write("mint.yaml", mintUnless("has(response.properties.goal)"));
  const sent = await project.run("run", "mint.yaml");
  expect(sent.code, sent.transcript).toBe(1);
  expect(sent.stdout, sent.transcript).toContain("ensure.not-so: ");
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test("a field that is missing after the write is waited for, and explained when the time is over", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("gold.yaml", createUnless("response.properties.never == 1"));
  const run = await project.run("run", "gold.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout, run.transcript).toContain("ensure.not-so: this cannot be evaluated: response.properties.never == 1: ");
  expect(run.stdout, run.transcript).toContain("why: the write itself took effect");
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create"]);
});

function discovering(one: string): string {
  return `${HEAD}name: Ask, and find what was asked
steps:
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: Mill3 } } }
  - id: others
    foreach: { each: [a, b], key: each }
    uses: ledger.approval.create
    with: { approvalType: budget, approvers: "\${{ actors.board }}", numRequired: 1, data: { purpose: roof } }
  - id: request
    uses: ledger.transfer.request
    with: { assetType: Property, id: [Mill3], approvers: "\${{ actors.board }}", numRequired: 1, newOwner: "\${{ actors.board[0] }}" }
    discover:
      read: ledger.${one.startsWith("approval") ? "approval.mine" : "transfer.byAsset"}
      with: ${one.startsWith("approval") ? "{ approvalType: budget }" : "{ assetId: Mill3 }"}
      within: 700ms
      one: 'response.filter(r, ${one.replace("approval: ", "")})'
      outputs: { found: one.id, needs: one.numRequired }
  - { id: read, uses: ledger.transfer.get, with: { id: "\${{ steps.request.found }}" }, expect: [response.numRequired == steps.request.needs] }
`;
}

test.for([
  { one: 'r.data.metadata.assetType == "Property"', code: 0, says: /^✓ passed .*: 5 steps: 4 changed, 1 ok in /m },
  {
    one: 'r.data.metadata.assetType == "Bond"',
    code: 1,
    says: /discovery\.not-found: the write took effect, but ledger\.transfer\.byAsset shows 0 records for which/,
  },
  {
    one: "r.data.purpose == 1",
    code: 1,
    says: /expression\.no-value: the write took effect, but this cannot be evaluated: response\.filter\(r, r\.data\.purpose == 1\): /,
  },
  {
    one: 'approval: r.data.purpose == "roof"',
    code: 1,
    says: /discovery\.several: the write took effect, but ledger\.approval\.mine shows 2 records for which/,
  },
])("discover finds the only match, or fails its step without another request: $one", async ({ one, code, says }) => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("ask.yaml", discovering(one));
  const run = await project.run("run", "ask.yaml");
  expect(run.code, run.transcript).toBe(code);
  expect(run.stdout, run.transcript).toMatch(says);
  expect(operationsOf(await world.commits()).filter((operation) => operation === "ledger.transfer.request")).toHaveLength(1);
});
