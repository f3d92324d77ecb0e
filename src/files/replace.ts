import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Returns a free name next to a file. */
export function draftOf(path: string): string {
  // Importing node:crypto would slow down the start of every command, so we use the global `crypto`.
  return `${path}.${crypto.randomUUID()}.tmp`;
}

/** How a file is replaced. */
interface Replacement {
  /** The name of the new file in the same folder, before it replaces the old one. */
  readonly draft: string;
  readonly mode: number;
  readonly write: (descriptor: number) => void;
}

/** Replaces the content of a file in one step: a reader finds the whole old content or the whole new one, even if the process is killed. */
export function replaceWith(path: string, { draft, mode, write }: Replacement): void {
  try {
    const descriptor = openSync(draft, "wx", mode);
    try {
      write(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Writes the whole content, even if it takes several calls, and flushes it to disk. */
export function writeDurable(descriptor: number, content: string | Uint8Array): void {
  writeFileSync(descriptor, content);
  fsyncSync(descriptor);
}

/** Replaces the text of a file that the user names, in the same way as `replaceWith`. */
export function replaceFile(path: string, text: string): void {
  const target = realpathSync(path);
  const write = (descriptor: number): void => writeDurable(descriptor, text);
  replaceWith(target, { draft: draftOf(target), mode: statSync(target).mode, write });
}
