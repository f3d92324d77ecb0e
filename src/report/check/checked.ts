import { isAbsolute, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { harmlessDocument } from "../../base/text/harmless.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import type { SkippedFile } from "../shape.ts";

/** What a check found in one file. */
export interface CheckedFile {
  /** The path of the file, as the check was given it. */
  readonly file: string;
  /** Whether the file can be run: it has no error. */
  readonly ok: boolean;
  /** The errors and warnings that were found. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What `check --json` prints; `schemas/check.schema.json` describes it. Fields are added, never renamed. */
export function checkJson(files: readonly CheckedFile[], skipped: readonly SkippedFile[] = []): string {
  return harmlessDocument({ format: 1, ok: files.every(({ ok }) => ok), files, skipped });
}

/** The folder in which a check ran, and the one that a reader of its report counts paths from. */
export interface Places {
  /** The absolute path of the folder in which the check ran. */
  readonly cwd: string;
  /** The absolute path of the folder that paths in the report begin from. */
  readonly root: string;
}

/** A file's path from the root, with slashes; `undefined` when it lies outside. */
export function pathFromRoot(file: string, { cwd, root }: Places): string | undefined {
  const path = relative(root, absolute(file, cwd));
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? undefined : path.split(sep).join("/");
}

/** A file's address as `file://…`. */
export function addressOf(file: string, { cwd }: Places): string {
  return pathToFileURL(absolute(file, cwd)).href;
}

function absolute(file: string, cwd: string): string {
  return isAbsolute(file) ? file : join(cwd, file);
}

/** What is wrong, why, and how to fix it, one a line. */
export function wordsOf({ message, why, suggestion }: Diagnostic): string {
  return [
    message,
    ...(why === undefined ? [] : [`why: ${why}`]),
    ...(suggestion === undefined ? [] : [`fix: ${suggestion}`]),
  ].join("\n");
}
