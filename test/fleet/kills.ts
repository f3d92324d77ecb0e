// npm run fleet:kills [-- --kills N] [--seed S] [--workers N]: kills workers and PostgreSQL during real runs until N processes have died, and
// judges what is left.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { Dice } from "../../src/base/numbers/dice.ts";
import { FleetUnderFire, type Toll } from "./fire.ts";

const PRINT_EVERY = 100;
const { values: options } = parseArgs({
  options: { kills: { type: "string", default: "200" }, seed: { type: "string" }, workers: { type: "string", default: "3" } },
});
const wanted = Number(options.kills);
const seed = Number(options.seed ?? randomInt(1_000_000_000));

console.log(`seed ${seed}`);
const startedAt = performance.now();
const fleet = await FleetUnderFire.start(new Dice(seed), Number(options.workers));
try {
  let harms = 0;
  const toll = await fleet.endure(wanted, () => {
    if (++harms % PRINT_EVERY === 0) console.log(`${harms} kills and freezes in ${seconds()} s`);
  });
  console.log(lineOf(toll));
  for (const each of toll.violations) console.log(`VIOLATION  ${each}`);
  process.exitCode = toll.violations.length === 0 ? 0 : 1;
} finally {
  await fleet.close();
}

function lineOf({ workerKills, databaseKills, freezes, runs, passed, unknown, violations }: Toll): string {
  const harm = `${workerKills} kills of workers, ${databaseKills} of PostgreSQL, ${freezes} freezes`;
  return `${harm}, ${runs} runs in ${seconds()} s: ${passed} passed, ${unknown} unknown, ${violations.length} VIOLATIONS`;
}

function seconds(): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
