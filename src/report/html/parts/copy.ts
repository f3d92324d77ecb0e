import { oneLine } from "../../formats/foreign-text.ts";
import { type Child, el, type Markup } from "../markup.ts";

const SHOWN_CHARS = 8;
const LINE_CHARS = 2_000;
const HASH = /\b([0-9a-f]{32,})\b/;
const COMMAND = /^tokenbook [a-z][^,;]*$/;

/** An id: of a hash, the page shows its beginning and a button that copies all of it. Without the script all of it is shown. */
export function idMarkup(id: string): Markup {
  const text = oneLine(id);
  if (HASH.exec(text)?.[0] !== text) return el("code", {}, text);
  const code = el("code", { title: text }, text.slice(0, SHOWN_CHARS), el("span", { class: "rest" }, text.slice(SHOWN_CHARS)));
  return el("span", { class: "hash" }, code, copyButton(`Copy ${text.slice(0, SHOWN_CHARS)}…`, "Copy"));
}

/** A text in which each hash is shown as an id. */
export function withIds(text: string): Child {
  return text.split(HASH).map((part, at) => (at % 2 === 1 ? idMarkup(part) : part));
}

/** A command in a box, with a button that copies it. */
export function commandBox(command: string): Markup {
  return el("div", { class: "command" }, el("code", {}, oneLine(command, LINE_CHARS)), copyButton("Copy the command", "Copy"));
}

/** What to do next: words, with each command in a box of its own. */
export function nextMarkup(next: string): Markup {
  const lines = next.split("\n").filter((line) => line.trim() !== "");
  return el(
    "div",
    { class: "next" },
    lines.map((line) => (COMMAND.test(line.trim()) ? commandBox(line.trim()) : el("p", {}, oneLine(line, LINE_CHARS)))),
  );
}

function copyButton(label: string, face: string): Markup {
  return el("button", { type: "button", class: "copy", "aria-label": label }, face);
}
