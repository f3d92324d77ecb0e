import { adviceLines, CommandLine, type Hint } from "../../../base/command-line.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { type Child, el, escapeHtml, type Markup } from "../markup.ts";

const SHOWN_CHARS = 8;
const LINE_CHARS = 2_000;
const HASH = /\b([0-9a-f]{32,})\b/;

/** Returns an id. The page shows only the beginning of a hash, with a button that copies all of it. Without the script, it shows all of it. */
export function idMarkup(id: string): Markup {
  const text = oneLine(id);
  if (HASH.exec(text)?.[0] !== text) return el("code", {}, text);
  const code = el("code", { title: text }, text.slice(0, SHOWN_CHARS), el("span", { class: "rest" }, text.slice(SHOWN_CHARS)));
  return el("span", { class: "hash" }, code, copyButton(`Copy ${text.slice(0, SHOWN_CHARS)}…`));
}

/** Returns a text in which each hash is shown as an id. */
export function withIds(text: string): Child {
  return text.split(HASH).map((part, at) => (at % 2 === 1 ? idMarkup(part) : part));
}

/** Returns a command inside a sentence. */
export function commandMarkup({ text }: CommandLine): Markup {
  return el("code", { class: "typed" }, oneLine(text, LINE_CHARS));
}

/** Returns a command in a box, with a button that copies it. */
export function commandBox(command: CommandLine): Markup {
  return el("div", { class: "command" }, commandMarkup(command), copyButton("Copy the command"));
}

// Matches only our own commands: other text cannot contain this tag, because all text is escaped.
const COMMANDS = /(?<=<code class="typed">)tokenbook [^<]*/g;

/** Returns the same part of a page with commands that work when they are typed here. */
export function withHints(html: string, hint: Hint): string {
  return html.replaceAll(COMMANDS, (text) => hint(new CommandLine(text), escapeHtml));
}

/** Returns what to do next: text, with each command in a box of its own. */
export function nextMarkup(next: string): Markup {
  return el(
    "div",
    { class: "next" },
    adviceLines(next).map((line) => (typeof line === "string" ? el("p", {}, oneLine(line, LINE_CHARS)) : commandBox(line))),
  );
}

function copyButton(label: string): Markup {
  return el("button", { type: "button", class: "copy", "aria-label": label }, "Copy");
}
