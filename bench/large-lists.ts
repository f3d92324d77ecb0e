// npm run bench:lists [-- --rows 1000000 --rounds 5]: reconciles as many accounts with as many transactions, in lists of 10,000 records. Prints the
// time, the CPU time and the memory of the reconciliation, and the same for a program that only reads these lists.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { invariant } from "../src/base/failure.ts";
import { tokenIds } from "./planted-ledger.ts";
import { type Ran, Stopwatch } from "./process.ts";

const self = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL("../", import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "5" },
    origin: { type: "string", default: "" },
  },
});

const RECORDS = 10_000;
const PARALLEL = 4;
const LIMITS = { wall: 1.5, cpu: 2, memoryMb: 200 };
const TOKENS = tokenIds(Math.ceil(Number(options.rows) / RECORDS));
const PLAYBOOK = `playbook: 1
name: Accounts against transactions
mode: read-only
inputs: { tokens: { type: file, default: tokens.json, items: { type: string } } }
reconcile:
  - id: balances
    left:
      foreach: { token: "\${{ inputs.tokens }}", key: token, parallel: ${PARALLEL} }
      read: ledger.account.list
      with: { tokenId: "\${{ token }}" }
      key: { token: token, holder: row.entity.userId }
      value: row.balance
    right:
      foreach: { token: "\${{ inputs.tokens }}", key: token, parallel: ${PARALLEL} }
      read: ledger.transaction.list
      with: { tokenId: "\${{ token }}" }
      key: { token: token, holder: 'row.transactionDetails[0].to.userId' }
      value: row.transactionDetails[0].amount
      combine: sum
`;

const WORK: Readonly<Record<string, () => Promise<void>>> = { serve, read, undefined: compare };
await WORK[String(positionals[0])]?.();

async function serve(): Promise<void> {
  const holders = Array.from({ length: RECORDS }, (_, at) => ({ userId: `user${at}`, orgId: "org1" }));
  const stamps = { createdAt: "2026-11-20T00:00:00.000Z", updatedAt: "2026-11-20T00:00:00.000Z" };
  const lists = {
    account: holders.map((entity, at) => ({
      docType: "account",
      id: `a~T.${at}`,
      tokenId: "T",
      entity,
      balance: at * 1.25,
      ...stamps,
    })),
    transaction: holders.map((to, at) => ({
      docType: "tkntx",
      id: `t~T.${at}`,
      type: "MINT",
      transactionDetails: [{ tokenId: "T", to, amount: at * 1.25 }],
      ...stamps,
    })),
  };
  const bodies = { account: JSON.stringify(lists.account), transaction: JSON.stringify(lists.transaction) };
  const server = createServer((request, response) => {
    let asked = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (asked += chunk));
    request.on("end", () => {
      const [{ tokenId = "" } = {}] = JSON.parse(asked) as { tokenId?: string }[];
      const body = bodies[request.url?.includes("account") === true ? "account" : "transaction"];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(body.replaceAll('"tokenId":"T"', `"tokenId":"${tokenId}"`));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** Reads the same lists with the same client and the same concurrency, and does nothing with them. */
async function read(): Promise<void> {
  const { Client } = await import("undici");
  const rest = TOKENS.flatMap((token) =>
    ["account", "transaction"].map((what) => ({ path: `/tokenize/a/token/${what}/all`, token })),
  ).values();
  let rows = 0;
  const one = async (): Promise<void> => {
    const client = new Client(options.origin);
    for (const { path, token } of rest) {
      const { body } = await client.request({ method: "POST", path, body: JSON.stringify([{ tokenId: token }]) });
      const list = (await body.json()) as readonly unknown[];
      rows += list.length;
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: 2 * PARALLEL }, one));
  invariant(rows === 2 * TOKENS.length * RECORDS, "all rows are read");
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-bench-"));
  const service = spawn(process.execPath, [self, "serve"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [origin] = (await once(createInterface(service.stdout), "line")) as [string];
    writeFileSync(join(folder, "large.yaml"), PLAYBOOK);
    writeFileSync(join(folder, "tokens.json"), JSON.stringify(TOKENS));
    const ledger = { baseUrl: origin, appId: "a", orgId: "org1", apiKey: "env:LEDGER_KEY" };
    writeFileSync(join(folder, "tokenbook.yaml"), JSON.stringify({ environments: { bench: { ledger } } }));
    const stopwatch = new Stopwatch(folder, { LEDGER_KEY: "bench-ledger-key" });
    const reading = [process.execPath, self, "read", "--rows", options.rows, "--origin", origin];
    const comparing = [process.execPath, join(root, "bin/tokenbook.js"), "run", "large.yaml"];
    const readers = [await succeeded(stopwatch, reading)];
    const ours: Ran[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      ours.push(await succeeded(stopwatch, comparing));
      readers.push(await succeeded(stopwatch, reading));
    }
    show(ours, readers);
  } finally {
    service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function succeeded(stopwatch: Stopwatch, command: readonly string[]): Promise<Ran> {
  const ran = await stopwatch.run(command);
  invariant(ran.exit === 0, `it ended with ${ran.exit}:\n${ran.output.slice(-2_000)}`);
  return ran;
}

// The speed of a machine varies, and other work only slows it down. So the fastest round of each counts, with the highest memory of all rounds.
function show(ours: readonly Ran[], readers: readonly Ran[]): void {
  const rows = (TOKENS.length * RECORDS).toLocaleString("en");
  console.log(`${rows} accounts against ${rows} transactions`);
  console.log(`time       ${beside(least(ours, "ms"), least(readers, "ms"), LIMITS.wall)}`);
  console.log(`processor  ${beside(least(ours, "cpuMs"), least(readers, "cpuMs"), LIMITS.cpu)}`);
  const peakMb = most(ours);
  const verdict = peakMb <= LIMITS.memoryMb ? "ok" : "over";
  console.log(
    `memory     ${peakMb.toFixed(0)} MB (≤ ${LIMITS.memoryMb}) ${verdict}, merely reading ${most(readers).toFixed(0)} MB`,
  );
}

function least(rounds: readonly Ran[], what: "ms" | "cpuMs"): number {
  return Math.min(...rounds.map((ran) => ran[what] ?? Number.NaN));
}

function most(rounds: readonly Ran[]): number {
  return Math.max(...rounds.map(({ peakMb = Number.NaN }) => peakMb));
}

function beside(ms: number, floorMs: number, limit: number): string {
  const factor = ms / floorMs;
  const verdict = factor <= limit ? "ok" : "over";
  return `${(ms / 1_000).toFixed(1)} s, merely reading ${(floorMs / 1_000).toFixed(1)} s: ${factor.toFixed(2)} × (≤ ${limit}) ${verdict}`;
}
