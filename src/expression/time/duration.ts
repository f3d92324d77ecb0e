import { LIMITS } from "../../base/limits.ts";

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
};

const PART = /(\d+\.?\d*|\.\d+)(h|ms|m|s|us|µs|ns)/g;
const DURATION = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|µs|ns))+$/;

const DURATION_FORM = "write hours, minutes and seconds, as in 24h or 1h30m; ms, us and ns are possible too";

/** An exact length of time, in nanoseconds; it may be negative. */
export class Duration {
  /** The number of nanoseconds. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Parses a duration such as `1h30m`. If the text is not one, returns why as a sentence. */
  static read(text: string): Duration | string {
    const most = LIMITS.durationChars;
    if (text.length > most) return `a text of ${text.length} characters is no duration: it has at most ${most}`;
    if (!DURATION.test(text)) return `${JSON.stringify(text)} is no duration: ${DURATION_FORM}`;
    let nanos = 0n;
    for (const [, number = "", unit = ""] of text.matchAll(PART)) {
      const [whole = "", fraction = ""] = number.split(".");
      const scaled = BigInt(whole + fraction) * (UNIT_NANOS[unit] ?? 0n);
      const scale = 10n ** BigInt(fraction.length);
      if (scaled % scale !== 0n) return `${JSON.stringify(text)} is finer than a nanosecond, which durations are not`;
      nanos += scaled / scale;
    }
    return new Duration(text.startsWith("-") ? -nanos : nanos);
  }

  /** Returns how many whole units fit into it, rounded towards zero. */
  whole(unit: "h" | "m" | "s" | "ms"): bigint {
    return this.nanos / (UNIT_NANOS[unit] ?? 1n);
  }
}
