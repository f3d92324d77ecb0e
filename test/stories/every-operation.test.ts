import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contract } from "../../src/contract/contract.ts";
import type { Coverage } from "../../src/coverage/coverage.ts";
import { profileWith, type ProfileOverrides } from "../../src/contract/profile.ts";
import { operations } from "../../src/operations/operation.ts";
import { checkPlaybook } from "../../src/playbook/check.ts";
import { stepNamed } from "../../src/playbook/playbook-walk.ts";
import { allBeyondReach, beyondReach, missingIn, staleReasons } from "../coverage/beyond-reach.ts";
import { type Expected, heldAgainstContract, reachedIn, reasonsOf, rowsOf, tableOf } from "./coverage.ts";
import { judge, operationOf } from "./exchanges.ts";
import { type Exchange, proxyTo } from "./proxy.ts";
import {
  type Commit,
  delivered,
  embeddedCommits,
  KEYS_OF_SANDBOX,
  newProject,
  type Printed,
  type Project,
  readySandbox,
  ROOT,
  serviceOf,
} from "./world.ts";

const SCENARIOS = "playbooks/scenarios";

// A service that differs from the defaults wherever its description leaves a choice.
const OTHER: ProfileOverrides = {
  ledger: {
    onBehalfOf: { in: "header", name: "X-On-Behalf-Of" },
    parameters: { pageSize: "size", bookmark: "from", pendingOnly: "open" },
    pageSize: 4,
    receipt: { committed: ["DONE"], failed: ["BROKEN"], pending: "WAITING" },
    requestStatus: { pending: "Open", approved: "Yes", rejected: "No", cancelled: "Withdrawn" },
    capabilities: { batchIsOneTransaction: true },
  },
  investor: {
    parameters: {
      page: "p",
      limit: "per",
      term: "q",
      investment: "kind",
      status: "state",
      sort: "order",
      quantity: "qty",
      purchaseDate: "bought",
      timezone: "tz",
    },
    pageSize: 2,
  },
  refusals: [400, 401, 403, 404, 410, 418, 422, 451],
  conditionStatus: {
    "asset already exists": 418,
    "invalid parameters": 422,
    "invalid caller": 401,
    "unauthorized caller": 451,
    "sale not active": 410,
    "token already burnt": 410,
    "asset already deposited in another vault": 418,
    "token already exists": 418,
    "server error": 502,
  },
};

const WORDS = { committed: "DONE", pending: "Open", approved: "Yes", rejected: "No", cancelled: "Withdrawn" };

const CREDENTIALS = {
  BUYER_KEY: "sandbox-buyer-key",
  SECOND_BUYER_KEY: "sandbox-second-buyer-key",
  NEWCOMER_KEY: "sandbox-newcomer-key",
  REVOKED_KEY: "sandbox-revoked-key",
};

