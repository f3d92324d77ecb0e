import type { Terminal } from "../../../../src/cli/shell.ts";

// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const SEQUENCE = /\u001b\[([?\d;]*)([A-Za-z])|\n|\r|[^\u001b\n\r]+/g;

/** A terminal that remembers what it would show. It knows only the few sequences that redraw a tree. */
export class FakeScreen implements Terminal {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows: number;
  /** Everything that was written, byte for byte. */
  raw = "";
  /** The most lines that were ever in use. */
  tallest = 0;
  readonly #lines: string[] = [""];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows = 24) {
    this.columns = columns;
    this.rows = rows;
  }

  get lines(): readonly string[] {
    return this.#lines.map((line) => line.trimEnd()).filter((line) => line !== "");
  }

  get isCursorShown(): boolean {
    return this.raw.lastIndexOf("\u001b[?25h") >= this.raw.lastIndexOf("\u001b[?25l");
  }

  write(text: string): void {
    this.raw += text;
    for (const [whole, parameter = "", command] of text.matchAll(SEQUENCE)) this.#obey(whole, command, Number(parameter || 1));
    this.tallest = Math.max(this.tallest, this.lines.length);
  }

  #obey(whole: string, command: string | undefined, number: number): void {
    if (whole === "\n") this.#down(1);
    if (whole === "\n" || whole === "\r" || command === "G") this.#column = 0;
    else if (command === "A") this.#row = Math.max(0, this.#row - number);
    else if (command === "B") this.#down(number);
    else if (command === "K") this.#lines[this.#row] = number === 2 ? "" : this.#line.slice(0, this.#column);
    else if (command === undefined) this.#put(whole);
  }

  #put(text: string): void {
    this.#lines[this.#row] =
      this.#line.slice(0, this.#column).padEnd(this.#column) + text + this.#line.slice(this.#column + text.length);
    this.#column += text.length;
  }

  #down(number: number): void {
    this.#row += number;
    while (this.#lines.length <= this.#row) this.#lines.push("");
  }

  get #line(): string {
    return this.#lines[this.#row] ?? "";
  }
}
