import { isAbsolute, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { harmlessDocument } from "../../base/text/harmless.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import type { SkippedFile } from "../shape.ts";

/** What a check found in one file. */
export interface CheckedFile {
  /** The path of the file, as given to the check. */
  readonly file: string;
  /** Whether the file can be run, because it has no error. */
  readonly ok: boolean;
  /** The errors and warnings that were found. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns the output of `check --json`, which `schemas/check.schema.json` describes. Fields are added, never renamed. */
export function checkJson(files: readonly CheckedFile[], skipped: readonly SkippedFile[] = []): string {
  return harmlessDocument({ format: 1, ok: files.every(({ ok }) => ok), files, skipped });
}

/** The folder in which a check ran, and the folder that paths in its report are relative to. */
export interface Places {
  /** The absolute path of the folder in which the check ran. */
  readonly cwd: string;
  /** The absolute path of the folder that paths in the report are relative to. */
  readonly root: string;
}

/** Returns a file's path relative to the root, with slashes; `undefined` if the file is outside. */
export function pathFromRoot(file: string, { cwd, root }: Places): string | undefined {
  const path = relative(root, absolute(file, cwd));
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? undefined : path.split(sep).join("/");
}

/** Returns a file's address as `file://…`. */
export function addressOf(file: string, { cwd }: Places): string {
  return pathToFileURL(absolute(file, cwd)).href;
}

function absolute(file: string, cwd: string): string {
  return isAbsolute(file) ? file : join(cwd, file);
}

/** Returns what is wrong, why, and how to fix it, each on its own line. */
export function wordsOf({ message, why, suggestion }: Diagnostic): string {
  return [
    message,
    ...(why === undefined ? [] : [`why: ${why}`]),
    ...(suggestion === undefined ? [] : [`fix: ${suggestion}`]),
  ].join("\n");
}
