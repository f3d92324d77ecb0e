import type { Terminal } from "../shell.ts";

/** Keeps what a command prints, for somebody who is not at a terminal. */
export class KeptText implements Terminal {
  readonly isTTY = false;
  readonly rows = 24;
  readonly columns: number;
  text = "";

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    this.text += text;
  }
}
