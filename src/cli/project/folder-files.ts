import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failure, messageOf } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { count, didYouMean, firstLines } from "../../base/text/text.ts";
import type { Playbook } from "../../playbook/model.ts";
import { playbooksIn } from "../../playbook/playbook-walk.ts";
import type { SkippedFile } from "../../report/shape.ts";
import { parseYaml } from "../../source/parse.ts";
import type { Shell } from "../shell.ts";
import { unreadFile } from "./missing-file.ts";

// Advice for a folder without a playbook.
const A_PLAYBOOK = 'a playbook is a .yaml file that begins with the line "playbook: 1"';

/** The files that a command line means, and the skipped files in its folders. */
export interface PlaybookFiles {
  /** The files to use, as the command line names or finds them. */
  readonly files: readonly string[];
  /** The files that were found in a folder. All others were named. */
  readonly found: ReadonlySet<string>;
  /** Files in folders that are skipped. */
  readonly skipped: readonly SkippedFile[];
}

// This also hides folders such as `..2026_11_27`, in which Kubernetes keeps the targets of its links. Their names would change with each update.
const HIDDEN = /^(?:node_modules$|\.)/;

const YAML = /\.ya?ml$/i;

/** Returns the files that a name means: the file itself, or the wanted files in a folder. Throws a Failure. */
export function filesAt(path: string, name: string, wanted: (name: string) => boolean): readonly string[] {
  if (!isFolder(path, name)) return [path];
  const found = entriesBelow(path, unreadableIn(name))
    .filter((entry) => isYaml(entry) && wanted(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  if (found.length === 0)
    throw new Failure({ code: "file.missing", message: `the folder "${name}" holds no playbook`, next: A_PLAYBOOK });
  return found.toSorted();
}

// An entry of a folder that this user may not enter is not missing.
function isFolder(path: string, name: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw unreadFile(path, name, error);
  }
}

/** Returns all YAML files in a folder that can be read. Folders in it that cannot be read are left out. */
export function readableYamlIn(path: string): readonly string[] {
  return entriesBelow(path, () => [])
    .filter(isYaml)
    .map((entry) => join(entry.parentPath, entry.name));
}

function isYaml(entry: Dirent): boolean {
  return isFile(entry) && YAML.test(entry.name);
}

// A broken link counts as a file, so that reading it fails.
function isFile(entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.isFile() !== false;
}

// What to do with a folder that cannot be read.
type IfUnreadable = (error: unknown) => readonly Dirent[];

function entriesBelow(path: string, otherwise: IfUnreadable): readonly Dirent[] {
  const entries = entriesOf(path, otherwise);
  const folders = entries.filter((entry) => entry.isDirectory() && !HIDDEN.test(entry.name));
  return [...entries, ...folders.flatMap((folder) => entriesBelow(join(path, folder.name), otherwise))];
}

function entriesOf(path: string, otherwise: IfUnreadable): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    return otherwise(error);
  }
}

function unreadableIn(name: string): IfUnreadable {
  return (error) => {
    throw new Failure({
      code: "file.unreadable",
      message: `the folder "${name}" cannot be read: ${messageOf(error)}`,
      next: "give yourself the right to read all folders in it, or name the files",
    });
  };
}

/** Splits files into those to use and those to skip. A file in a folder may be data, but a file that was named must be a playbook. */
export function withoutData(
  files: readonly string[],
  found: ReadonlySet<string>,
  textOf: (file: string) => string,
): PlaybookFiles {
  const data = new Set(files.filter((file) => found.has(file) && isData(file, textOf(file))));
  if (files.length > 0 && data.size === files.length)
    throw new Failure({
      code: "file.missing",
      message: `none of ${count(data.size, "YAML file")} is a playbook: ${[...data].slice(0, SHOWN).join(", ")}${data.size > SHOWN ? ", …" : ""}`,
      next: A_PLAYBOOK,
    });
  return {
    files: files.filter((file) => !data.has(file)),
    found,
    skipped: [...data].map((file) => ({ file, why: 'it is not a playbook: it has no "playbook:"' })),
  };
}

const SHOWN = 5;
const VERSION_KEY = "playbook";
const PLAYBOOK = /^\ufeff?playbook[ \t]*:/m;

/**
 * Returns whether a file in a folder is not a playbook. A file that cannot be parsed, or that looks like a playbook with a mistake, counts as a playbook, so
 * that the check refuses it.
 */
export function isData(file: string, text: string): boolean {
  if (PLAYBOOK.test(text)) return false;
  const { root } = parseYaml(file, text);
  if (root === undefined) return false;
  if (root.kind !== "map") return true;
  const keys = [...root.entries.keys()];
  return !keys.includes("steps") && !keys.some((key) => didYouMean(key, [VERSION_KEY]) !== undefined);
}

/**
 * Returns the playbooks in folders that lack a required input and that another of these playbooks includes. They are parts of others and are not run on their
 * own. `isGiven` returns whether an input has a value.
 */
export function partsOfOthers(
  playbooks: readonly Playbook[],
  found: ReadonlySet<string>,
  isGiven: (input: string) => boolean,
): ReadonlyMap<Playbook, SkippedFile> {
  const skipped = playbooks.flatMap((playbook) => {
    const { file, inputs } = playbook;
    const missing = inputs.find(({ name, default: otherwise }) => otherwise === undefined && !isGiven(name));
    if (missing === undefined || !found.has(file)) return [];
    const whole = playbooks.find((other) => other !== playbook && playbooksIn(other).some((part) => part.file === file));
    if (whole === undefined) return [];
    return [[playbook, { file, why: `${whole.file} includes it, and its input "${missing.name}" is not given` }] as const];
  });
  return new Map(skipped);
}

/** Prints a line for each file that is skipped. */
export function noteSkipped({ stderr }: Pick<Shell, "stderr">, skipped: readonly SkippedFile[]): void {
  const lines = skipped.map(({ file, why }) => `skipped ${file}: ${why}`);
  for (const line of firstLines(lines, LIMITS.filesNamed)) stderr.write(`${line}\n`);
}

/** Returns the number of skipped files for a summary; empty if there are none. */
export function countSkipped({ length }: readonly SkippedFile[]): string {
  return length === 0 ? "" : `${count(length, "file")} skipped`;
}
