import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { SqlRow as Record } from "../sql/database.ts";
import { Database } from "../sqlite/database.ts";
import { Gathered } from "./gathered.ts";
import { keyText, type Pair, type SideRow, type SideValue, type SideName, SIDES } from "./row.ts";

/**
 * The rows of both sides on the disk, joined there: memory stays flat however many there are. The file is SQLite's own temporary one,
 * without a name, so that nothing is left of it however the process ends (decision 110).
 */
export class Scratch {
  readonly #database = Database.temporary();
  readonly #void = new Set<number>();
  readonly #rows = { left: 0, right: 0 };

  constructor() {
    this.#database.exec(`CREATE TABLE row (
      key TEXT NOT NULL, side INTEGER NOT NULL, rows INTEGER NOT NULL, value TEXT, at INTEGER, read INTEGER NOT NULL, once TEXT) STRICT`);
  }

  /** Keeps the rows of one page, added up by key, under the number of the read that it is of. Throws a Failure beyond `LIMITS.compareRows`. */
  keep(read: number, side: SideName, page: readonly SideRow[]): void {
    const sums = new Gathered();
    this.#database.transaction(() => {
      for (const row of page) {
        if (row.once === undefined) sums.add(row);
        else this.#insert({ read, side, key: keyText(row.key), once: row.once }, { ...row, rows: 1, value: valueOf(row) });
      }
      for (const [key, seen] of sums.entries()) this.#insert({ read, side, key, once: null }, seen);
    });
    if (this.#rows[side] > LIMITS.compareRows) throw tooMany(side);
  }

  #insert({ read, side, key, once }: Origin, { rows, value, at }: SideValue): void {
    this.#rows[side] += rows;
    this.#database.run(INSERT, key, SIDES.indexOf(side), rows, value, at ?? null, read, once);
  }

  /** A read came to no end, or to a doubtful one: what it gave does not count. */
  forget(read: number): void {
    this.#void.add(read);
  }

  /** Every key with what both sides have of it, in the order of the keys. */
  *pairs(): Generator<Pair> {
    let key: string | undefined;
    let sides = { left: new Gathered(), right: new Gathered() };
    let previous: Record = {};
    for (const row of this.#database.iterate(SORTED)) {
      if (this.#void.has(Number(row["read"])) || isSameRecord(previous, row)) continue;
      previous = row;
      const next = String(row["key"]);
      if (key !== undefined && next !== key) {
        yield { key, left: sides.left.get(key), right: sides.right.get(key) };
        sides = { left: new Gathered(), right: new Gathered() };
      }
      key = next;
      sides[row["side"] === 0 ? "left" : "right"].addSeen(key, seenIn(row));
    }
    if (key !== undefined) yield { key, left: sides.left.get(key), right: sides.right.get(key) };
  }

  close(): void {
    this.#database.close();
  }
}

/** Where a stored row comes from. */
interface Origin {
  readonly read: number;
  readonly side: SideName;
  readonly key: string;
  readonly once: string | null;
}

const INSERT = "INSERT INTO row (key, side, rows, value, at, read, once) VALUES (?, ?, ?, ?, ?, ?, ?)";
const SORTED = "SELECT key, side, rows, value, at, read, once FROM row ORDER BY key, side, once, value";
const OF_RECORD = ["key", "side", "once", "value"] as const;

function isSameRecord(one: Record, other: Record): boolean {
  return other["once"] !== null && OF_RECORD.every((column) => one[column] === other[column]);
}

function valueOf({ value }: SideRow): string | null {
  return value === null ? null : value.canonical();
}

function seenIn({ rows, value, at }: Record): SideValue {
  return { rows: Number(rows), value: typeof value === "string" ? value : null, at: at === null ? undefined : Number(at) };
}

function tooMany(side: SideName): Failure {
  return new Failure({
    code: "reconcile.rows",
    message: `the ${side} side has more than ${LIMITS.compareRows} rows`,
    next: "compare it in parts, each with a `scope` of its own",
  });
}
