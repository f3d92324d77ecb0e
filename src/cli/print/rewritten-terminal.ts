import type { Terminal, TextKind } from "../shell.ts";

/** Makes of a text of a kind the one that is printed. */
type Rewrite = (text: string, kind?: TextKind) => string;

/** A terminal that rewrites every text before it prints it: nobody who writes there can forget to. */
export class RewrittenTerminal implements Terminal {
  readonly #terminal: Terminal;
  readonly #rewrite: Rewrite;

  constructor(terminal: Terminal, rewrite: Rewrite) {
    this.#terminal = terminal;
    this.#rewrite = rewrite;
  }

  /** Whether the terminal behind it is one that a person looks at. */
  get isTTY(): boolean {
    return this.#terminal.isTTY;
  }
  /** The width of the terminal behind it, in characters. */
  get columns(): number {
    return this.#terminal.columns;
  }
  /** The height of the terminal behind it, in lines. */
  get rows(): number {
    return this.#terminal.rows;
  }

  /** Writes the rewritten text as one of its kind; without a kind, as words. */
  write(text: string, kind?: TextKind): void {
    this.#terminal.write(this.#rewrite(text, kind), kind);
  }
}
