import type { SideSum } from "./gathered.ts";
import { isPlain, keyEnd, keyStart, keyText, recordText, type SideName, type SideRow } from "./row.ts";

/**
 * Rows of one side, held as one text for each column, because many small values would slow every garbage collection. Keys and names of
 * records are JSON, and an id that might contain a line break is not kept, so each line is one row.
 */
export class KeptRows {
  /** The side of all these rows. */
  readonly side: SideName;
  /** How many characters are held. */
  readonly chars: number;
  readonly #length: number;
  /** The common beginning of all keys. */
  readonly start: string;
  readonly #ends: string;
  readonly #values: string;
  // Only few rows have these.
  readonly #times: string | undefined;
  readonly #ids: string | undefined;
  readonly #records: string | undefined;

  constructor(side: SideName, rows: readonly SideRow[]) {
    this.side = side;
    this.#length = rows.length;
    const [first] = rows;
    const isShared = first !== undefined && rows.every(({ key }) => key[0] === first.key[0]);
    this.start = isShared ? keyStart(first.key) : "";
    this.#ends = column(rows, ({ key }) => (isShared ? keyEnd(key) : keyText(key)));
    this.#values = column(rows, ({ value }) => value?.canonical() ?? NOTHING);
    this.#times = columnIfAny(rows, ({ at }) => at?.toString());
    this.#ids = columnIfAny(rows, ({ id }) => (id !== undefined && isPlain(id) ? id : undefined));
    this.#records = columnIfAny(rows, ({ once }) => recordText(once));
    const texts = [this.start, this.#ends, this.#values, this.#times, this.#ids, this.#records];
    this.chars = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  }

  /** Passes each row in order to `take`: the rest of its key after `start`, what it shows, and what identifies a record that counts once. */
  each(take: (keyEnd: string, seen: SideSum, once: string | undefined) => void): void {
    const [ends, values] = [this.#ends.split(END), this.#values.split(END)];
    const [times, ids, records] = [this.#times?.split(END), this.#ids?.split(END), this.#records?.split(END)];
    for (let row = 0; row < this.#length; row++) {
      const value = given(values[row]) ?? null;
      const at = times === undefined ? undefined : timeIn(times[row]);
      take(ends[row] ?? NOTHING, { rows: 1, value, at, id: given(ids?.[row]), total: undefined }, given(records?.[row]));
    }
  }
}

const NOTHING = "";
const END = "\n";

function column(rows: readonly SideRow[], textOf: (row: SideRow) => string): string {
  return rows.map(textOf).join(END);
}

function columnIfAny(rows: readonly SideRow[], textOf: (row: SideRow) => string | undefined): string | undefined {
  const texts = rows.map(textOf);
  return texts.some((text) => text !== undefined) ? texts.join(END) : undefined;
}

function given(text: string | undefined): string | undefined {
  return text === NOTHING ? undefined : text;
}

function timeIn(text: string | undefined): number | undefined {
  return given(text) === undefined ? undefined : Number(text);
}
