import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Returns a free name beside a file. */
export function draftOf(path: string): string {
  // The global one: loading node:crypto would cost every command some of its start.
  return `${path}.${crypto.randomUUID()}.tmp`;
}

/** How new content takes the place of a file. */
interface Replacement {
  /** The name under which it is written first, in the same folder. */
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

/** Writes the whole of a file, not only what one call takes, and to the disk. */
export function writeDurable(descriptor: number, content: string | Uint8Array): void {
  writeFileSync(descriptor, content);
  fsyncSync(descriptor);
}

/** Replaces the text of a file that the user names, as `replaceWith` does. */
export function replaceFile(path: string, text: string): void {
  const target = realpathSync(path);
  const write = (descriptor: number): void => writeDurable(descriptor, text);
  replaceWith(target, { draft: draftOf(target), mode: statSync(target).mode, write });
}
