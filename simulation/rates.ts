import { drawAtRate } from "./schedule.ts";
import { simulate } from "./simulate.ts";
import { World } from "./world.ts";

/** How many runs end `unknown`, for a share of all writes that have network faults. */
export interface Share {
  readonly rate: number;
  /** The prediction of the protocol's model, from before there was any code. */
  readonly model: number;
  readonly runs: number;
  /** When the run first ends. */
  readonly atFirst: number;
  /** After one resume, when everything late has arrived. */
  readonly afterwards: number;
}

const RATES = [
  { rate: 0.001, model: 0.0008 },
  { rate: 0.01, model: 0.0055 },
  { rate: 0.05, model: 0.029 },
];

/** Measures the shares over `runs` runs each. */
export async function measureShares(runs: number): Promise<readonly Share[]> {
  const world = new World();
  const shares: Share[] = [];
  for (const { rate, model } of RATES) shares.push({ rate, model, runs, ...(await unknownAt(world, rate, runs)) });
  return shares;
}

async function unknownAt(world: World, rate: number, runs: number): Promise<Pick<Share, "atFirst" | "afterwards">> {
  let [atFirst, afterwards] = [0, 0];
  for (let seed = 0; seed < runs; seed++) {
    const schedule = drawAtRate(seed, rate);
    // A run without faults passes.
    if (schedule.faults.length === 0) continue;
    const { outcome } = await simulate(world, schedule, (life) =>
      life.leadUnaided((first) => {
        if (first === "unknown") atFirst++;
      }),
    );
    if (outcome === "unknown") afterwards++;
  }
  return { atFirst, afterwards };
}

/** Returns the shares as a table. */
export function showShares(shares: readonly Share[]): string {
  return [
    "writes that suffer   runs end unknown   still so after one resume   the model's",
    ...shares.map(({ rate, model, runs, atFirst, afterwards }) =>
      [
        percent(rate).padStart(18),
        percent(atFirst / runs).padStart(19),
        percent(afterwards / runs).padStart(28),
        percent(model).padStart(14),
      ].join(""),
    ),
    `of ${shares[0]?.runs.toLocaleString("en") ?? 0} runs each`,
    "",
  ].join("\n");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`.padStart(9);
}
