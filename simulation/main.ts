import { parseArgs } from "node:util";
import { PLANTED_BUGS } from "./bugs.ts";
import { ENOUGH_SEEDS, hunt } from "./hunt.ts";
import { runMatrix, showMatrix } from "./matrix.ts";
import { simulateMany } from "./pool.ts";
import { measureShares, showShares } from "./rates.ts";
import { drawSchedule } from "./schedule.ts";
import { replay, showSimulated, showTally } from "./show.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";
import type { Tally } from "./tally.ts";
import { World } from "./world.ts";

const USAGE = `npm run simulate -- [--schedules N] [--from SEED]   simulates N schedules (10,000), from this seed on (0)
npm run simulate -- --seed N                        replays one, made as small as it can be when it breaks a promise
npm run simulate -- --bugs                          plants each of the known bugs, and says at which seed it is found
npm run simulate -- --matrix                        journal boundary by fault by kind of write: every cell there is
npm run simulate -- --rates [--schedules N]         the share of N runs (20,000) that end unknown, by how many writes suffer
`;
const SCHEDULES = 10_000;
const RUNS = 20_000;
const REPORT_EVERY_MS = 5_000;
const BUG_COLUMN = 60;
const BREACH_COLUMN = 22;

interface Options {
  readonly schedules: string | undefined;
  readonly from: string | undefined;
  readonly seed: string | undefined;
  readonly bugs: boolean;
  readonly matrix: boolean;
  readonly rates: boolean;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const options = read();
  if (options === undefined) return 3;
  if (options.matrix) return tryAll();
  if (options.rates) return measure(wholeNumber(options.schedules ?? String(RUNS)));
  if (options.bugs) return huntAll();
  if (options.seed !== undefined) return replayOne(wholeNumber(options.seed));
  const from = wholeNumber(options.from ?? "0");
  return many(from, from + wholeNumber(options.schedules ?? String(SCHEDULES)));
}

function read(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        schedules: { type: "string" },
        from: { type: "string" },
        seed: { type: "string" },
        bugs: { type: "boolean" },
        matrix: { type: "boolean" },
        rates: { type: "boolean" },
      },
    });
    return {
      schedules: values.schedules,
      from: values.from,
      seed: values.seed,
      bugs: values.bugs === true,
      matrix: values.matrix === true,
      rates: values.rates === true,
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return undefined;
  }
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${JSON.stringify(text)} is no whole number of at most 9 digits\n${USAGE}`);
}

async function replayOne(seed: number): Promise<number> {
  const world = new World();
  const simulated = await simulate(world, drawSchedule(seed));
  const broken = simulated.violations.length > 0;
  process.stdout.write(showSimulated(broken ? await shrink(world, simulated) : simulated));
  return broken ? 1 : 0;
}

async function huntAll(): Promise<number> {
  let missed = 0;
  for (const bug of PLANTED_BUGS) {
    const seed = await hunt(bug);
    if (seed === undefined) missed++;
    const where = seed === undefined ? `not within ${ENOUGH_SEEDS} seeds` : `seed ${seed}`;
    process.stdout.write(`${bug.name.padEnd(BUG_COLUMN)}  ${bug.breaks.padEnd(BREACH_COLUMN)}  ${where}\n`);
  }
  return missed === 0 ? 0 : 1;
}

async function tryAll(): Promise<number> {
  const cells = await runMatrix();
  process.stdout.write(showMatrix(cells));
  return cells.every(({ violations }) => violations.length === 0) ? 0 : 1;
}

async function measure(runs: number): Promise<number> {
  process.stdout.write(showShares(await measureShares(runs)));
  return 0;
}

async function many(from: number, to: number): Promise<number> {
  const began = performance.now();
  let reported = began;
  const progress = ({ schedules, broken }: Tally): void => {
    const now = performance.now();
    if (now - reported < REPORT_EVERY_MS) return;
    reported = now;
    const rate = Math.round((schedules * 1_000) / (now - began));
    process.stderr.write(`${schedules} of ${to - from}, ${rate} a second, ${broken.length} violations\n`);
  };
  const tally = await simulateMany({ from, to }, progress);
  process.stdout.write(showTally(tally, (performance.now() - began) / 1_000));
  const [first] = tally.broken;
  if (first === undefined) return 0;
  process.stdout.write(`\nThe first of them:\n\n`);
  await replayOne(first.seed);
  process.stdout.write(`${replay(first.seed)}\n`);
  return 1;
}
