import { Failure, invariant } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { getOrInsert } from "../base/maps.ts";
import { countLong } from "../base/text/text.ts";
import { Gathered, seenIn } from "./gathered.ts";
import { KeptRows } from "./kept-rows.ts";
import { keyText, type Pair, recordText, type SideName, type SideRow, SIDES } from "./row.ts";
import { Scratch } from "./scratch.ts";

/** How many rows are compared, and how many characters are held. */
type JoinLimits = Readonly<Record<"compareRows" | "rowsHeldChars", number>>;

/**
 * Joins the rows of both sides by their keys. Reads that may hold the same keys form a group. When all reads of a group have ended, the
 * group is joined and forgotten, so few rows are held at a time. If groups are large, or one side is far ahead of the other, the largest
 * groups go to a scratch file on the disk (decision 181).
 */
export class Join<Read> {
  readonly #groupOf = new Map<Read, ReadGroup>();
  /** The groups with reads that have not ended. */
  readonly #groups: Set<ReadGroup>;
  readonly #give: (pair: Pair) => void;
  readonly #limits: JoinLimits;
  readonly #rows = { left: 0, right: 0 };
  readonly #rowsOf = new Map<number, Record<SideName, number>>();
  #held = 0;
  #scratch: Scratch | undefined;

  /** `groupOf` gives the group of every read. `give` is called once for each key, with the rows of both sides, in no particular order. */
  constructor(groupOf: ReadonlyMap<Read, string>, give: (pair: Pair) => void, limits: JoinLimits = LIMITS) {
    const groups = new Map<string, ReadGroup>();
    for (const [read, name] of groupOf) {
      const group = getOrInsert(groups, name, () => new ReadGroup());
      group.readsLeft += 1;
      this.#groupOf.set(read, group);
    }
    this.#groups = new Set(groups.values());
    this.#give = give;
    this.#limits = limits;
  }

  /** Keeps the rows of one page from one attempt of a read; attempts have different numbers. Throws a Failure beyond `LIMITS.compareRows`. */
  keep(read: Read, tryNumber: number, page: readonly SideRow[]): void {
    this.#count(tryNumber, page);
    const group = this.#group(read);
    if (group.isOnDisk) return this.#putOnDisk(tryNumber, page);
    for (const name of SIDES) {
      const rows = page.every(({ side }) => side === name) ? page : page.filter(({ side }) => side === name);
      if (rows.length > 0) this.#held += group.keep(tryNumber, new KeptRows(name, rows));
    }
    if (this.#held > this.#limits.rowsHeldChars) this.#moveToDisk();
  }

  #count(tryNumber: number, page: readonly SideRow[]): void {
    const counts = getOrInsert(this.#rowsOf, tryNumber, () => ({ left: 0, right: 0 }));
    for (const { side } of page) {
      counts[side] += 1;
      if ((this.#rows[side] += 1) > this.#limits.compareRows) throw tooMany(side, this.#limits);
    }
  }

  #putOnDisk(read: number, page: readonly SideRow[]): void {
    for (const row of page)
      this.#disk().put({ read, side: row.side, key: keyText(row.key), once: recordText(row.once) }, seenIn(row));
  }

  // Moves down to half of the limit. Otherwise it would soon have to search for the largest groups again.
  #moveToDisk(): void {
    for (const group of [...this.#groups].toSorted((a, b) => b.chars - a.chars)) {
      for (const [read, pages] of group.tries)
        for (const rows of pages)
          rows.each((end, seen, once) => this.#disk().put({ read, side: rows.side, key: rows.start + end, once }, seen));
      this.#held -= group.chars;
      group.leaveForDisk();
      if (this.#held <= this.#limits.rowsHeldChars / 2) return;
    }
  }

  /** Forgets the rows of an attempt that did not finish, or whose end is doubtful. */
  forget(read: Read, tryNumber: number): void {
    for (const side of SIDES) this.#rows[side] -= this.#rowsOf.get(tryNumber)?.[side] ?? 0;
    this.#rowsOf.delete(tryNumber);
    this.#held -= this.#group(read).forget(tryNumber);
    this.#scratch?.forget(tryNumber);
  }

  /** Ends a read, which will not be tried again. */
  end(read: Read): void {
    const group = this.#group(read);
    group.readsLeft -= 1;
    if (group.readsLeft > 0) return;
    this.#held -= group.chars;
    this.#groups.delete(group);
    group.join(this.#give);
  }

  /** Whether several groups hold so much that some of them should be joined before another one begins. */
  get isCrowded(): boolean {
    return this.#held > this.#limits.rowsHeldChars / 2 && this.#groups.size > 1;
  }

  /** Joins the rows on the disk, after all reads have ended. */
  finish(): void {
    for (const pair of this.#scratch?.pairs() ?? []) this.#give(pair);
  }

  /** Removes the scratch file. */
  close(): void {
    this.#scratch?.close();
  }

  #group(read: Read): ReadGroup {
    const group = this.#groupOf.get(read);
    invariant(group !== undefined, "every read has a group");
    return group;
  }

  #disk(): Scratch {
    return (this.#scratch ??= new Scratch());
  }
}

/** The rows of reads that may hold the same keys. */
class ReadGroup {
  readsLeft = 0;
  isOnDisk = false;
  /** How many characters the group holds. */
  chars = 0;
  readonly tries: Map<number, KeptRows[]> = new Map();

  /** Returns how many more characters are held. */
  keep(tryNumber: number, rows: KeptRows): number {
    getOrInsert(this.tries, tryNumber, () => []).push(rows);
    this.chars += rows.chars;
    return rows.chars;
  }

  /** Returns how many characters were freed. */
  forget(tryNumber: number): number {
    const gone = (this.tries.get(tryNumber) ?? []).reduce((sum, { chars }) => sum + chars, 0);
    this.tries.delete(tryNumber);
    this.chars -= gone;
    return gone;
  }

  leaveForDisk(): void {
    this.isOnDisk = true;
    this.#drop();
  }

  join(give: (pair: Pair) => void): void {
    const pages = [...this.tries.values()].flat();
    const start = pages[0]?.start ?? "";
    const isShared = pages.every((rows) => rows.start === start);
    const gathered = new Gathered(isShared ? start : "");
    for (const rows of pages)
      rows.each((end, seen, once) => gathered.addSeen(rows.side, isShared ? end : rows.start + end, seen, once));
    this.#drop();
    for (const pair of gathered.pairs()) give(pair);
  }

  #drop(): void {
    this.chars = 0;
    this.tries.clear();
  }
}

function tooMany(side: SideName, { compareRows }: JoinLimits): Failure {
  return new Failure({
    code: "reconcile.rows",
    message: `the ${side} side has more than ${countLong(compareRows, "row")}`,
    next: "compare it in parts, each with a `scope` of its own",
  });
}
