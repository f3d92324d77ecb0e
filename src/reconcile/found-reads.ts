import { getOrInsert } from "../base/maps.ts";
import { hash } from "node:crypto";
import type { SqlRow } from "../sql/database.ts";
import type { Digests } from "./drift-digests.ts";
import { keyParts, keyText } from "./row.ts";
import type { FoundDrifts } from "./sighting.ts";

/** Reads as they are kept: the digests of all, and one digest of these. */
export interface DigestedReads {
  /** The digest by which they are found. */
  readonly digest: string;
  /** The digests of all reads, in order, as a JSON list. */
  readonly list: string;
}

/** What a run has read, by digests: whether it has read again what an earlier run read. */
export class FoundReads {
  readonly #found: FoundDrifts;
  readonly #digests: Digests;
  readonly #kept = new Map<ReadonlySet<string>, DigestedReads>();
  readonly #repeated = new Map<string, boolean>();
  readonly #moving: ReadonlySet<string>;
  #finished: ReadonlySet<string> | undefined;

  constructor(found: FoundDrifts, digests: Digests) {
    this.#found = found;
    this.#digests = digests;
    this.#moving = new Set(found.moving.map((key) => digests.of(key)));
  }

  /** Returns the reads that may hold a key. */
  of(key: readonly string[]): DigestedReads {
    const reads = this.#found.read.readsFor(keyText(key));
    return getOrInsert(this.#kept, reads, () => {
      const list = JSON.stringify([...this.#digested(reads)].toSorted());
      return { digest: hash("sha256", list, "base64url"), list };
    });
  }

  /** Returns whether the difference of a row, which an earlier run has seen, is not settled in this run. */
  isMoving({ key, key_digest: digest = null }: SqlRow): boolean {
    return this.#moving.has(digest === null ? this.#digests.of(keyParts(String(key))) : String(digest));
  }

  /** Returns whether each read of a kept list has come to its end again, and no other that may hold the key of the row has failed. */
  haveRepeated({ key, key_digest: digest = null }: SqlRow, list: string): boolean {
    const haveEnded = getOrInsert(this.#repeated, list, () => {
      const finished = (this.#finished ??= this.#digested(this.#found.read.finished()));
      return (JSON.parse(list) as readonly string[]).every((read) => finished.has(read));
    });
    if (!haveEnded) return false;
    const { read } = this.#found;
    // A masked key does not say which reads may hold it.
    const isShown = digest === this.#digests.of(keyParts(String(key)));
    return isShown ? read.hasLookedFor(String(key)) : read.isComplete;
  }

  #digested(reads: ReadonlySet<string>): ReadonlySet<string> {
    return new Set(Array.from(reads, (read) => this.#digests.of([read])));
  }
}
