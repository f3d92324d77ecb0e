import { el, type Markup } from "../markup.ts";

/** A search in a list. */
export interface Search {
  /** The address that receives the form. */
  readonly action: string;
  /** The current search words; empty for none. */
  readonly words: string;
  /** The text of the empty field. */
  readonly placeholder: string;
}

/** Returns a form for search words and for further `choices`. */
export function searchForm({ action, words, placeholder }: Search, ...choices: readonly Markup[]): Markup {
  return el(
    "form",
    { class: "choose", action, role: "search" },
    el("label", { for: "words" }, "Search"),
    el("input", { id: "words", name: "words", type: "search", value: words, placeholder, autocomplete: "off" }),
    choices,
    el("button", { type: "submit" }, "Show"),
  );
}

/** Returns whether a text contains each of some words, in any order and ignoring case. */
export function holdsWords(text: string, words: string): boolean {
  const searched = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
