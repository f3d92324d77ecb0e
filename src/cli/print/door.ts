import { harmless, harmlessJson } from "../../base/harmless.ts";
import type { Terminal, TextKind } from "../shell.ts";
import { painted } from "../view/colour.ts";

const DOORS: Readonly<Record<TextKind, (text: string) => string>> = {
  words: harmless,
  coloured: (text) => painted(harmless(text), true),
  json: harmlessJson,
  exact: (text) => text,
};

/** The one door through which texts leave for stdout and stderr. What a terminal or the log reader of a CI system would obey does not pass it. */
export class Door implements Terminal {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
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

  write(text: string, kind: TextKind = "words"): void {
    this.#terminal.write(DOORS[kind](text));
  }
}
