import { getOrInsert } from "../base/maps.ts";
import { hash, scryptSync } from "node:crypto";
import type { Redact } from "../base/secret.ts";

const DIGEST_BYTES = 32;

/**
 * Digests of unmasked keys, values and reads, by which a book recognizes them: when masked, different ones may look the same. The digest of
 * a text with a secret is slow to compute and different in each state, so that nobody can find a short secret by trying (decision 194).
 */
export class Digests {
  readonly #redact: Redact;
  readonly #salt: () => string;
  readonly #slow = new Map<string, string>();

  /** `salt` returns the random text of a state, which never changes. */
  constructor(redact: Redact, salt: () => string) {
    this.#redact = redact;
    this.#salt = salt;
  }

  /** Returns one digest for several texts, in order. */
  of(texts: readonly string[]): string {
    return hash("sha256", JSON.stringify(texts.map((text) => this.#partOf(text))), "base64url");
  }

  // Only the masked part is slow to compute, so many texts with the same secret take the time of one.
  #partOf(text: string): DigestPart {
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

// A text, or the digest of its masked part with the text around it.
type DigestPart = string | readonly [string, string, string];

const MASK = /\$\{\{ secrets\.\w+ \}\}/;
