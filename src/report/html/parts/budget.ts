import { command } from "../../../base/command-line.ts";
import { LIMITS } from "../../../base/limits.ts";
import { type Json, writeJson } from "../../../base/json/json.ts";
import { cut } from "../../formats/foreign-text.ts";
import { el, type Markup } from "../markup.ts";
import { commandMarkup } from "./copy.ts";

/** Limits how much of the values in a report is shown, because a browser could not open a page that is too large. */
export class Budget {
  #left: number = LIMITS.htmlChars;

  /** Returns a value as indented JSON, or a text as it is. If it is cut, the number of omitted characters is shown. */
  value(value: Json): Markup {
    const text = typeof value === "string" ? value : writeJson(value, 2);
    const room = Math.min(LIMITS.htmlValueChars, this.#left);
    this.#left -= Math.min(room, text.length);
    const rest = text.length - room;
    if (rest <= 0) return textBlock(text);
    return textBlock(
      cut(text, room),
      el("span", { class: "cut" }, `\n… ${rest} more characters: `, commandMarkup(command`runs show RUN --json`)),
    );
  }
}

const SHORT_CHARS = 600;
const SHORT_LINES = 10;

/** Returns a text as it is written. A text that may need scrolling can be focused with the keyboard. */
export function textBlock(text: string, after?: Markup): Markup {
  const isLong = text.length > SHORT_CHARS || text.split("\n").length > SHORT_LINES;
  return el("pre", isLong ? { tabindex: 0 } : {}, el("code", {}, text), after);
}
