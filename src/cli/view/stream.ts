import type { Terminal } from "../shell.ts";

/** Returns the part of a stream that the renderer uses. The renderer replaces `write` with its own, and restores it at the end. */
export function streamOf(screen: Terminal): NodeJS.WriteStream {
  const stream = {
    isTTY: true,
    get columns() {
      return screen.columns;
    },
    get rows() {
      return screen.rows;
    },
    write: (text: string | Uint8Array) => {
      screen.write(String(text), "exact"); // it moves the cursor
      return true;
    },
  };
  return stream as unknown as NodeJS.WriteStream;
}
