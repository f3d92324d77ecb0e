import { LIMITS } from "../limits.ts";
import type { Stretch } from "./unescape.ts";

/** A text to look for. */
export interface SoughtText {
  /** The text itself, as it must occur. */
  readonly text: string;
  /** The name that is reported when the text is found. */
  readonly name: string;
  /** Whether the base64 character before or after it holds some of its bits too. */
  readonly shares: { readonly before: boolean; readonly behind: boolean };
}

/** The place where a wanted text was found. */
export interface FoundText extends Stretch {
  /** The name of the text that was found. */
  readonly name: string;
}

interface SoughtBlock {
  readonly wanted: SoughtText;
  /** The offset of its block of characters in the wanted text. */
  readonly offset: number;
}

const BLOCK = 4;
const SHORTEST_INDEXED = 2 * BLOCK - 1;
const TABLE_SIZE = 1 << 14;
const CUT = "…";
const BASE64 = /[\w+/-]/;

/**
 * Finds every occurrence of many texts in one pass. The blocks of four characters at the first four offsets of each wanted text are
 * indexed, so only every fourth place of the searched text has to be looked up.
 */
export class Finder {
  /** The number of the candidate list for each block; 0 for none. */
  readonly #table = new Uint16Array(TABLE_SIZE);
  readonly #candidates: SoughtBlock[][] = [[]];
  readonly #short: readonly SoughtText[];

  constructor(wanted: readonly SoughtText[]) {
    this.#short = wanted.filter(({ text }) => text.length < SHORTEST_INDEXED);
    for (const each of wanted) {
      if (each.text.length < SHORTEST_INDEXED) continue;
      for (let offset = 0; offset < BLOCK; offset++)
        this.#candidatesAt(placeOf(each.text, offset)).push({ wanted: each, offset });
    }
  }

  /** Returns every place of a wanted text, in no particular order. Places may overlap. */
  find(text: string): readonly FoundText[] {
    const found = this.#short.flatMap((wanted) => occurrences(text, wanted));
    for (let at = 0; at + BLOCK <= text.length; at += BLOCK) {
      const list = this.#table[placeOf(text, at)] ?? 0;
      if (list === 0) continue;
      for (const { wanted, offset } of this.#candidates[list] ?? []) {
        const start = at - offset;
        const end = start < 0 ? undefined : endOf(text, wanted.text, start);
        if (end !== undefined) found.push(widened(text, wanted, { start, end }));
      }
    }
    return found;
  }

  #candidatesAt(place: number): SoughtBlock[] {
    if (this.#table[place] === 0) this.#table[place] = this.#candidates.push([]) - 1;
    return this.#candidates[this.#table[place] ?? 0] ?? [];
  }
}

function placeOf(text: string, at: number): number {
  const first = Math.imul(text.charCodeAt(at), 0x9e3b) + Math.imul(text.charCodeAt(at + 1), 0x3c6f);
  const second = Math.imul(text.charCodeAt(at + 2), 0x5f35) + Math.imul(text.charCodeAt(at + 3), 0x27d5);
  return (first + second) & (TABLE_SIZE - 1);
}

// A text that was shortened for people may end in the middle of a wanted text.
function endOf(text: string, wanted: string, start: number): number | undefined {
  if (text.startsWith(wanted, start)) return start + wanted.length;
  let length = 0;
  while (text[start + length] === wanted[length]) length++;
  return length >= LIMITS.secretLeastChars && text.startsWith(CUT, start + length) ? start + length : undefined;
}

function widened(text: string, { name, shares }: SoughtText, { start, end }: Stretch): FoundText {
  const isShared = (at: number): boolean => BASE64.test(text[at] ?? "");
  return {
    start: shares.before && isShared(start - 1) ? start - 1 : start,
    end: shares.behind && isShared(end) ? end + 1 : end,
    name,
  };
}

function occurrences(text: string, { text: wanted, name }: SoughtText): FoundText[] {
  const found: FoundText[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    found.push({ start: at, end: at + wanted.length, name });
  return found;
}
