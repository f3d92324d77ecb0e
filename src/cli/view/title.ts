import { cut } from "../../report/formats/foreign-text.ts";

/** What there is to say of a step in one line of a given width. */
export interface TitleParts {
  /** The step's address, on one line. */
  readonly address: string;
  /** The step's name; left out where it says no more than the address. */
  readonly name?: string;
  /** The ledger's id of its transaction; null or left out when there is none. */
  readonly transactionId?: string | null;
  /** The outcome, or what is waited for: the last thing to be given up. The same at different lengths, the longest first. */
  readonly tails: readonly string[];
}

const SHORT_ID = 9;
const SHORT_NAME = 8;
const SEPARATOR = " · ";
const TX = `${SEPARATOR}tx `;

/** A title that fits: the address and a tail always; then the transaction id, then the name, as far as there is room. */
export function titleOf({ address, name = "", transactionId = null, tails }: TitleParts, width: number): string {
  const head = cut(address, Math.max(SHORT_ID, Math.floor(width / 2)));
  const ends = tails.map((tail) => (tail === "" ? "" : `${SEPARATOR}${tail}`));
  const end = ends.find((each) => head.length + each.length <= width) ?? ends.at(-1) ?? "";
  const room = width - head.length - end.length;
  const id = idWithin(transactionId, room - TX.length);
  const nameRoom = room - id.length - 2;
  const shown = name === "" || name === address || nameRoom < SHORT_NAME ? "" : `  ${cut(name, nameRoom)}`;
  return cut(`${head}${shown}${end}${id}`, width);
}

// In full where there is plenty of room, otherwise its beginning; the lines that stay behind have it in full.
function idWithin(id: string | null, room: number): string {
  if (id === null || room < SHORT_ID) return "";
  return `${TX}${id.length <= room / 2 ? id : cut(id, SHORT_ID)}`;
}
