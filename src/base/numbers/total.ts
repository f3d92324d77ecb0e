/** A running sum of exact numbers. It counts whole numbers of the smallest unit, which is many times as fast as adding decimals. */
export class Total {
  #units = 0n;
  /** The part of the units that a JavaScript number holds exactly. Adding to it takes a tenth of the time. */
  #fewUnits = 0;
  #scale = 0;
  /** How many smallest units make up one. */
  #factor = 1;

  /** Adds a number in canonical spelling: digits, possibly with a sign and a decimal point. */
  add(canonical: string): void {
    const point = canonical.indexOf(".");
    const whole = point < 0 ? canonical.length : point;
    const scale = Math.max(canonical.length - whole - 1, 0);
    if (scale > this.#scale) this.#rescale(scale);
    // With this few digits, the error of the multiplication is less than a half.
    if (whole + this.#scale <= FEW_DIGITS) {
      this.#fewUnits += Math.round(Number(canonical) * this.#factor);
      if (Math.abs(this.#fewUnits) > MANY_UNITS) this.#collect();
    } else {
      const digits = canonical.slice(0, whole) + canonical.slice(whole + 1);
      this.#units += BigInt(digits) * 10n ** BigInt(this.#scale - scale);
    }
  }

  #rescale(scale: number): void {
    this.#collect();
    this.#units *= 10n ** BigInt(scale - this.#scale);
    this.#scale = scale;
    this.#factor = Number(`1e${scale}`);
  }

  #collect(): void {
    this.#units += BigInt(this.#fewUnits);
    this.#fewUnits = 0;
  }

  /** Subtracts a number in canonical spelling. */
  subtract(canonical: string): void {
    this.add(canonical.startsWith("-") ? canonical.slice(1) : `-${canonical}`);
  }

  /** The sum, in canonical spelling. */
  get canonical(): string {
    this.#collect();
    const digits = (this.#units < 0n ? -this.#units : this.#units).toString().padStart(this.#scale + 1, "0");
    const whole = digits.slice(0, digits.length - this.#scale);
    const fraction = digits.slice(digits.length - this.#scale).replace(/0+$/, "");
    return `${this.#units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
  }
}

const FEW_DIGITS = 15;
const MANY_UNITS = 2 ** 52;

/** Subtracts one number in canonical spelling from another; exact, however many digits they have. */
export function difference(minuend: string, subtrahend: string): string {
  const total = new Total();
  total.add(minuend);
  total.subtract(subtrahend);
  return total.canonical;
}
