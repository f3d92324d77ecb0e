/**
 * Splits the bytes of a JSON list, as they come, into lists of whole objects: each piece, and the rest, is read on its own, and all of them
 * are valid exactly when the list is. What is no list of objects is all rest.
 */
export class ListSplitter {
  /** Takes a piece as text, and returns whether it is sound: of a list with an unsound piece, nothing more is split or kept. */
  readonly #take: (piece: string) => boolean;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #depth = 0;
  #isQuoted = false;
  #isEscaped = false;
  #last: number = START;
  #comma = 0;
  #isUnsound = false;

  constructor(take: (piece: string) => boolean) {
    this.#take = take;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  push(chunk: Buffer): void {
    if (this.#isUnsound) return;
    const end = this.#scan(chunk);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (end === 0) return;
    const all = this.rest();
    const piece = all.subarray(0, end);
    this.#isUnsound = !this.#take(`${decoder.decode(piece)}]`);
    this.#held = this.#isUnsound ? [piece, CLOSING] : [OPENING, all.subarray(end + 1)];
    this.#comma += OPENING.length - end - 1;
    this.#heldBytes = this.#held.reduce((sum, { length }) => sum + length, 0);
  }

  /** Returns what was not part of a piece. */
  rest(): Buffer {
    return Buffer.concat(this.#held);
  }

  /** Returns the place, among all held bytes and these, of the last comma between two objects of the list; 0 for none. */
  #scan(chunk: Buffer): number {
    let [depth, isQuoted, isEscaped, last, end] = [this.#depth, this.#isQuoted, this.#isEscaped, this.#last, 0];
    for (let at = 0; at < chunk.length && last !== AFTER; at++) {
      const byte = chunk[at] as number;
      if (isQuoted) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isQuoted = false;
        continue;
      }
      if (byte > COMMA_BYTE && byte < OPEN_LIST && depth > 1) continue; // most bytes outside of texts: digits and colons
      if (byte === QUOTE) isQuoted = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (depth === 1 && byte === OPEN_OBJECT && last === COMMA) end = this.#comma;
        if (depth === 0) last = byte === OPEN_LIST ? OTHER : AFTER;
        depth++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth--;
        if (depth === 0) last = AFTER;
        else if (depth === 1) last = byte === CLOSE_OBJECT ? OBJECT : OTHER;
      } else if (depth === 1 && byte > SPACE) {
        if (byte === COMMA_BYTE && last === OBJECT) [last, this.#comma] = [COMMA, this.#heldBytes + at];
        else last = OTHER;
      }
    }
    [this.#depth, this.#isQuoted, this.#isEscaped, this.#last] = [depth, isQuoted, isEscaped, last];
    return end;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;
const COMMA_BYTE = 0x2c;
const SPACE = 0x20;
const OPENING = Buffer.from("[");
const CLOSING = Buffer.from("]");

/** What the scanner saw last between the objects of the list. */
const START = 0;
const OBJECT = 1;
const COMMA = 2;
const OTHER = 3;
/** The list is over, or there is none. */
const AFTER = 4;

// Removes a byte order mark, and never fails: invalid UTF-8 is no JSON either.
const decoder = new TextDecoder();
