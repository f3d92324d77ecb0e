import xterm from "@xterm/headless";
import type { Terminal } from "../../../../src/cli/shell.ts";

/** A real terminal, emulated: it obeys what is written to it, and tests can read what it shows. */
export class EmulatedScreen implements Terminal {
  readonly isTTY = true;
  readonly #terminal: xterm.Terminal;

  constructor(columns: number, rows = 24) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
  }

  get columns(): number {
    return this.#terminal.cols;
  }
  get rows(): number {
    return this.#terminal.rows;
  }

  write(text: string): void {
    this.#terminal.write(text);
  }

  /** Returns everything that it shows or has scrolled away, line by line. */
  async lines(): Promise<readonly string[]> {
    await new Promise<void>((done) => this.#terminal.write("", done));
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
    return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  }
}
