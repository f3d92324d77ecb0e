// npm run bench:growth [-- --rounds N]: checks that ten and a hundred times the steps, rounds, files, rows and drifts take ten and a hundred times as
// long. Prints the CPU time of three sizes, and what one more item costs between the first two and between the last two.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { invariant } from "../src/base/failure.ts";
import { median } from "./measure.ts";
import { Stopwatch } from "./process.ts";
import { environment, KEY, KEY_VARIABLE, playbook } from "./scenario.ts";
import { BenchService } from "./service.ts";
import { align } from "./show.ts";

const TOKENBOOK = fileURLToPath(new URL("../bin/tokenbook.js", import.meta.url));
const TIMES = [1, 10, 100] as const;
/** How many times as much one more item may cost at a hundred times the size. */
const MOST_GROWTH = 1.3;
const [FOUND, DRIFTED] = [0, 3];
const side = (file: string): string =>
  `{ rows: { csv: ./${file}, properties: { holder: { type: string }, balance: { type: decimal } } }, key: row.holder, value: row.balance }`;
const COMPARISON = `playbook: 1
mode: read-only
reconcile:
  - id: holders
    left: ${side("left.csv")}
    right: ${side("right.csv")}
    recheck: 10ms
`;

/** A kind of item that a run can have more or fewer of. */
interface Kind {
  readonly name: string;
  /** The number of items in the smallest size. */
  readonly few: number;
  readonly exit: number;
  /** Writes `count` items into a folder, and returns the arguments of the command that runs them. */
  readonly write: (folder: string, count: number) => readonly string[];
}

const KINDS: readonly Kind[] = [
  { name: "steps", few: 30, exit: FOUND, write: (folder, count) => onePlaybook(folder, playbook("read", count)) },
  { name: "rounds of foreach", few: 30, exit: FOUND, write: (folder, count) => onePlaybook(folder, playbook("loop", count)) },
  { name: "files of 3 steps", few: 10, exit: FOUND, write: manyFiles },
  { name: "rows of each side", few: 10_000, exit: FOUND, write: (folder, count) => compared(folder, count, 0) },
  { name: "drifts of 10,000 rows", few: 100, exit: DRIFTED, write: (folder, count) => compared(folder, 10_000, count) },
];

function onePlaybook(folder: string, text: string): readonly string[] {
  writeFileSync(join(folder, "playbook.yaml"), text);
  return ["playbook.yaml"];
}

function manyFiles(folder: string, count: number): readonly string[] {
  mkdirSync(join(folder, "files"));
  for (let at = 0; at < count; at++) writeFileSync(join(folder, `files/f${at}.yaml`), playbook("read", 3));
  return ["files", "--jobs", "8"];
}

function compared(folder: string, rows: number, drifts: number): readonly string[] {
  const lines = (differing: number): string =>
    Array.from({ length: rows }, (_, at) => `holder${at},${at < differing ? "0.5" : `${at}.25`}\n`).join("");
  writeFileSync(join(folder, "left.csv"), `holder,balance\n${lines(0)}`);
  writeFileSync(join(folder, "right.csv"), `holder,balance\n${lines(drifts)}`);
  return onePlaybook(folder, COMPARISON);
}

async function cpuMs(kind: Kind, count: number, origin: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-growth-"));
  try {
    writeFileSync(join(folder, "tokenbook.yaml"), environment(origin));
    const words = kind.write(folder, count);
    const ran = await new Stopwatch(folder, { [KEY_VARIABLE]: KEY }).run([process.execPath, TOKENBOOK, "run", ...words]);
    invariant(ran.exit === kind.exit, `${count} ${kind.name} ended with ${ran.exit}:\n${ran.output.slice(-2_000)}`);
    return ran.cpuMs ?? ran.ms;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function grown(kind: Kind, origin: string, rounds: number): Promise<readonly string[]> {
  // The sizes take turns, so that other load on the machine affects all of them alike.
  const all = TIMES.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, times] of TIMES.entries()) all[at]?.push(await cpuMs(kind, kind.few * times, origin));
  const took = all.map((each) => median(each) ?? Number.NaN);
  const [few = 0, more = 0, most = 0] = took;
  const [first, then] = [(more - few) / (kind.few * 9), (most - more) / (kind.few * 90)].map((ms) => ms * 1_000);
  const growth = (then ?? Number.NaN) / (first ?? Number.NaN);
  const sizes = TIMES.map((times) => (kind.few * times).toLocaleString("en")).join(" · ");
  const seconds = took.map((ms) => (ms / 1_000).toFixed(2)).join(" · ");
  const verdict = growth <= MOST_GROWTH ? "ok" : "over";
  return [kind.name, sizes, seconds, first?.toFixed(1) ?? "–", then?.toFixed(1) ?? "–", growth.toFixed(2), verdict];
}

async function showGrowth(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
  const service = await BenchService.start();
  const rows = [["what", "how many", "seconds of the processor", "µs for one more", "then", "×", `≤ ${MOST_GROWTH}`]];
  try {
    for (const kind of KINDS) rows.push([...(await grown(kind, service.origin, Number(values.rounds)))]);
  } finally {
    await service.stop();
  }
  process.stdout.write(align(rows));
}

await showGrowth();
