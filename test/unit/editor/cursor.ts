import { join } from "node:path";
import type { EditorFiles, TextFile } from "../../../src/editor/document.ts";

/** Returns files that are held in memory. */
export function folderOf(files: Readonly<Record<string, string>>): EditorFiles {
  const read = (path: string): string | undefined => files[path];
  return {
    read,
    textOf: read,
    list(folder) {
      const within = join(folder) === "./" ? "" : join(folder);
      const inside = Object.keys(files).filter((path) => path.startsWith(within));
      return [...new Set(inside.map((path) => path.slice(within.length).replace(/\/.*$/, "/")))].toSorted();
    },
  };
}

/** Takes a text in which `|` marks the cursor. Returns the text without the mark, and where the mark was. */
export function cursorIn(marked: string, path = "book.yaml"): { readonly file: TextFile; readonly offset: number } {
  const offset = marked.indexOf("|");
  if (offset < 0) throw new Error("the text has no cursor");
  return { file: { path, text: marked.slice(0, offset) + marked.slice(offset + 1) }, offset };
}
