// npm run bench [-- --quick] [--rounds N] [--json FILE]: measures tokenbook, a floor written by hand, and tokenbook's peers. Each run is a new
// process, and the runners take turns. Quote the ratios, because the times themselves differ from machine to machine.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { Meter, type Series } from "./measure.ts";
import { writeArazzo, writeHurl, writeOpenApi } from "./peers.ts";
import { Stopwatch } from "./process.ts";
import { type Row, rowsOf, type Sizes } from "./results.ts";
import { hasBinary, HURL, hasHurl, type Runner, runners } from "./runners.ts";
import { KEY, KEY_VARIABLE, type ScenarioFile, writeProject } from "./scenario.ts";
import { BenchService } from "./service.ts";
import { table, verdictTable } from "./show.ts";
import { type Verdict, verdicts } from "./targets.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    verify: { type: "boolean", default: false },
    rounds: { type: "string" },
    json: { type: "string" },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 3 : 7));
const sizes: Sizes = options.quick
  ? { small: 3, middle: 30, large: 300, many: { files: 20, requests: 30 } }
  : { small: 3, middle: 300, large: 3_000, many: { files: 100, requests: 30 } };

if (!existsSync(join(root, "dist/cli.cjs"))) execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
const folder = mkdtempSync(join(tmpdir(), "tokenbook-bench-"));
const service = await BenchService.start();
const stopwatch = new Stopwatch(folder, {
  [KEY_VARIABLE]: KEY,
  XDG_CACHE_HOME: join(folder, "cache"), // holds these builds only: in a shared cache, other builds on the machine would evict their compiled code
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
});
process.once("SIGINT", () => {
  stopwatch.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(130);
});
try {
  await bench();
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function bench(): Promise<void> {
  writeScenarios();
  const all = runners({ origin: service.origin, floor: await buildFloor(), floorAsItComes: await buildFloorAsItComes() });
  const meter = new Meter(folder, stopwatch, service);
  const trusted = await verified(all, meter);
  if (!options.verify) {
    const rows = rowsOf(await measureAll(trusted, meter));
    const judged = verdicts(rows, sizes);
    show(rows, judged);
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(asData(rows, judged, meter), undefined, 2)}\n`);
  }
  conclude(meter);
}

function writeScenarios(): void {
  const lengths = [sizes.small, sizes.middle, sizes.large, sizes.many.requests];
  const chains = (["read", "loop", "write"] as const).flatMap((chain): ScenarioFile[] => [
    ...lengths.map((requests) => ({ chain, requests })),
    { chain, requests: sizes.small, falsified: true },
  ]);
  writeProject(folder, service.origin, chains, sizes.many);
  writeOpenApi(folder, service.origin);
  for (const requests of lengths) {
    writeArazzo(folder, requests);
    writeHurl(folder, service.origin, requests);
  }
  writeArazzo(folder, sizes.small, true);
  writeHurl(folder, service.origin, sizes.small, true);
}

// Bundled in one file with its libraries and loaded from the compile cache, like tokenbook, so that neither pays for something that the other avoids.
async function buildFloor(): Promise<string> {
  await bundleFloor("floor-bundle.mjs", []);
  const file = join(folder, "floor.mjs");
  writeFileSync(
    file,
    'import { enableCompileCache } from "node:module";\nenableCompileCache();\nawait import("./floor-bundle.mjs");\n',
  );
  return file;
}

// The floor as most people would run it: undici is loaded from node_modules.
function buildFloorAsItComes(): Promise<string> {
  return bundleFloor("floor-as-it-comes.mjs", ["undici"]);
}

async function bundleFloor(name: string, external: string[]): Promise<string> {
  const input = fileURLToPath(new URL("floor.ts", import.meta.url));
  const bundle = await rolldown({ input, platform: "node", external, logLevel: "warn" });
  const file = join(folder, name);
  const paths = Object.fromEntries(external.map((library) => [library, import.meta.resolve(library)]));
  await bundle.write({ file, format: "esm", paths });
  await bundle.close();
  return file;
}

/** Returns the runners that pass a true expectation and fail a false one. */
async function verified(all: readonly Runner[], meter: Meter): Promise<readonly Runner[]> {
  const trusted: Runner[] = [];
  for (const runner of all) {
    const good = await meter.verify(runner, sizes.small);
    process.stdout.write(`${good ? "✓" : "✗"} ${runner.name}, ${runner.chain} chain: passes what is true, fails what is not\n`);
    if (good) trusted.push(runner);
  }
  if (!hasHurl()) process.stdout.write(`– ${HURL}: skipped, it is not on the PATH\n`);
  if (!hasBinary()) process.stdout.write("– the binary: skipped, `npm run release -- binary` makes it\n");
  return trusted;
}

async function measureAll(all: readonly Runner[], meter: Meter): Promise<readonly Series[]> {
  const series = all.flatMap((runner): Series[] => {
    const single = [sizes.small, sizes.middle, sizes.large].filter((requests) => requests <= runner.upTo);
    const many = runner.parallel ? [sizes.many] : [];
    return [...single.map((requests) => ({ requests, files: 1 })), ...many].map((size) => ({ runner, size, ms: [], peakMb: [] }));
  });
  for (let round = 1; round <= rounds; round++) {
    for (const each of series) await meter.measure(each);
    process.stderr.write(`round ${round} of ${rounds}\n`);
  }
  return series;
}

function show(rows: readonly Row[], judged: readonly Verdict[]): void {
  const machine = `${cpus().length} cores, Node ${process.versions.node}, loopback, medians of ${rounds} rounds`;
  process.stdout.write(`\n${machine}\n\n${table(rows, sizes)}\n${verdictTable(judged)}\n`);
}

function asData(rows: readonly Row[], judged: readonly Verdict[], { right, wrong }: Meter): object {
  return {
    format: 1,
    node: process.versions.node,
    cores: cpus().length,
    rounds,
    sizes,
    rows,
    verdicts: judged,
    runs: { right, wrong },
  };
}

function conclude({ right, wrong }: Meter): void {
  process.stdout.write(`${right} runs made exactly the requests of their chain; ${wrong.length} did not\n`);
  for (const each of wrong) process.stdout.write(`\n✗ ${each}\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
