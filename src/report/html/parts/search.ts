import { el, type Markup } from "../markup.ts";

/** Where a list is searched, and for what. */
export interface Search {
  /** The address to which the form is sent. */
  readonly action: string;
  /** The words that are searched for now; empty for none. */
  readonly words: string;
  /** What the field shows while it is empty. */
  readonly placeholder: string;
}

/** A form that asks for words, and for whatever else `choices` let one choose. */
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

/** Whether a text holds each of some words, in any order, in small letters or large. */
export function holdsWords(text: string, words: string): boolean {
  const searched = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
