import type { Terminal } from "../shell.ts";

/** Keeps what a command prints, for somebody who is not at a terminal. */
export class KeptText implements Terminal {
  /** False: no person looks at it. */
  readonly isTTY = false;
  /** The height of a usual terminal, in lines. */
  readonly rows = 24;
  /** Width in characters. */
  readonly columns: number;
  /** All that was written so far. */
  text = "";

  constructor(columns: number) {
    this.columns = columns;
  }

  /** Adds a text to what is kept. */
  write(text: string): void {
    this.text += text;
  }
}
