import { median, type Series, type Size } from "./measure.ts";
import type { Chain } from "./scenario.ts";

/** The measurements of one runner on one chain. */
export interface Row {
  readonly name: string;
  readonly chain: Chain;
  /** Median time of one file, by its number of requests. */
  readonly ms: Readonly<Record<number, number>>;
  /** Median peak memory of one file, by its number of requests. */
  readonly peakMb: Readonly<Record<number, number>>;
  /** Median time of many files that run at the same time. */
  readonly manyMs: number | undefined;
}

/** Returns medians, one row for each runner and chain. */
export function rowsOf(all: readonly Series[]): readonly Row[] {
  const groups = Map.groupBy(all, ({ runner }) => runner);
  return [...groups].map(([{ name, chain }, series]) => {
    const single = series.filter(({ size }) => size.files === 1);
    const many = series.find(({ size }) => size.files > 1);
    return {
      name,
      chain,
      ms: bySize(single, ({ ms }) => ms),
      peakMb: bySize(single, ({ peakMb }) => peakMb),
      manyMs: many === undefined ? undefined : median(many.ms),
    };
  });
}

function bySize(series: readonly Series[], values: (of: Series) => readonly number[]): Record<number, number> {
  return Object.fromEntries(
    series.flatMap((each) => {
      const middle = median(values(each));
      return middle === undefined ? [] : [[each.size.requests, middle] as const];
    }),
  );
}

/** Returns what one more request costs between two sizes, in microseconds. */
export function marginal(row: Row | undefined, from: number, to: number): number | undefined {
  return per(row?.ms[from], row?.ms[to], to - from, 1_000);
}

function per(low: number | undefined, high: number | undefined, count: number, scale: number): number | undefined {
  return low === undefined || high === undefined ? undefined : ((high - low) / count) * scale;
}

/** Returns the sizes of a bench, the smallest first. */
export interface Sizes {
  readonly small: number;
  readonly middle: number;
  readonly large: number;
  readonly many: Size;
}
