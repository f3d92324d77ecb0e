// npm run bench:reconcile [-- --quick]: reconciles a ledger of 100,000 accounts and 1,000,000 transactions, with 137 planted drifts of every kind and
// rows that are in flight. Prints what the reconciliation finds, its memory, and its time compared with that of only reading the same pages.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { invariant } from "../src/base/failure.ts";
import type { RunReport } from "../src/report/shape.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";
import { generate, type Holding, KINDS, land, PLANTED, type Planted, tokenIds } from "./planted-ledger.ts";
import { Stopwatch } from "./process.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });

const TOKENS = options.quick ? 100 : 1_000;
const LIMITS = { factor: 1.5, memoryMb: 200 };
const PARALLEL = 4;
const QUIET_MS = 700;
const LOOK_MS = 50;
const PLAYBOOK = `playbook: 1
name: Accounts against transactions
mode: read-only
inputs: { tokens: { type: file, default: tokens.json, items: { type: string } } }
reconcile:
  - id: balances
    left:
      name: accounts
      foreach: { token: "\${{ inputs.tokens }}", key: token, parallel: ${PARALLEL} }
      read: ledger.account.list
      with: { tokenId: "\${{ token }}" }
      key: { token: token, holder: row.entity.userId }
      value: row.balance
    right:
      name: transactions
      foreach: { token: "\${{ inputs.tokens }}", key: token, parallel: ${PARALLEL} }
      read: ledger.transaction.list
      with: { tokenId: "\${{ token }}" }
      key: { token: token, holder: 'row.transactionDetails[0].to.userId' }
      value: 'row.type == "BURN" ? -row.transactionDetails[0].amount : row.transactionDetails[0].amount'
      combine: sum
`;

/** Resolves once a process has worked and then been idle for a while. By then it has answered its requests. */
async function quiet(pid: number): Promise<void> {
  let [spent, since] = [cpuTicks(pid), performance.now()];
  for (let hasBegun = false; !hasBegun || performance.now() - since < QUIET_MS;) {
    await setTimeout(LOOK_MS);
    const now = cpuTicks(pid);
    if (now === spent) continue;
    [spent, since] = [now, performance.now()];
    hasBegun = true;
  }
}

// Linux only: in /proc, fields 12 and 13 after the name in brackets are the CPU ticks of the process.
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

