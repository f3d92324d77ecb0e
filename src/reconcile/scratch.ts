import { Database } from "../sqlite/database.ts";
import { Gathered } from "./gathered.ts";
import { isPlain, type Pair, type SideValue, type SideName, SIDES } from "./row.ts";

/**
 * Rows of both sides on the disk, which are joined there, so that memory use does not grow with their number. A row goes to one of several
 * parts by a hash of its key, and each part is joined in memory. Before that, a record that counts once goes to a part by its name. The
 * file is an unnamed temporary file of SQLite, so nothing of it remains, however the process ends (decision 110).
 */
export class Scratch {
  /** Created when the first part is full. */
  #database: Database | undefined;
  /** The lines of each part that are not on the disk yet. They are bytes, because so many texts would slow every garbage collection. */
  readonly #lines: PartLines[] = Array.from({ length: 2 * PARTS }, () => ({ bytes: EMPTY, size: 0 }));
  readonly #void = new Set<number>();

  /** Keeps a row under its key. */
  put(origin: Origin, seen: SideValue): void {
    const { key, once } = origin;
    const part = once === undefined ? hashOf(key) % PARTS : PARTS + (hashOf(key + once) % PARTS);
    this.#write(part, lineOf(origin, seen));
  }

  #write(part: number, line: string): void {
    const lines = this.#lines[part] as PartLines;
    const mostBytes = line.length * BYTES_A_CHAR;
    if (lines.size + mostBytes > lines.bytes.length) {
      this.#store(part);
      if (mostBytes > lines.bytes.length) lines.bytes = Buffer.allocUnsafeSlow(Math.max(LINES_BYTES, mostBytes));
    }
    lines.size += lines.bytes.write(line, lines.size);
  }

  #store(part: number): void {
    const lines = this.#lines[part] as PartLines;
    if (lines.size === 0) return;
    this.#database ??= newDatabase();
    this.#database.run("INSERT INTO lines (part, text) VALUES (?, ?)", part, textIn(lines));
    lines.size = 0;
  }

  /** Forgets the rows of an attempt that did not finish, or whose end is doubtful. */
  forget(read: number): void {
    this.#void.add(read);
  }

  /** Yields every key with the rows of both sides, in no particular order. */
  *pairs(): Generator<Pair> {
    for (let part = PARTS; part < 2 * PARTS; part++) {
      for (const { key, left, right } of this.#gathered(part).pairs()) {
        if (left !== undefined) this.put({ read: NO_READ, side: "left", key, once: undefined }, left);
        if (right !== undefined) this.put({ read: NO_READ, side: "right", key, once: undefined }, right);
      }
    }
    for (let part = 0; part < PARTS; part++) yield* this.#gathered(part).pairs();
  }

  #gathered(part: number): Gathered {
    const gathered = new Gathered();
    for (const lines of this.#linesOf(part)) this.#gather(lines, gathered);
    return gathered;
  }

  *#linesOf(part: number): Generator<string> {
    yield textIn(this.#lines[part] as PartLines);
    if (this.#database === undefined) return;
    for (const { text } of this.#database.iterate("SELECT text FROM lines WHERE part = ?", part)) yield String(text);
  }

  // Read field by field, because a list of all fields of each line would double the time.
  #gather(lines: string, gathered: Gathered): void {
    for (let from = 0; from < lines.length;) {
      const end = lines.indexOf("\n", from);
      const side = lines.indexOf("\t", from) + 1;
      const rows = side + 2;
      const value = lines.indexOf("\t", rows) + 1;
      const at = lines.indexOf("\t", value) + 1;
      const id = lines.indexOf("\t", at) + 1;
      const once = lines.indexOf("\t", id) + 1;
      const key = lines.indexOf("\t", once) + 1;
      if (this.#void.size === 0 || !this.#void.has(Number(lines.slice(from, side - 1)))) {
        const seen = {
          rows: Number(lines.slice(rows, value - 1)),
          value: at - value === 1 ? null : lines.slice(value, at - 1),
          at: id - at === 1 ? undefined : Number(lines.slice(at, id - 1)),
          id: once - id === 1 ? undefined : lines.slice(id, once - 1),
          total: undefined,
        };
        const name = lines.charCodeAt(side) === LEFT_CODE ? "left" : "right";
        gathered.addSeen(name, lines.slice(key, end), seen, key - once === 1 ? undefined : lines.slice(once, key - 1));
      }
      from = end + 1;
    }
  }

  /** Removes the scratch file. */
  close(): void {
    this.#database?.close();
  }
}

const PARTS = 1_024;
const LINES_BYTES = 2_048;
const BYTES_A_CHAR = 3;
const EMPTY = Buffer.alloc(0);

/** The lines of a part that are still in memory. */
interface PartLines {
  bytes: Buffer;
  size: number;
}

function textIn({ bytes, size }: PartLines): string {
  return bytes.toString("utf8", 0, size);
}

/** The origin of a row. */
interface Origin {
  /** The number of the read's attempt. */
  readonly read: number;
  readonly side: SideName;
  readonly key: string;
  readonly once: string | undefined;
}

/** The character code of the first side's number in a line. */
const LEFT_CODE = 0x30;

// Reads are counted from 1 on.
const NO_READ = 0;

function newDatabase(): Database {
  const database = Database.temporary();
  database.exec("CREATE TABLE lines (part INTEGER NOT NULL, text TEXT NOT NULL) STRICT; CREATE INDEX by_part ON lines (part)");
  return database;
}

// In JSON, neither a key nor the name of a record contains a tab or a line break. An id that might contain one is not kept.
function lineOf({ read, side, key, once = "" }: Origin, { rows, value, at, id }: SideValue): string {
  const name = id !== undefined && isPlain(id) ? id : "";
  return `${read}\t${SIDES.indexOf(side)}\t${rows}\t${value ?? ""}\t${at ?? ""}\t${name}\t${once}\t${key}\n`;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash ^ (hash >>> 15)) >>> 0;
}
