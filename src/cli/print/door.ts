import { harmless, harmlessJson } from "../../base/text/harmless.ts";
import type { Terminal, TextKind } from "../shell.ts";
import { painted } from "../view/colour.ts";
import { RewrittenTerminal } from "./rewritten-terminal.ts";

const DOORS: Readonly<Record<TextKind, (text: string) => string>> = {
  words: harmless,
  coloured: (text) => painted(harmless(text)),
  json: harmlessJson,
  exact: (text) => text,
};

/** All texts to stdout and stderr pass here. What a terminal or the log reader of a CI system would obey is made harmless. */
export class Door extends RewrittenTerminal {
  constructor(terminal: Terminal) {
    super(terminal, (text, kind = "words") => DOORS[kind](text));
  }
}
