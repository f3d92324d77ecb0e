import { getOrInsert } from "../base/maps.ts";
import { hash } from "node:crypto";
import type { SqlRow } from "../sql/database.ts";
import type { Digests } from "./drift-digests.ts";
import { keyParts, keyText } from "./row.ts";
import type { FoundDrifts } from "./sighting.ts";

/** Reads as they are kept: the digests of all reads, and one digest of this list. */
export interface DigestedReads {
  /** The digest of the list, by which it is found. */
  readonly digest: string;
  /** The digests of all reads in order, as a JSON list. */
  readonly list: string;
}

/** Returns whether another run recorded a row after this run began. */
export function isNewer(row: SqlRow, { run, openedAt }: FoundDrifts): boolean {
  return row["last_run"] !== run && Number(row["last_at"]) > openedAt;
}

/** The reads of a run as digests, which show whether it has repeated the reads of an earlier run. */
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

  /** Returns whether the difference in a row, which an earlier run has seen, is still moving in this run. */
  isMoving({ key, key_digest: digest = null }: SqlRow): boolean {
    return this.#moving.has(digest === null ? this.#digests.of(keyParts(String(key))) : String(digest));
  }

  /** Returns whether each read of a kept list has finished again, and no other read that may hold the key of the row has failed. */
  haveRepeated({ key, key_digest: digest = null, parts = null }: SqlRow, list: string): boolean {
    const haveEnded = getOrInsert(this.#repeated, list, () => {
      const finished = (this.#finished ??= this.#digested(this.#found.read.finished()));
      return (JSON.parse(list) as readonly string[]).every((read) => finished.has(read));
    });
    if (!haveEnded) return false;
    const { read } = this.#found;
    // Neither a masked key nor a key of other parts shows which reads may hold it.
    const isShown = digest === this.#digests.of(keyParts(String(key))) && parts === null;
    return isShown ? read.hasLookedFor(String(key)) : read.isComplete;
  }

  #digested(reads: ReadonlySet<string>): ReadonlySet<string> {
    return new Set(Array.from(reads, (read) => this.#digests.of([read])));
  }
}
