// `npm run coverage:agrees [-- --write]`: runs our scenarios on sandboxes that answer, answer differently, lose answers, or outlive their client.
// Compares the result of `tokenbook coverage` with redocly's, item by item, and with docs/coverage.md. `--write` writes the page.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { profileWith, type ProfileOverrides } from "../../src/contract/profile.ts";
import type { Coverage } from "../../src/coverage/coverage.ts";
import { DIMENSION_NAMES, DIMENSIONS } from "../../src/coverage/dimensions.ts";
import { operations } from "../../src/operations/operation.ts";
import type { RunReport } from "../../src/report/shape.ts";
import { type FaultPlan, startSandbox } from "../../src/sandbox/sandbox.ts";
import { allBeyondReach, type Missing, missingIn } from "./beyond-reach.ts";
import { type Agreement, agreementOn } from "./redocly.ts";
import { pageWith } from "./page.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = join(ROOT, "docs/coverage.md");
const SCENARIOS = join(ROOT, "playbooks/scenarios");
const EVERY_WRITE = join(ROOT, "playbooks/lost-answers/every-write.yaml");
const KILLED = 137;

// A service whose errors have other fields, and whose `ledger.status` succeeds with 200.
const OTHERWISE: ProfileOverrides = {
  ledger: { errors: [{ error: true, errors: true }], capabilities: { batchIsOneTransaction: true } },
  investor: { errors: [{ error: true, errors: true }] },
  successStatus: { "ledger.status": 200 },
};

const folder = mkdtempSync(join(tmpdir(), "tokenbook-coverage-"));
const writes = [...operations.values()].filter((operation) => operation.writes).map(({ name }) => name);

