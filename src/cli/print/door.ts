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

/** The one door through which texts leave for stdout and stderr. What a terminal or the log reader of a CI system would obey does not pass it. */
export class Door extends RewrittenTerminal {
  constructor(terminal: Terminal) {
    super(terminal, (text, kind = "words") => DOORS[kind](text));
  }
}