const expectedRefusal: Expected = (file, step) => {
  const { playbook } = checkPlaybook(file, delivered(file.replace(/^playbooks\//, "")));
  const found = playbook === undefined ? undefined : stepNamed(playbook, step);
  return found?.kind === "call" ? found.fails?.condition : undefined;
};

function projectWithScenarios(): Project {
  const project = newProject({ LEDGER_KEY: "sandbox-ledger-key", ...CREDENTIALS });
  cpSync(join(ROOT, SCENARIOS), join(project.folder, SCENARIOS), { recursive: true });
  return project;
}

/** Runs the folder with one command, expects every run to pass, and returns the reports. */
async function runScenarios(project: Project, ...args: string[]): Promise<Printed["reports"]> {
  const run = await project.run("run", SCENARIOS, "--jobs", "8", "--report", "json=report.json", ...args);
  expect(run.code, run.transcript).toBe(0);
  expect(run.stderr, run.transcript).toBe("");
  const { reports } = JSON.parse(project.read("report.json")) as Printed;
  expect(run.lines.at(-1), run.transcript).toBe(`${reports.length} runs: ${reports.length} passed`);
  return reports;
}

/** Checks that each step that reports a change is one commit, and that no refused step is a commit. */
function expectCommits(reports: Printed["reports"], commits: readonly Commit[]): void {
  const changes = reports.flatMap(({ steps }) => steps.filter(({ outcome }) => outcome === "changed").map(({ uses }) => uses));
  expect(commits.map(({ operation }) => operation).toSorted()).toEqual(changes.toSorted());
}

/** Runs the folder through a recording proxy, on a sandbox that uses other names. */
async function onOtherService(): Promise<{ reports: Printed["reports"]; exchanges: readonly Exchange[] }> {
  const service = newProject();
  service.write("tokenbook.yaml", JSON.stringify({ environments: { other: { profile: OTHER } } }));
  service.write("keys.json", JSON.stringify(KEYS_OF_SANDBOX));
  const sandbox = await readySandbox(
    service.start("sandbox", "--port", "0", "--db", "sandbox.db", "--seed", "keys.json", "--profile", "other", "--json"),
  );
  const proxy = await proxyTo(sandbox.ledgerBaseUrl);
  const project = projectWithScenarios();
  const credentials = Object.fromEntries(Object.keys(CREDENTIALS).map((name) => [name, `env:${name}`]));
  const ledger = { baseUrl: proxy.url, appId: "app1", orgId: "org1", apiKey: "env:LEDGER_KEY" };
  const investor = { baseUrl: proxy.url, credentials };
  project.write("tokenbook.yaml", JSON.stringify({ environments: { other: { ledger, investor, profile: OTHER } } }));
  project.write("words.yaml", JSON.stringify(WORDS));
  const reports = await runScenarios(project, "--inputs", "words.yaml");
  expectCommits(reports, await serviceOf(sandbox).commits());
  return { reports, exchanges: proxy.exchanges };
}

test("the scenarios reach every operation and every refusal, on two different services", { timeout: 400_000 }, async () => {
  const embedded = projectWithScenarios();
  const first = await runScenarios(embedded, "--keep-exchanges");
  expectCommits(first, await embeddedCommits(embedded));
  const { reports, exchanges } = await onOtherService();

  const wire = heldAgainstContract(exchanges, profileWith(OTHER));
  const runs = [first, reports].map((each) => reachedIn(each, expectedRefusal));
  const rows = rowsOf(runs, wire);
  const table = tableOf(rows);
  console.log(`${table}\n\n${rows.length} operations, ${exchanges.length} exchanges. Beyond reach:\n${reasonsOf(runs)}`);

  expect(rows).toHaveLength(67);
  for (const [name, { problems }] of wire) expect(problems, name).toEqual([]);
  for (const row of rows)
    expect(
      Object.entries(row).filter(([, cell]) => cell === ""),
      `${row.operation}\n${table}`,
    ).toEqual([]);

  for (const run of runs) {
    const reached = new Set([...run.values()].flatMap(({ refusals }) => [...refusals]));
    const listed = Object.values(contract.operations).flatMap(({ conditions }) => conditions);
    expect(listed.filter((condition) => !reached.has(condition))).toEqual([]);
    for (const operation of operations.values()) {
      const explained = [...(run.get(operation.name)?.refusals ?? [])].filter(
        (each) => beyondReach(operation, each) !== undefined,
      );
      expect(explained, `${operation.name}: reached, so there is no reason why not`).toEqual([]);
    }
  }
  expect(staleReasons()).toEqual([]);
  await expectCovered(embedded);
  expectDamageIsFound(exchanges);
});

// `npm run coverage:agrees` covers the rest, on sandboxes that answer differently or lose answers.
async function expectCovered(project: Project): Promise<void> {
  const covered = await project.run("coverage", "--json");
  const missing = missingIn(JSON.parse(covered.stdout) as Coverage).filter(({ dimension }) => dimension !== "lost");
  const others = missing.filter(
    ({ dimension, operation, item }) =>
      !(dimension === "fields" && /^default errors?$/.test(item)) && !(operation === "ledger.status" && item === "200"),
  );
  expect(others).toEqual(allBeyondReach().map(({ dimension, operation, item }) => ({ dimension, operation, item })));
}

// A check that every exchange passes proves nothing unless a wrong exchange fails it.
function expectDamageIsFound(exchanges: readonly Exchange[]): void {
  const profile = profileWith(OTHER);
  for (const exchange of exchanges) {
    const operation = operationOf(exchange);
    if (operation === undefined) continue;
    const { target, answer } = exchange;
    const requests: readonly Exchange[] = [
      { ...exchange, target: `${target}${target.includes("?") ? "&" : "?"}actAs=userId:alice` },
      { ...exchange, headers: {} },
      { ...exchange, body: "7" },
    ];
    for (const damaged of requests) expect(judge(damaged, operation, profile).request, operation.name).not.toEqual([]);
    const answers: readonly Exchange[] = [
      { ...exchange, answer: { ...answer, status: 299 } },
      { ...exchange, answer: { ...answer, body: "7" } },
    ];
    for (const damaged of answers) expect(judge(damaged, operation, profile).answer, operation.name).not.toEqual([]);
  }
}

test("a write that gets a server error has an unknown outcome, whatever its step expects", async () => {
  const project = newProject();
  project.write(
    "create.yaml",
    `playbook: 1
steps:
  - id: token
    as: { ledger: "userId:offline" }
    uses: ledger.token.create
    with: { name: Token }
    fails: { condition: server error }
`,
  );
  const run = await project.run("run", "create.yaml");
  expect(run.code, run.transcript).toBe(5);
  expect(run.stdout, run.transcript).toContain("write.ambiguous");
  expect(await embeddedCommits(project)).toEqual([]);
});
