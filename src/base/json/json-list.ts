/**
 * Splits the bytes of a JSON list, as they arrive, into lists of whole objects. Each piece, and the rest, is read on its own, and all of
 * them are valid exactly when the list is. A text that is not a list of objects stays in the rest.
 *
 * Examining each byte takes as long as parsing it. So once two objects were seen, the splitter searches for the last bytes that equal those
 * between the two, and guesses that they also separate two objects. A valid list can end with the text before them only if the guess is
 * right, so the first wrong guess is also the last one (decision 164).
 */
export class ListSplitter {
  /** Takes a piece as text, and returns whether it is valid. After an invalid piece, nothing more of the list is split or kept. */
  readonly #take: (piece: string) => boolean;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #scan = new Scan();
  #between: Between | undefined;
  #mayGuess = true;
  #isUnsound = false;

  constructor(take: (piece: string) => boolean) {
    this.#take = take;
  }

  /** How many bytes are not yet part of a piece. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Takes the next bytes of the list, and passes on the objects that are now whole. */
  push(chunk: Buffer): void {
    if (this.#isUnsound) return;
    const before = this.#heldBytes;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    const comma = this.#between === undefined ? this.#scan.push(chunk, before) : this.#guessed(chunk, before, this.#between);
    if (comma > 0) this.#cut(comma);
  }

  /** Returns what was not part of a piece. */
  rest(): Buffer {
    return Buffer.concat(this.#held);
  }

  // Returns 0 if there is no such place.
  #guessed(chunk: Buffer, before: number, { bytes, comma }: Between): number {
    const at = chunk.lastIndexOf(bytes);
    if (at >= 0) return before + at + comma;
    return this.#heldBytes > LONG_BYTES ? this.#scanned() : 0;
  }

  /** Examines each byte that is held, and from now on each byte that arrives. */
  #scanned(): number {
    [this.#between, this.#mayGuess, this.#scan] = [undefined, false, new Scan()];
    return this.#scan.push(this.rest(), 0);
  }

  #cut(comma: number): void {
    const all = this.rest();
    all[comma] = CLOSE_LIST;
    const piece = all.subarray(0, comma + 1);
    if (!this.#takes(piece)) {
      if (this.#between === undefined) return this.#keep([piece], { isUnsound: true });
      const found = this.#scanned();
      return found > 0 ? this.#cut(found) : undefined;
    }
    all[comma] = COMMA_BYTE;
    if (this.#mayGuess) this.#between ??= betweenAt(all, comma);
    this.#keep([OPENING, all.subarray(comma + 1)], { isUnsound: false });
    this.#scan.forget(comma);
  }

  #takes(piece: Buffer): boolean {
    const text = textIn(piece);
    return text !== undefined && this.#take(text);
  }

  #keep(held: Buffer[], { isUnsound }: { readonly isUnsound: boolean }): void {
    this.#held = held;
    this.#heldBytes = held.reduce((sum, { length }) => sum + length, 0);
    this.#isUnsound = isUnsound;
  }
}

/** The bytes between the end of an object in the list and the first key of the next one, and the place of the comma in them. */
interface Between {
  readonly bytes: Buffer;
  readonly comma: number;
}

function betweenAt(all: Buffer, comma: number): Between | undefined {
  const from = all.lastIndexOf(CLOSE_OBJECT, comma);
  const key = all.indexOf(QUOTE, comma);
  const end = key < 0 ? key : all.indexOf(QUOTE, key + 1);
  return end < 0 ? undefined : { bytes: Buffer.from(all.subarray(from, end + 1)), comma: comma - from };
}

/** Finds the places between the objects of a list by examining each byte. */
class Scan {
  #depth = 0;
  #isQuoted = false;
  #isEscaped = false;
  #last: number = START;
  #comma = 0;

  /** Everything before this comma is dropped and replaced by an opening bracket. */
  forget(comma: number): void {
    this.#comma += OPENING.length - comma - 1;
  }

  /** Returns the place of the last comma between two objects of the list, in all held bytes and these; 0 if there is none. */
  push(chunk: Buffer, heldBytes: number): number {
    let [depth, isQuoted, isEscaped, last, end] = [this.#depth, this.#isQuoted, this.#isEscaped, this.#last, 0];
    for (let at = 0; at < chunk.length && last !== AFTER; at++) {
      const byte = chunk[at] as number;
      if (isQuoted) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isQuoted = false;
        continue;
      }
      if (byte > COMMA_BYTE && byte < OPEN_LIST && depth > 1) continue; // most bytes outside texts: digits and colons
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
        if (byte === COMMA_BYTE && last === OBJECT) [last, this.#comma] = [COMMA, heldBytes + at];
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
/** If this many bytes have no guessed place, the objects do not all begin with the same key, or are large. */
const LONG_BYTES = 262_144;
const OPENING = Buffer.from("[");

/** What the scanner last saw between the objects of the list. */
const START = 0;
const OBJECT = 1;
const COMMA = 2;
const OTHER = 3;
/** The list has ended, or there is no list. */
const AFTER = 4;

// It also removes a byte order mark.
const decoder = new TextDecoder("utf-8", { fatal: true });

function textIn(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined; // a text that is not UTF-8 is not JSON either
  }
}
