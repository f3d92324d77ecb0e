import { type FileReader, isShipped, resolvePlaybook } from "../playbook/playbook-files.ts";
import { refusalOf } from "../playbook/file-placement.ts";
import type { Range } from "../source/node.ts";

/** A playbook in an editor. */
export interface TextFile {
  /** The path as a check receives it, so that both report the same one. */
  readonly path: string;
  /** Its whole text in the editor. */
  readonly text: string;
}

/** The files around a playbook. Files that an editor has changed have the editor's text. */
export interface EditorFiles extends FileReader {
  /** Returns the names in a folder, with a slash after the names of folders; empty if the folder cannot be read. */
  readonly list: (folder: string) => readonly string[];
  /** Returns the text of a file, or of a playbook that comes with the tool; `undefined` if it cannot be read. Never throws. */
  readonly textOf: (path: string) => string | undefined;
}

/** Returns the playbook that a step's `uses` names: a file, or one that comes with the tool; `undefined` if it cannot be read. */
export function playbookNamed(uses: string, from: string, files: EditorFiles): TextFile | undefined {
  const path = resolvePlaybook(from, uses);
  if (!isShipped(path) && refusalOf(files, { path, use: "playbook", named: from }) !== undefined) return undefined;
  const text = files.textOf(path);
  return text === undefined ? undefined : { path, text };
}

/** A range in a file. */
export interface FileRange extends Range {
  readonly path: string;
}

const WORD = /\w/;
const NAME = /[\w./-]/;

/** Returns the word of an expression around an offset. */
export function wordAt(text: string, offset: number): Range {
  return around(text, offset, WORD);
}

/** Returns the name of an operation, an actor or a file around an offset. */
export function nameAt(text: string, offset: number): Range {
  return around(text, offset, NAME);
}

function around(text: string, offset: number, part: RegExp): Range {
  let [start, end] = [offset, offset];
  while (start > 0 && part.test(text.charAt(start - 1))) start--;
  while (end < text.length && part.test(text.charAt(end))) end++;
  return { start, end };
}
