import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { SqlRow as Record } from "../sql/database.ts";
import { Database } from "../sqlite/database.ts";
import { Gathered } from "./gathered.ts";
import { type Pair, type SideValue, type SideName, SIDES } from "./row.ts";

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
      key TEXT NOT NULL, side INTEGER NOT NULL, rows INTEGER NOT NULL, value TEXT, at INTEGER, read INTEGER NOT NULL) STRICT`);
  }

  /** Keeps what one page gave, by key, under the number of the read that it is of. Throws a Failure beyond `LIMITS.compareRows`. */
  keep(read: number, side: SideName, page: Gathered): void {
    this.#database.transaction(() => {
      for (const [key, { rows, value, at }] of page.entries()) {
        this.#rows[side] += rows;
        this.#database.run(INSERT, key, SIDES.indexOf(side), rows, value, at ?? null, read);
      }
    });
    if (this.#rows[side] > LIMITS.compareRows) throw tooMany(side);
  }

  /** A read came to no end, or to a doubtful one: what it gave does not count. */
  forget(read: number): void {
    this.#void.add(read);
  }

  /** Every key with what both sides have of it, in the order of the keys. */
  *pairs(): Generator<Pair> {
    let key: string | undefined;
    let sides = { left: new Gathered(), right: new Gathered() };
    for (const row of this.#database.iterate(SORTED)) {
      if (this.#void.has(Number(row["read"]))) continue;
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

const INSERT = "INSERT INTO row (key, side, rows, value, at, read) VALUES (?, ?, ?, ?, ?, ?)";
const SORTED = "SELECT key, side, rows, value, at, read FROM row ORDER BY key, side";

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
