import BigFactory, { type Big, type BigConstructor } from "big.js";
import { LIMITS } from "../limits.ts";

// big.js rounds only in divisions. Strict mode refuses JavaScript numbers, which may already have lost digits.
const Exact: BigConstructor = BigFactory();
Exact.strict = true;
Exact.DP = LIMITS.divisionDigits;
Exact.NE = -LIMITS.decimalDigits;
Exact.PE = LIMITS.decimalDigits;

/** The pattern of a numeral, by the grammar of JSON. */
export const NUMERAL_PATTERN = "^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$";

/** The pattern of a numeral that is not negative. */
export const UNSIGNED_PATTERN: string = NUMERAL_PATTERN.replace("-?", "");
const NUMERAL = new RegExp(NUMERAL_PATTERN);

/** How to write a number, for people whose text is not a number. */
export const DECIMAL_FORM =
  "digits and a point, such as 1000.50: no zeros in front, no separator of thousands, no currency, no space";

/** How to write a whole number, for people whose text is not a whole number. */
export const INTEGER_FORM = "digits only, such as 1000: no zeros in front";

// Most numbers have this form.
const CANONICAL = /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d*[1-9])$/;

const WRITTEN_WHOLE = /^-?\d+(?:\.0*)?$/;

/** A double can hold every number with this many digits, and JSON has only one spelling for it. */
const SAFE_DIGITS = 15;

/**
 * An exact number. It keeps the digits with which it was written, so `12345678901234567890.50` is sent byte for byte as it was read.
 * Arithmetic and comparison are exact (division rounds half up at 40 decimal places).
 */
export class Decimal {
  /** The numeral as it was written: JSON number grammar. */
  readonly text: string;
  #big: Big | undefined;

  // Every number is made here, so each number that is written can be read again.
  private constructor(text: string) {
    if (!withinDigits(text)) throw new RangeError(`a number of more than ${LIMITS.decimalDigits} digits`);
    this.text = text;
  }

  /** Parses a JSON numeral; returns `undefined` if the text is not one, or has more digits than `LIMITS.decimalDigits`. */
  static parse(text: string): Decimal | undefined {
    return NUMERAL.test(text) && withinDigits(text) ? new Decimal(text) : undefined;
  }

  /** Takes a numeral that a JSON parser has already accepted. Throws a RangeError if it has too many digits. */
  static fromJsonSource(source: string): Decimal {
    return new Decimal(source);
  }

