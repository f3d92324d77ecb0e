import { lineStart } from "./file.ts";

/** A quote or bracket that is never closed. */
export interface Opened {
  /** The quote or bracket: one of `"`, `'`, `[` and `{`. */
  readonly mark: string;
  /** Its offset in the text. */
  readonly offset: number;
}

/**
 * Returns the innermost quote or bracket that is open at an offset, for texts that cannot be parsed. The reading is rough: quotes and
 * brackets count where a value may begin, and block texts are skipped.
 */
export function openedBefore(text: string, offset: number): Opened | undefined {
  const open: Opened[] = [];
  for (let at = 0; at < offset;) {
    const token = tokenAt(text, at, open.length > 0);
    const mark = token.charAt(0);
    const end = at + token.length;
    if (mark === '"' || mark === "'") {
      if (end > offset || token.length === 1 || !token.endsWith(mark)) return { mark, offset: at };
    } else if (mark === "[" || mark === "{") open.push({ mark, offset: at });
    else if (token === "]" || token === "}") open.pop();
    at = end;
  }
  return open.at(-1);
}

const QUOTED = /"(?:\\[^]|[^"\\])*"?|'(?:''|[^'])*'?/.source;
const SPACE = /\s+|(?<=^|\s)#.*/.source;
const IN_BLOCK = new RegExp(`${SPACE}|${QUOTED}|[[{]|[-?:](?=\\s|$)|[|>][-+\\d]*(?=\\s)|(?:(?!:\\s|:$|\\s#).)+`, "ym");
const IN_FLOW = new RegExp(`${SPACE}|${QUOTED}|[[\\]{},]|[-?:](?=[\\s,[\\]{}])|(?:(?!:[\\s,[\\]{}]|\\s#)[^\\n,[\\]{}])+`, "ym");

function tokenAt(text: string, at: number, inFlow: boolean): string {
  const pattern = inFlow ? IN_FLOW : IN_BLOCK;
  pattern.lastIndex = at;
  const token = pattern.exec(text)?.[0] ?? text.charAt(at);
  return !inFlow && /^[|>]/.test(token) ? blockAt(text, at) : token;
}

// A block of text continues as long as its lines are empty or indented further than its parent.
function blockAt(text: string, at: number): string {
  const line = lineStart(text, at);
  const head = text.slice(line, at);
  const marks = /^(?: |[-?] )*/.exec(head)?.[0] ?? "";
  const column = marks.length < head.length ? marks.length : Math.max(0, marks.search(/[-?] *$/));
  const block = new RegExp(`.*(?:\\n(?: {${column + 1},}.*|[ \\t]*$))*`, "ym");
  block.lastIndex = at;
  return block.exec(text)?.[0] ?? "";
}
