import { marginal, type Row, type Sizes } from "./results.ts";
import { FLOOR, FLOOR_AS_IT_COMES, FLOOR_CLIENT, FLOOR_DURABLE, HURL, OURS } from "./runners.ts";
import { type Chain, WRITE_ROUND } from "./scenario.ts";

/** A promise about performance, and whether it is kept. */
export interface Verdict {
  readonly promise: string;
  readonly measured: number | undefined;
  readonly limit: number;
  readonly unit: string;
  readonly kept: boolean | undefined;
}

const STARTUP_FACTOR = 0.6;
const READ_FACTOR = 1.25;
/** The limit for steps 3 to 300, relative to the later steps. */
const WARM_UP_FACTOR = 1.3;
const WRITE_EXTRA_MS = 0.35;
const HURL_FACTOR = { read: 1.5, write: 2.2 };
// Used if Hurl is not installed: on a machine that had Hurl, three times Hurl was 2.2 times the floor.
const FLOORS_A_HURL = 2.2 / 3;
const MEMORY_MB = { small: 80, large: 120 };

/** Returns whether tokenbook keeps each promise. */
export function verdicts(rows: readonly Row[], sizes: Sizes): readonly Verdict[] {
  const of = (name: string, chain: Chain): Row | undefined => rows.find((row) => row.name === name && row.chain === chain);
  const ours = { read: of(OURS, "read"), loop: of(OURS, "loop"), write: of(OURS, "write") };
  const { small, middle, large } = sizes;
  const floor = { read: of(FLOOR_CLIENT, "read"), write: of(FLOOR_DURABLE, "write") };
  return [
    verdict(
      `start-up with ${small} read steps, times a script with undici, not bundled`,
      ratio(ours.read?.ms[small], of(FLOOR_AS_IT_COMES, "read")?.ms[small]),
      STARTUP_FACTOR,
      "×",
    ),
    verdict("a read step, times the floor with one client", readFactor(ours.read, floor.read, sizes), READ_FACTOR, "×"),
    verdict("a read as a round of foreach, times the same", readFactor(ours.loop, floor.read, sizes), READ_FACTOR, "×"),
    verdict(
      `steps ${small} to ${middle}, times later ones`,
      ratio(marginal(ours.read, small, middle), marginal(ours.read, middle, large)),
      WARM_UP_FACTOR,
      "×",
    ),
    verdict(
      "a write, beyond the floor with a fresh connection and 2 commits",
      writeExtra(ours, floor, sizes),
      WRITE_EXTRA_MS,
      "ms",
    ),
    ...many(of, ours, sizes),
    verdict(`peak memory, ${small} read steps`, ours.read?.peakMb[small], MEMORY_MB.small, "MB"),
    verdict(`peak memory, ${large} read steps`, ours.read?.peakMb[large], MEMORY_MB.large, "MB"),
    verdict(`peak memory, ${large} rounds of foreach`, ours.loop?.peakMb[large], MEMORY_MB.large, "MB"),
  ];
}

function verdict(promise: string, measured: number | undefined, limit: number, unit: string): Verdict {
  return { promise, measured, limit, unit, kept: measured === undefined ? undefined : measured <= limit };
}

function readFactor(ours: Row | undefined, floor: Row | undefined, { middle, large }: Sizes): number | undefined {
  return ratio(marginal(ours, middle, large), marginal(floor, middle, large));
}

type Chains = Readonly<Partial<Record<Chain, Row | undefined>>>;

// A round of the write chain is a write with its receipt, and a read. Their cost beyond the floor is judged separately.
function writeExtra(ours: Chains, floor: Chains, sizes: Sizes): number | undefined {
  return minus(roundExtra(ours.write, floor.write, sizes), stepExtra(ours.read, floor.read, sizes));
}

function roundExtra(ours: Row | undefined, floor: Row | undefined, sizes: Sizes): number | undefined {
  const extra = stepExtra(ours, floor, sizes);
  return extra === undefined ? undefined : extra * WRITE_ROUND;
}

// In milliseconds for each request of the chain.
function stepExtra(ours: Row | undefined, floor: Row | undefined, { middle, large }: Sizes): number | undefined {
  const extra = minus(marginal(ours, middle, large), marginal(floor, middle, large));
  return extra === undefined ? undefined : extra / 1_000;
}

function minus(value: number | undefined, other: number | undefined): number | undefined {
  return value === undefined || other === undefined ? undefined : value - other;
}

type RowOf = (name: string, chain: Chain) => Row | undefined;

function many(of: RowOf, ours: Chains, { many: { files, requests } }: Sizes): readonly Verdict[] {
  return (["read", "write"] as const).map((chain) => {
    const what = `${files} files × ${requests} ${chain} requests`;
    const hurl = of(HURL, chain);
    const [beside, base, factor] =
      hurl === undefined
        ? ["the floor", of(FLOOR, chain), HURL_FACTOR[chain] * FLOORS_A_HURL]
        : ["Hurl", hurl, HURL_FACTOR[chain]];
    return verdict(`${what}, times ${beside}`, ratio(ours[chain]?.manyMs, base?.manyMs), Number(factor.toFixed(2)), "×");
  });
}

/** Returns the floor for a row. Rounds have the floor of the read chain, because they make the same requests. */
export function floorOf(row: Row, rows: readonly Row[]): Row | undefined {
  const chain = row.chain === "loop" ? "read" : row.chain;
  return rows.find((each) => each.name === FLOOR && each.chain === chain);
}

/** Returns the value divided by the base. */
export function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined ? undefined : value / base;
}
