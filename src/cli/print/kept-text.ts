import type { Terminal } from "../shell.ts";

/** Collects the output of a command for a caller that is not a terminal. */
export class KeptText implements Terminal {
  /** Always false, because no person sees it. */
  readonly isTTY = false;
  /** The height of a usual terminal, in lines. */
  readonly rows = 24;
  /** Width in characters. */
  readonly columns: number;
  /** All output so far. */
  text = "";

  constructor(columns: number) {
    this.columns = columns;
  }

  /** Adds a text to the output. */
  write(text: string): void {
    this.text += text;
  }
}
