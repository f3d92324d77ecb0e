import { addressesIn } from "../../../protocol/heading.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { RunHeading } from "../../shape.ts";
import { markedWord, type OutcomeWord } from "../../words.ts";
import { type Child, el, type Markup } from "../markup.ts";

/** Returns the mark and the word of an outcome, in its color. A badge is next to the title of a page. */
export function outcomeMarkup(outcome: string, word: OutcomeWord, kind: "verdict" | "badge" = "verdict"): Markup {
  return el("span", { class: `${kind} ${outcome}` }, markedWord(word));
}

/** Returns an item of a list of counts: how often there was an outcome. */
export function countItem(outcome: string, word: OutcomeWord, number: number): Markup {
  return el("li", { class: outcome }, el("b", {}, String(number)), ` ${markedWord(word)}`);
}

/** The mark and the word of an outcome at the beginning of a step's line; only the word is read out. */
export function wordMarkup({ mark, word }: OutcomeWord): Markup {
  return el("span", { class: "word" }, el("span", { class: "mark", "aria-hidden": "true" }, mark), ` ${word}`);
}

/** Returns a note of the page itself: how much is left out, or what a reader should know. */
export function hint(...words: readonly Child[]): Markup {
  return el("p", { class: "hint" }, ...words);
}

/** Returns the addresses that a run used; nothing for a target without addresses. */
export function addressText({ target }: RunHeading): string | undefined {
  const addresses = new Set(addressesIn(target));
  return addresses.size === 0 ? undefined : Array.from(addresses, (address) => oneLine(address)).join(", ");
}

/** Returns the processes that have run it, each once. */
export function carrierText({ history }: RunHeading): string {
  const carriers = history.flatMap(({ what, by }) => (what === "claimed" && by !== null ? [oneLine(by)] : []));
  return [...new Set(carriers)].join(", ");
}
