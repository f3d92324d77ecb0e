// npm run bench:each [-- --rows 1000,10000,100000]: runs a playbook with each row of a file, and writes JUnit and JSON reports. The bench kills the
// process after half of the rows, repeats the command, and then repeats the failed rows. Prints the time and the peak memory of each.
import { once } from "node:events";
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { invariant } from "../src/base/failure.ts";
import { type Ran, Stopwatch } from "./process.ts";
import { align } from "./show.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values: options } = parseArgs({ options: { rows: { type: "string", default: "1000,10000,100000" } } });

const FAILING = 100;
const GROWTH = 1.5;
const TIMEOUT_MS = 3_600_000;
const HEADINGS = ["rows", "what", "rows run", "seconds", "ms a row", "most MB"];
const PLAYBOOK = `playbook: 1
name: Look up a holder
mode: read-only
inputs: { account: { type: string } }
steps:
  - id: look
    uses: ledger.account.get
    with: { id: "\${{ inputs.account }}" }
    expect: [response.balance >= 0]
`;

/** A service that knows all accounts, except that it knows the account of every hundredth row only once `isOpen` is set. */
class Accounts {
  isOpen = false;
  asked = 0;
  /** Calls `act` when the service has received `count` requests. */
  at: { count: number; act: () => void } | undefined;
  readonly #server = createServer((request, response) => {
    const id = new URL(request.url ?? "", "http://here").searchParams.get("id") ?? "";
    this.asked++;
    if (this.asked === this.at?.count) this.at.act();
    const isMissing = !this.isOpen && Number(id.replace(/\D/g, "")) % FAILING === 0;
    const known = { docType: "account", id, tokenId: "T", balance: 1.5, entity: { orgId: "org1", userId: id } };
    const body = isMissing ? { status: "Error", message: "not yet", condition: "account not found" } : known;
    response.writeHead(isMissing ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

interface Phase {
  readonly what: string;
  readonly rows: number;
  readonly ran: Ran;
}

async function phases(rows: number): Promise<readonly Phase[]> {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-bench-"));
  const service = new Accounts();
  try {
    const ledger = { baseUrl: await service.listen(), appId: "a", orgId: "org1", apiKey: "env:LEDGER_KEY" };
    writeFileSync(join(folder, "tokenbook.yaml"), JSON.stringify({ environments: { bench: { ledger } } }));
    writeFileSync(join(folder, "look.yaml"), PLAYBOOK);
    writeFileSync(join(folder, "accounts.csv"), `account\n${Array.from({ length: rows }, (_, at) => `a${at}\n`).join("")}`);
    mkdirSync(join(folder, "reports"));
    return await measured(rows, { folder, service });
  } finally {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(
  rows: number,
  { folder, service }: { readonly folder: string; readonly service: Accounts },
): Promise<readonly Phase[]> {
  const stopwatch = new Stopwatch(folder, { LEDGER_KEY: "bench-ledger-key" }, TIMEOUT_MS);
  const command = [process.execPath, join(root, "bin/tokenbook.js"), "run", "look.yaml", "--each", "accounts.csv", "--quiet"];
  const reports = ["--report", "junit=reports/r.xml,json=reports/r.json"];
  const all: Phase[] = [];
  const run = async (what: string, more: readonly string[]): Promise<Ran> => {
    const before = service.asked;
    const ran = await stopwatch.run([...command, ...reports, ...more]);
    all.push({ what, rows: service.asked - before, ran });
    return ran;
  };
  const half = Math.floor(rows / 2);
  service.at = { count: half, act: () => stopwatch.kill() };
  const killed = await run("killed at half", []);
  invariant(killed.exit === null || killed.exit > 128, `it was not killed:\n${killed.output.slice(-1_500)}`);
  const first = await run("repeated", []);
  invariant(first.exit === 1, `it ended with ${first.exit}:\n${first.output.slice(-1_500)}`);
  invariant((await casesIn(folder)) === rows, "the JUnit report has a case for each row");
  service.isOpen = true;
  const failed = await run("--failed", ["--failed"]);
  invariant(failed.exit === 0, `it ended with ${failed.exit}:\n${failed.output.slice(-1_500)}`);
  invariant(all.at(-1)?.rows === rows / FAILING, `--failed asked for ${all.at(-1)?.rows} rows`);
  return all;
}

async function casesIn(folder: string): Promise<number> {
  let cases = 0;
  for await (const line of createInterface(createReadStream(join(folder, "reports/r.xml")))) {
    cases += line.split("<testsuite ").length - 1;
  }
  return cases;
}

const table: (readonly string[])[] = [HEADINGS];
const most = new Map<number, number>();
for (const rows of options.rows.split(",").map(Number)) {
  for (const { what, rows: asked, ran } of await phases(rows)) {
    const peakMb = ran.peakMb ?? Number.NaN;
    most.set(rows, Math.max(most.get(rows) ?? 0, peakMb));
    const perRow = ran.ms / Math.max(asked, 1);
    const cells = [rows, what, asked].map((cell) => cell.toLocaleString("en"));
    table.push([...cells, (ran.ms / 1_000).toFixed(1), perRow.toFixed(1), peakMb.toFixed(0)]);
  }
  console.log(`${rows.toLocaleString("en")} rows: ${most.get(rows)?.toFixed(0)} MB`);
}
console.log(align(table));
const [before, last] = [...most.values()].slice(-2);
if (before !== undefined && last !== undefined && last > before * GROWTH) {
  console.log(`the memory grows with the rows: ${last.toFixed(0)} MB after ${before.toFixed(0)} MB`);
  process.exitCode = 1;
}
