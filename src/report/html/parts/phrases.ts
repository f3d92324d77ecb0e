import { addressesIn } from "../../../protocol/heading.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { RunHeading } from "../../shape.ts";
import { type Child, el, type Markup } from "../markup.ts";

/** The mark and the word of an outcome, in its colour. A badge is beside the title of a page. */
export function outcomeMarkup(
  outcome: string,
  { mark, word }: { readonly mark: string; readonly word: string },
  kind: "verdict" | "badge" = "verdict",
): Markup {
  return el("span", { class: `${kind} ${outcome}` }, `${mark} ${word}`);
}

/** The mark and the word of an outcome at the beginning of a step's line; only the word is read out. */
export function wordMarkup({ mark, word }: { readonly mark: string; readonly word: string }): Markup {
  return el("span", { class: "word" }, el("span", { class: "mark", "aria-hidden": "true" }, mark), ` ${word}`);
}

/** A sentence of the page itself: how much is left out, or what somebody should know of it. */
export function hint(...words: readonly Child[]): Markup {
  return el("p", { class: "hint" }, ...words);
}

/** The addresses that a run acted on; nothing for a target without any. */
export function addressText({ target }: RunHeading): string | undefined {
  const addresses = new Set(addressesIn(target));
  return addresses.size === 0 ? undefined : Array.from(addresses, (address) => oneLine(address)).join(", ");
}

/** The processes that have run it, each once. */
export function carrierText({ history }: RunHeading): string {
  const carriers = history.flatMap(({ what, by }) => (what === "claimed" && by !== null ? [oneLine(by)] : []));
  return [...new Set(carriers)].join(", ");
}
