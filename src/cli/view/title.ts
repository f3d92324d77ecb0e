import { cut } from "../../report/formats/foreign-text.ts";

/** The parts of a step's title, which fits into one line of a given width. */
export interface TitleParts {
  /** The step's address, on one line. */
  readonly address: string;
  /** The step's name. Left out if it only repeats the address. */
  readonly name?: string;
  /** The ledger's transaction id; null or left out if there is none. */
  readonly transactionId?: string | null;
  /** The outcome, or what the step waits for, in several lengths with the longest first. It is the last part to be cut. */
  readonly tails: readonly string[];
}

const SHORT_ID = 9;
const SHORT_NAME = 8;
const SEPARATOR = " · ";
const TX = `${SEPARATOR}tx `;

/** Returns a title that fits. It always has the address and a tail, then the transaction id and the name if there is room. */
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

// The id is shown in full if there is plenty of room, otherwise only its beginning. The plain lines that stay show it in full.
function idWithin(id: string | null, room: number): string {
  if (id === null || room < SHORT_ID) return "";
  return `${TX}${id.length <= room / 2 ? id : cut(id, SHORT_ID)}`;
}
