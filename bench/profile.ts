// npm run bench:profile [-- --rounds N]: shows, for each folder of src/, the CPU time and the allocated bytes of a read step, a write with its
// receipt, the first 300 steps, and one more file to check. Each value is the difference between two sizes, so that none includes start-up.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Chain, KEY, KEY_VARIABLE, playbookFile, writeProject, WRITE_ROUND } from "./scenario.ts";
import { BenchService } from "./service.ts";
import { align } from "./show.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const ROUNDS = Number(options.rounds);
const [SMALL, MIDDLE, LARGE, FILES] = [3, 300, 3_000, 100];
const INTERVAL_US = 200;
const FEWEST_US = 0.5;

const folder = mkdtempSync(join(tmpdir(), "tokenbook-profile-"));

/** The cost of each folder: CPU time in microseconds, and allocations in kilobytes. */
type Profile = Readonly<Record<"us" | "kb", ReadonlyMap<string, number>>>;

/** Runs the built command, and returns its mean cost. */
function profileOf(words: readonly string[]): Profile {
  const [us, kb] = [new Map<string, number>(), new Map<string, number>()];
  for (let round = 0; round < ROUNDS; round++) {
    addTimes(words, us);
    addBytes(words, kb);
  }
  return { us, kb };
}

const KEEPING = { [KEY_VARIABLE]: KEY, XDG_CACHE_HOME: join(folder, "cache") };

function runCommand(nodeOptions: readonly string[], words: readonly string[], variables: Readonly<Record<string, string>>): void {
  rmSync(join(folder, "state"), { recursive: true, force: true });
  const args = [...nodeOptions, join(root, "bin/tokenbook.js"), ...words];
  execFileSync(process.execPath, args, { cwd: folder, env: { ...process.env, ...KEEPING, ...variables }, stdio: "ignore" });
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

function addTimes(words: readonly string[], sums: Map<string, number>): void {
  const profiles = join(folder, "profiles");
  runCommand(["--cpu-prof", "--cpu-prof-interval", String(INTERVAL_US), "--cpu-prof-dir", profiles], words, {});
  for (const name of readdirSync(profiles)) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(profiles, name), "utf8")) as CpuProfile;
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    for (const [at, id] of samples.entries()) add(sums, placeOf(frames.get(id)), (timeDeltas[at] ?? 0) / ROUNDS);
  }
  rmSync(profiles, { recursive: true });
}

interface HeapNode {
  readonly callFrame: CallFrame;
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

function addBytes(words: readonly string[], sums: Map<string, number>): void {
  const file = join(folder, "allocations.json");
  runCommand(["--import", fileURLToPath(new URL("allocations.ts", import.meta.url))], words, { ALLOCATIONS: file });
  const rest = [(JSON.parse(readFileSync(file, "utf8")) as { readonly head: HeapNode }).head];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    add(sums, placeOf(node.callFrame), node.selfSize / 1024 / ROUNDS);
    rest.push(...node.children);
  }
}

function add(sums: Map<string, number>, place: string | undefined, value: number): void {
  if (place !== undefined) sums.set(place, (sums.get(place) ?? 0) + value);
}

function placeOf(frame: CallFrame | undefined): string | undefined {
  if (frame === undefined || frame.functionName === "(idle)") return undefined;
  if (frame.functionName === "(garbage collector)") return "garbage collector";
  const file = /^(?:file:\/\/)?(.*\/dist\/.*)$/.exec(frame.url)?.[1];
  return file === undefined ? "Node" : folderAt(file, frame.lineNumber);
}

const folders = new Map<string, readonly string[]>();

// The bundler names the source file of the lines that follow: `//#region src/base/json/json.ts`.
function folderAt(file: string, line: number): string {
  let lines = folders.get(file);
  if (lines === undefined) {
    let place = "dist";
    lines = readFileSync(file, "utf8")
      .split("\n")
      .map((text) => {
        const source = /^\/\/#region (.*)$/.exec(text)?.[1];
        if (source !== undefined) place = folderOf(source);
        return place;
      });
    folders.set(file, lines);
  }
  return lines[line] ?? "dist";
}

function folderOf(source: string): string {
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1];
  return library ?? /^src\/[^/.]+(?:\/[^/.]+(?=\/))?/.exec(source)?.[0] ?? "dist";
}

function perUnit(less: Profile, more: Profile, units: number): Profile {
  const between = (what: keyof Profile): ReadonlyMap<string, number> =>
    new Map([...more[what]].map(([place, value]) => [place, (value - (less[what].get(place) ?? 0)) / units]));
  return { us: between("us"), kb: between("kb") };
}

function sumOf(values: Iterable<number>): number {
  return [...values].reduce((sum, value) => sum + value, 0);
}

function shown(columns: Readonly<Record<string, Profile>>, what: keyof Profile, unit: string): string {
  const profiles = Object.values(columns).map((profile) => profile[what]);
  const places = [...new Set(profiles.flatMap((profile) => [...profile.keys()]))]
    .map((place) => ({ place, values: profiles.map((profile) => profile.get(place) ?? 0) }))
    .filter(({ values }) => values.some((value) => value >= FEWEST_US))
    .toSorted((a, b) => sumOf(b.values) - sumOf(a.values));
  const rows = places.map(({ place, values }) => [place, ...values.map((value) => value.toFixed(1))]);
  const totals = profiles.map((profile) => sumOf(profile.values()).toFixed(1));
  return align([[unit, ...Object.keys(columns)], ["all", ...totals], ...rows]);
}

async function showProfile(): Promise<void> {
  const service = await BenchService.start();
  try {
    const chains = (["read", "write"] as const).flatMap((chain) =>
      [SMALL, MIDDLE, LARGE].map((requests) => ({ chain, requests })),
    );
    writeProject(folder, service.origin, chains, { files: FILES, requests: 30 });
    const run = (chain: Chain, requests: number): Profile =>
      profileOf(["run", playbookFile({ chain, requests }), "--env", "bench", "--state", join(folder, "state")]);
    const reads = { small: run("read", SMALL), middle: run("read", MIDDLE), large: run("read", LARGE) };
    const writes = { middle: run("write", MIDDLE), large: run("write", LARGE) };
    const columns = {
      "a read step": perUnit(reads.middle, reads.large, LARGE - MIDDLE),
      "of the first 300": perUnit(reads.small, reads.middle, MIDDLE - SMALL),
      "a write and a read": perUnit(writes.middle, writes.large, (LARGE - MIDDLE) / WRITE_ROUND),
      "one more file": perUnit(profileOf(["check", "many-read/f1.yaml"]), profileOf(["check", "many-read"]), FILES - 1),
    };
    for (const [what, unit] of [
      ["us", "µs of the processor"],
      ["kb", "KB allocated"],
    ] as const)
      process.stdout.write(`\n${shown(columns, what, unit)}`);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await showProfile();
