import { getOrInsert } from "../base/maps.ts";
import { hash, scryptSync } from "node:crypto";
import type { Redact } from "../base/secret.ts";

const DIGEST_BYTES = 32;

/**
 * Digests of keys, values and reads as they are, by which a book knows them again: masked, different ones may look the same. The digest of
 * a text with a secret is slow to compute and different in each state, so that nobody finds a short secret by trying (decision 194).
 */
export class Digests {
  readonly #redact: Redact;
  readonly #salt: () => string;
  readonly #slow = new Map<string, string>();

  /** `salt` gives the random text of a state, which stays the same. */
  constructor(redact: Redact, salt: () => string) {
    this.#redact = redact;
    this.#salt = salt;
  }

  /** Returns the digest of some texts, in their order. */
  of(texts: readonly string[]): string {
    return hash("sha256", JSON.stringify(texts.map((text) => this.#partOf(text))), "base64url");
  }

  // Only what is masked is slow, so that many texts with one secret take the time of one.
  #partOf(text: string): Part {
    const shown = this.#redact(text);
    if (shown === text) return text;
    const before = shown.split(MASK, 1)[0] ?? "";
    const behind = shown.split(MASK).at(-1) ?? "";
    const isAround =
      text.startsWith(before) && text.endsWith(behind) && before !== shown && before.length + behind.length <= text.length;
    if (!isAround) return ["", this.#slowly(text), ""];
    return [before, this.#slowly(text.slice(before.length, text.length - behind.length)), behind];
  }

  #slowly(text: string): string {
    return getOrInsert(this.#slow, text, () => scryptSync(text, this.#salt(), DIGEST_BYTES).toString("base64url"));
  }
}

// A text, or what is around the digest of its masked part.
type Part = string | readonly [string, string, string];

const MASK = /\$\{\{ secrets\.\w+ \}\}/;