  /** Takes a whole number. Throws a RangeError for a fraction, a number too large to be exact, or one with too many digits. */
  static of(value: bigint | number): Decimal {
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      throw new RangeError(`${value} is not an exact integer`);
    }
    return new Decimal(String(value));
  }

  get #exactly(): Big {
    return (this.#big ??= new Exact(this.text));
  }

  /** Returns the exact sum. */
  plus(other: Decimal): Decimal {
    return fromBig(this.#exactly.plus(other.#exactly));
  }
  /** Returns the exact difference. */
  minus(other: Decimal): Decimal {
    return fromBig(this.#exactly.minus(other.#exactly));
  }
  /** Returns the exact product. */
  times(other: Decimal): Decimal {
    return fromBig(this.#exactly.times(other.#exactly));
  }
  /** Returns the quotient. Throws a RangeError on division by zero. */
  dividedBy(other: Decimal): Decimal {
    if (other.isZero()) throw new RangeError("division by zero");
    return fromBig(this.#exactly.div(other.#exactly));
  }
  /** Returns the remainder of a whole-number division, with the sign of the dividend. Throws a RangeError on division by zero. */
  remainder(other: Decimal): Decimal {
    if (other.isZero()) throw new RangeError("division by zero");
    return fromBig(this.#exactly.mod(other.#exactly));
  }
  /** Returns the same number with the opposite sign; zero stays unchanged. */
  negated(): Decimal {
    if (this.isZero()) return this;
    return new Decimal(this.text.startsWith("-") ? this.text.slice(1) : `-${this.text}`);
  }
  /** Compares by value: -1 if this number is less, 0 if both are equal, 1 if it is greater. */
  compare(other: Decimal): -1 | 0 | 1 {
    return this.#exactly.cmp(other.#exactly);
  }
  /** Returns whether both have the same value, however they are written: 1.5 equals 1.50. */
  equals(other: Decimal): boolean {
    return this.text === other.text || this.compare(other) === 0;
  }
  /** Returns whether it is zero, as 0.00 and -0 are. */
  isZero(): boolean {
    return this.#exactly.eq("0");
  }
  /** Returns whether it is a whole number, as 2.00 is. */
  isInteger(): boolean {
    return this.decimals() === 0;
  }
  /** Returns whether it is less than zero. */
  isNegative(): boolean {
    return this.#exactly.lt("0");
  }
  /** Returns an upper bound for the digits in a computation with this number. With an exponent, a few characters can mean many digits. */
  get digits(): number {
    return /e/i.test(this.text) ? LIMITS.decimalDigits : this.text.length;
  }
  /** Returns how many digits the value needs after the decimal point: 1.50 needs 1. */
  decimals(): number {
    const [, fraction = ""] = this.#exactly.toFixed().split(".");
    return fraction.length;
  }

  /** Returns the unique spelling of the value, without an exponent or trailing zeros. Use it as a key; show `text`. */
  canonical(): string {
    if (CANONICAL.test(this.text)) return this.text;
    return this.isZero() ? "0" : this.#exactly.toFixed();
  }

  /** Returns the nearest double, for plots and counters, never for money. */
  approximate(): number {
    return Number(this.text);
  }

  /**
   * Returns a double near the number, for schema checks. It is whole exactly when the number is, and on the same side of every whole
   * number. If no such double exists, because all doubles of this size are whole, it only has the same sign.
   */
  likeness(): number {
    const double = Number(this.text);
    if (!Number.isInteger(double) && Number.isFinite(double)) return double;
    if (WRITTEN_WHOLE.test(this.text) || this.isInteger()) return Math.max(-Number.MAX_VALUE, Math.min(double, Number.MAX_VALUE));
    const half = this.isNegative() ? -0.5 : 0.5;
    if (!Number.isFinite(double)) return half;
    const away = this.compare(new Decimal(String(double)));
    const beside = double === 0 ? away * Number.MIN_VALUE : double + away * Math.abs(double) * Number.EPSILON;
    return Number.isInteger(beside) ? half : beside;
  }

  /** Returns the numeral as it was written. */
  toString(): string {
    return this.text;
  }

  /** Returns what `JSON.stringify` needs to write the same digits. */
  toJSON(): unknown {
    // A JavaScript number is written faster than raw JSON, and most numbers of an answer are small counts.
    const number = this.text.length <= SAFE_DIGITS ? Number(this.text) : Number.NaN;
    return String(number) === this.text ? number : JSON.rawJSON(this.text);
  }
}

const STEPS_OF_A_PAIR = 10;
const PRODUCT_A_STEP = 10;
const SHORT_DIGITS = 60;
const STEPS_A_DIGIT = 3;

/** Returns an upper bound for the steps of a computation with two numbers of this many digits. */
export function stepsOfPair(digits: number, others: number): number {
  const long = digits + others > SHORT_DIGITS ? STEPS_A_DIGIT * (digits + others) : 0;
  return STEPS_OF_A_PAIR + (digits * others) / PRODUCT_A_STEP + long;
}

function fromBig(big: Big): Decimal {
  return Decimal.fromJsonSource(big.toFixed());
}

/** No numeral with this few characters has too many digits, or too large an exponent. */
const FEW_CHARS = "1e999".length;

// The sign does not count: a number and its opposite are both within the limit, or neither is.
function withinDigits(text: string): boolean {
  if (text.length <= FEW_CHARS) return true;
  const sign = text.startsWith("-") ? 1 : 0;
  const at = Math.max(text.indexOf("e"), text.indexOf("E"));
  if (at < 0) return text.length - sign <= LIMITS.decimalDigits;
  return at - sign <= LIMITS.decimalDigits && Math.abs(Number(text.slice(at + 1))) <= LIMITS.decimalDigits;
}

/** Returns the sum of exact numbers; zero if there are none. */
export function sum(values: Iterable<Decimal>): Decimal {
  let total = Decimal.of(0);
  for (const value of values) total = total.plus(value);
  return total;
}
