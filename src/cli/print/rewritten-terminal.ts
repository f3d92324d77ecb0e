import type { Terminal, TextKind } from "../shell.ts";

/** Returns the text to print for a text of a kind. */
type Rewrite = (text: string, kind?: TextKind) => string;

/** A terminal that rewrites every text before printing it, so that no caller can forget to. */
export class RewrittenTerminal implements Terminal {
  readonly #terminal: Terminal;
  readonly #rewrite: Rewrite;

  constructor(terminal: Terminal, rewrite: Rewrite) {
    this.#terminal = terminal;
    this.#rewrite = rewrite;
  }

  /** Whether a person looks at the underlying terminal. */
  get isTTY(): boolean {
    return this.#terminal.isTTY;
  }
  /** The width of the underlying terminal in characters. */
  get columns(): number {
    return this.#terminal.columns;
  }
  /** The height of the underlying terminal in lines. */
  get rows(): number {
    return this.#terminal.rows;
  }

  /** Rewrites and prints a text of one kind. The default is `words`. */
  write(text: string, kind?: TextKind): void {
    this.#terminal.write(this.#rewrite(text, kind), kind);
  }
}
