import type { Redact } from "../base/secret.ts";
import type { Shell, Terminal } from "./shell.ts";

// The last door: records are masked as they are made, and whatever is printed beside them passes here.

/** The same shell, which prints no secret. */
export function maskedShell<S extends Shell>(shell: S, redact: Redact): S {
  return { ...shell, stdout: new MaskedTerminal(shell.stdout, redact), stderr: new MaskedTerminal(shell.stderr, redact) };
}

/** An unexpected error whose words hold no secret. */
export function maskedError(error: unknown, redact: Redact): unknown {
  if (!(error instanceof Error)) return error;
  error.message = redact(error.message);
  if (error.stack !== undefined) error.stack = redact(error.stack);
  return error;
}

class MaskedTerminal implements Terminal {
  readonly #terminal: Terminal;
  readonly #redact: Redact;

  constructor(terminal: Terminal, redact: Redact) {
    this.#terminal = terminal;
    this.#redact = redact;
  }

  get isTTY(): boolean {
    return this.#terminal.isTTY;
  }
  get columns(): number {
    return this.#terminal.columns;
  }
  get rows(): number {
    return this.#terminal.rows;
  }

  write(text: string): void {
    this.#terminal.write(this.#redact(text));
  }
}
