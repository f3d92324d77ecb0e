import type { Terminal } from "../shell.ts";

/** All that the renderer asks of a stream; it puts a `write` of its own in place of this one, and takes it back. */
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