if (!existsSync(join(root, "dist/cli.cjs"))) execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
const folder = mkdtempSync(join(tmpdir(), "tokenbook-bench-"));
try {
  process.exitCode = await bench();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bench(): Promise<number> {
  const path = join(folder, "sandbox.db");
  const holdings = await generate(path, TOKENS);
  const { service, ready } = await serve(path);
  try {
    await readAll(ready); // so that both programs find the pages in memory
    const before = await readAll(ready);
    writeProject(ready);
    await setTimeout(QUIET_MS);
    void quiet(service.pid ?? 0).then(() => land(path, holdings));
    const stopwatch = new Stopwatch(folder, { LEDGER_KEY: ready.ledgerApiKey });
    const ran = await stopwatch.run([process.execPath, join(root, "bin/tokenbook.js"), "run", "nightly.yaml", "--json"]);
    const floor = (before + (await readAll(ready))) / 2; // the speed of a machine varies
    return judge(holdings, { floor, ms: ran.ms, peakMb: ran.peakMb, cpuMs: ran.cpuMs, exit: ran.exit, output: ran.output });
  } finally {
    service.kill();
  }
}

function writeProject({ ledgerBaseUrl: origin, appId, orgId }: Sandbox): void {
  writeFileSync(join(folder, "nightly.yaml"), PLAYBOOK);
  writeFileSync(join(folder, "tokens.json"), JSON.stringify(tokenIds(TOKENS)));
  const environment = { environments: { bench: { ledger: { baseUrl: origin, appId, orgId, apiKey: "env:LEDGER_KEY" } } } };
  writeFileSync(join(folder, "tokenbook.yaml"), JSON.stringify(environment));
}

async function serve(path: string): Promise<{ readonly service: ReturnType<typeof spawn>; readonly ready: Sandbox }> {
  const service = spawn(process.execPath, [join(root, "bin/tokenbook.js"), "sandbox", "--port", "0", "--db", path, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  invariant(service.stdout !== null, "its output is piped");
  const [line] = (await once(createInterface(service.stdout), "line")) as [string];
  return { service, ready: JSON.parse(line) as Sandbox };
}

/** Reads the same pages with the same client and the same concurrency, and does nothing with them. */
async function readAll({ ledgerBaseUrl: origin, appId, ledgerApiKey }: Sandbox): Promise<number> {
  const { Client } = await import("undici");
  const began = performance.now();
  const rest = tokenIds(TOKENS)
    .flatMap((token) => ["account", "transaction"].map((what) => ({ path: `/tokenize/${appId}/token/${what}/all`, token })))
    .values();
  const one = async (): Promise<void> => {
    const client = new Client(origin);
    for (const { path, token } of rest) {
      const headers = { "X-API-KEY": ledgerApiKey, "content-type": "application/json" };
      const { body } = await client.request({ method: "POST", path, headers, body: JSON.stringify([{ tokenId: token }]) });
      invariant(Array.isArray(await body.json()), "the service gives a list");
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: 2 * PARALLEL }, one));
  return performance.now() - began;
}

interface Measured {
  readonly floor: number;
  readonly ms: number;
  readonly peakMb: number | undefined;
  readonly cpuMs: number | undefined;
  readonly exit: number | null;
  readonly output: string;
}

function judge(holdings: readonly Holding[], { floor, ms, peakMb, cpuMs = Number.NaN, exit, output }: Measured): number {
  invariant(exit === 3, `a reconciliation with drifts ends with exit 3, and ended with ${exit}:\n${output.slice(0, 2_000)}`);
  const { reports } = JSON.parse(output.slice(output.indexOf("{"))) as { readonly reports: readonly RunReport[] };
  const comparison = reports[0]?.steps[0]?.comparison;
  invariant(comparison !== null && comparison !== undefined, "the run compares");
  const found = new Set(comparison.drifts.map(({ kind, key }) => `${kind} ${key["token"]} ${key["holder"]}`));
  const lines: string[] = [];
  let hits = 0;
  for (const [name, count] of Object.entries(PLANTED) as [Planted, number][]) {
    const kind = name === "in flight" ? undefined : KINDS[name];
    const own = holdings.filter((holding) => holding.planted === name);
    const seen = kind === undefined ? 0 : own.filter(({ token, holder }) => found.has(`${kind} ${token} ${holder}`)).length;
    hits += seen;
    lines.push(
      `  ${name.padEnd(32)} ${String(count).padStart(4)} planted  ${kind === undefined ? `${comparison.counts.settled} settled` : `${seen} found`}`,
    );
  }
  const { left, right, counts, looks } = comparison;
  const factor = ms / floor;
  const real = Object.values(PLANTED).reduce((sum, count) => sum + count, 0) - PLANTED["in flight"];
  console.log(`${left.rows} accounts and ${right.rows} transactions, ${counts.compared} keys, ${looks} looks`);
  console.log(lines.join("\n"));
  console.log(
    `found ${hits} of ${real}, false alarms ${found.size - hits}, not settled ${PLANTED["in flight"] - counts.settled}`,
  );
  console.log(
    `time ${(ms / 1_000).toFixed(1)} s, merely reading ${(floor / 1_000).toFixed(1)} s: ${factor.toFixed(2)} × (≤ ${LIMITS.factor}) ${factor <= LIMITS.factor ? "ok" : "over"}`,
  );
  console.log(`processor ${(cpuMs / 1_000).toFixed(1)} s`);
  console.log(
    `peak memory ${peakMb === undefined ? "unknown" : `${peakMb.toFixed(0)} MB (≤ ${LIMITS.memoryMb}) ${peakMb <= LIMITS.memoryMb ? "ok" : "over"}`}`,
  );
  return hits === real && found.size === hits && counts.settled === PLANTED["in flight"] ? 0 : 1;
}