/** Runs a command to its end. Returns what it printed and its exit code. */
function command(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<{ stdout: string; exit: number }> {
  const { promise, resolve } = Promise.withResolvers<{ stdout: string; exit: number }>();
  const all = [join(ROOT, "bin/tokenbook.js"), ...args, "--state", join(folder, "state")];
  const how = { cwd: folder, env: { ...process.env, ...variables }, maxBuffer: Infinity };
  execFile(process.execPath, all, how, (error, stdout, stderr) => {
    if (error !== null && error.killed !== true && stderr !== "") process.stderr.write(stderr);
    resolve({ stdout, exit: error === null ? 0 : typeof error.code === "number" ? error.code : KILLED });
  });
  return promise;
}

async function passed(...args: readonly string[]): Promise<string> {
  const { stdout, exit } = await command(args);
  if (exit !== 0) throw new Error(`tokenbook ${args.join(" ")} ended with ${exit}:\n${stdout}`);
  return stdout;
}

interface Printed {
  readonly reports: readonly Pick<RunReport, "steps">[];
}

interface Served {
  readonly profile?: ProfileOverrides;
  readonly faults?: FaultPlan;
}

/** Serves a sandbox while the work runs, and writes the environment `served` for it. */
async function served({ profile = {}, faults = [] }: Served, work: () => Promise<unknown>): Promise<void> {
  const sandbox = await startSandbox({ path: ":memory:", profile: profileWith(profile), faults });
  const { ledgerBaseUrl, investorBaseUrl, appId, orgId, ledgerApiKey, credentials } = sandbox;
  const keys = { LEDGER_KEY: ledgerApiKey, ...credentials };
  writeFileSync(
    join(folder, ".env"),
    Object.entries(keys)
      .map(([name, key]) => `${name}=${key}\n`)
      .join(""),
  );
  const environment = {
    ledger: { baseUrl: ledgerBaseUrl, appId, orgId, apiKey: "env:LEDGER_KEY" },
    investor: {
      baseUrl: investorBaseUrl,
      credentials: Object.fromEntries(Object.keys(credentials).map((name) => [name, `env:${name}`])),
    },
    exclusive: true,
    readLag: "0s",
    profile,
  };
  writeFileSync(join(folder, "tokenbook.yaml"), JSON.stringify({ environments: { served: environment } }));
  await work().finally(() => sandbox.close());
}

/** Runs every write. Returns how many steps wrote. */
async function writesOnce(): Promise<number> {
  const { reports } = JSON.parse(await passed("run", EVERY_WRITE, "--env", "served", "--json")) as Printed;
  return reports.flatMap(({ steps }) => steps).filter(({ outcome }) => outcome === "changed").length;
}

/** Runs every write. Kills the process at each of the first `count` answers, after it arrives and before it is recorded. */
async function killedAt(count: number): Promise<void> {
  const variables = { TOKENBOOK_FAILPOINT: "before:attempt.answered" };
  for (let kills = 0; kills < count; kills++) {
    const { exit } = await command(
      kills === 0 ? ["run", EVERY_WRITE, "--env", "served", "--quiet"] : ["resume", "--quiet"],
      variables,
    );
    if (exit !== KILLED) throw new Error(`after ${kills} kills the process was not killed, and ended with ${exit}`);
  }
  await passed("resume", "--quiet");
  console.log(`a run of all ${writes.length} writes passed after ${count} kills, one at each write`);
}

/** Runs everything. Returns two archives of the scenarios. */
async function runAll(): Promise<readonly string[]> {
  const archives = ["usual.har", "otherwise.har"].map((name) => join(folder, name));
  const [usual = "", otherwise = ""] = archives;
  await served({}, () => passed("run", SCENARIOS, "--env", "served", "--quiet", "--jobs", "8", "--report", `har=${usual}`));
  await served({ profile: OTHERWISE }, () =>
    passed("run", SCENARIOS, "--env", "served", "--quiet", "--jobs", "8", "--report", `har=${otherwise}`),
  );
  let count = 0;
  for (const fault of ["drop-after", "garbage"] as const) {
    const faults = writes.map((operation) => ({ operation, nth: 1, fault }));
    await served({ faults }, async () => (count = await writesOnce()));
    console.log(`a run of all ${writes.length} writes passed although the answer to each was lost: ${fault}`);
  }
  await served({}, () => killedAt(count));
  return archives;
}

function show(agreements: readonly Agreement[]): void {
  for (const { dimension, ours, theirs, differences } of agreements) {
    console.log(
      `${dimension.padEnd(12)} tokenbook ${ours.padEnd(10)} redocly ${theirs.padEnd(10)} ${differences.length} differences`,
    );
    for (const each of differences) console.log(`  only one of them: ${each}`);
  }
}

const keyOf = ({ dimension, operation, item }: Missing): string => `${operation}, ${DIMENSIONS[dimension]}: ${item}`;

/** Prints the items that are unexpectedly not covered, and those unexpectedly covered. Returns how many there are. */
function showSurprises(coverage: Coverage): number {
  const missing = new Set(missingIn(coverage).map(keyOf));
  const expected = new Set(allBeyondReach().map(keyOf));
  const uncovered = [...missing].filter((each) => !expected.has(each));
  const covered = [...expected].filter((each) => !missing.has(each));
  for (const each of uncovered) console.log(`not covered, and no reason is given: ${each}`);
  for (const each of covered) console.log(`covered, although a reason says that nobody can: ${each}`);
  return uncovered.length + covered.length;
}

try {
  const archives = await runAll();
  const coverage = JSON.parse(await passed("coverage", "--json")) as Coverage;
  for (const dimension of DIMENSION_NAMES) {
    const { covered, total } = coverage.totals[dimension];
    console.log(`${DIMENSIONS[dimension].padEnd(14)} ${covered}/${total}`);
  }
  const agreements = agreementOn(archives, coverage);
  show(agreements);
  const page = readFileSync(PAGE, "utf8");
  const right = pageWith(page, coverage, agreements);
  const isRight = page === right;
  if (process.argv.includes("--write")) writeFileSync(PAGE, right);
  else if (!isRight) console.log("docs/coverage.md is out of date: npm run coverage:agrees -- --write");
  const isGood = agreements.every(({ differences }) => differences.length === 0) && showSurprises(coverage) === 0;
  process.exitCode = isGood && (isRight || process.argv.includes("--write")) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
