import { marginal, type Row, type Sizes } from "./results.ts";
import { FLOOR, FLOOR_AS_IT_COMES, FLOOR_DURABLE, FLOOR_FRESH, HURL, OURS } from "./runners.ts";
import { type Chain, WRITE_ROUND } from "./scenario.ts";

/** One promise about performance, and whether it is kept. */
export interface Verdict {
  readonly promise: string;
  readonly measured: number | undefined;
  readonly limit: number;
  readonly unit: string;
  readonly kept: boolean | undefined;
}

const STARTUP_MS = 150;
// Where that was set, a script with undici took 159 ms: this is the same target on any machine.
const STARTUP_FACTOR = 0.94;
const READ_FACTOR = 2;
const WRITE_EXTRA_MS = 1.5;
// Where that was set, a commit took so long: what the guarantee costs is mostly the two that the disk has to sync.
const COMMIT_MS = 0.12;
const COMMITS = 2;
const HURL_FACTOR = 3;
// Where Hurl is absent: measured beside it, three times Hurl was this many times the floor.
const FLOOR_FACTOR = 2.2;
const MEMORY_MB = { small: 110, large: 160 };

/** Judges tokenbook by what was promised of it. */
export function verdicts(rows: readonly Row[], sizes: Sizes): readonly Verdict[] {
  const of = (name: string, chain: Chain): Row | undefined => rows.find((row) => row.name === name && row.chain === chain);
  const ours = { read: of(OURS, "read"), loop: of(OURS, "loop"), write: of(OURS, "write") };
  const { small, large } = sizes;
  const write = writeExtra(ours, { read: of(FLOOR, "read"), write: of(FLOOR, "write") }, sizes);
  const commits = roundExtra(of(FLOOR_DURABLE, "write"), of(FLOOR_FRESH, "write"), sizes);
  return [
    verdict(`start-up, ${small} read steps`, ours.read?.ms[small], STARTUP_MS, "ms"),
    verdict(
      "  the same, times a script with undici, not bundled",
      ratio(ours.read?.ms[small], of(FLOOR_AS_IT_COMES, "read")?.ms[small]),
      STARTUP_FACTOR,
      "×",
    ),
    verdict("a read step, times the floor", readFactor(ours.read, of(FLOOR, "read"), sizes), READ_FACTOR, "×"),
    verdict("a read as a round of foreach, times the floor", readFactor(ours.loop, of(FLOOR, "read"), sizes), READ_FACTOR, "×"),
    verdict("a write with its receipt, beyond the floor", write, WRITE_EXTRA_MS, "ms"),
    verdict(`  the same, were a commit ${COMMIT_MS} ms`, onThatDisk(write, commits), WRITE_EXTRA_MS, "ms"),
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

// A round of the write chain is a write with its receipt, and a read: what that costs beyond the floor is judged by itself.
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

function onThatDisk(extra: number | undefined, commits: number | undefined): number | undefined {
  const others = minus(extra, commits);
  return others === undefined ? undefined : others + COMMITS * COMMIT_MS;
}

function minus(value: number | undefined, other: number | undefined): number | undefined {
  return value === undefined || other === undefined ? undefined : value - other;
}

type RowOf = (name: string, chain: Chain) => Row | undefined;

function many(
  of: RowOf,
  ours: Readonly<Record<Chain, Row | undefined>>,
  { many: { files, requests } }: Sizes,
): readonly Verdict[] {
  const what = (chain: Chain): string => `${files} files × ${requests} ${chain} requests`;
  const hurl = of(HURL, "write");
  return (["read", "write"] as const).map((chain) =>
    hurl === undefined
      ? verdict(`${what(chain)}, times the floor`, ratio(ours[chain]?.manyMs, of(FLOOR, chain)?.manyMs), FLOOR_FACTOR, "×")
      : verdict(`${what(chain)}, times Hurl`, ratio(ours[chain]?.manyMs, hurl.manyMs), HURL_FACTOR, "×"),
  );
}

/** The floor that a row is compared with: the loop makes the requests of the read chain. */
export function floorOf(row: Row, rows: readonly Row[]): Row | undefined {
  const chain = row.chain === "loop" ? "read" : row.chain;
  return rows.find((each) => each.name === FLOOR && each.chain === chain);
}

/** How many times the second the first is. */
export function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined ? undefined : value / base;
}
