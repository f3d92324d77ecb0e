import { LIMITS } from "../base/limits.ts";

/** Decodes UTF-8. Throws a TypeError for an invalid byte, because a guess would change the text. */
export async function* textsOf(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** A line that is not empty. */
export interface TextLine {
  /** Its number, from 1. */
  readonly line: number;
  /** The line without its line feed. */
  readonly text: string;
}

/** Yields the lines of a text that arrives in pieces. Throws a RangeError for a line of more than `LIMITS.rowChars`. */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let [rest, line] = ["", 0];
  for await (const text of texts) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const each of lines) {
      line++;
      if (each.trim() !== "") yield { line, text: each };
    }
    if (rest.length > LIMITS.rowChars)
      throw new RangeError(`line ${line + 1} has more than ${LIMITS.rowChars.toLocaleString("en")} characters`);
  }
  if (rest.trim() !== "") yield { line: line + 1, text: rest };
}
