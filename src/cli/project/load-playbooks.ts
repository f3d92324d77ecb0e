import { createRequire } from "node:module";
import { isAbsolute, resolve } from "node:path";
import { statSync } from "node:fs";
import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import { ENVIRONMENT_FILE } from "../../environment/load.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import { isArazzo } from "../../playbook/is-playbook.ts";
import type * as Interchange from "../../interchange/check.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { CheckedFile } from "../../report/check/checked.ts";
import { formatDiagnostic, withinLimit } from "../../source/diagnostic.ts";
import { CheckFailure } from "./check-failure.ts";
import { filesAt, type PlaybookFiles, withoutData } from "./folder-files.ts";
import { filesOf, seenFrom } from "./project-files.ts";
import { shipped } from "./shipped.ts";
import type { Shell } from "../shell.ts";
import { chosenByTags } from "./tags.ts";
import { readText } from "./read-file.ts";

/**
 * Returns the playbook files that arguments name. An argument may be a playbook that comes with the tool (`tokenbook/supply.yaml`), or a folder. A folder means
 * every .yaml file below it, except `tokenbook.yaml`, which is not a playbook, and files in hidden folders. Throws a Failure.
 */
export function playbookFiles(shell: Shell, named: readonly string[]): PlaybookFiles {
  const isFolder = (name: string): boolean =>
    statSync(resolve(shell.cwd, name), { throwIfNoEntry: false })?.isDirectory() === true;
  const files = namesOfPlaybooks(shell, named);
  if (!named.some(isFolder)) return { files, found: new Set(), skipped: [] };
  const meant = new Set(
    filesNamed(
      shell,
      named.filter((name) => !isFolder(name)),
      () => true,
    ),
  );
  const found = new Set(files.filter((file) => !meant.has(file)));
  return withoutData(files, found, (file) => readText(resolve(shell.cwd, file), file));
}

/** Returns the same files without opening them, so those from folders may be data. Throws a Failure. */
export function namesOfPlaybooks(shell: Shell, named: readonly string[]): readonly string[] {
  return filesNamed(shell, named, (name) => name !== ENVIRONMENT_FILE);
}

/** Returns the YAML files that arguments name, including the environment file. Throws a Failure. */
export function yamlFiles(shell: Shell, named: readonly string[]): readonly string[] {
  return filesNamed(shell, named, () => true);
}

function filesNamed(shell: Shell, named: readonly string[], wanted: (name: string) => boolean): readonly string[] {
  const files = named.flatMap((name) =>
    shipped.read(name) === undefined ? filesAt(resolve(shell.cwd, name), name, wanted) : [name],
  );
  if (files.length > LIMITS.files) {
    throw new Failure({
      code: "run.too-many-files",
      message: `${count(files.length, "playbook")}; the limit is ${LIMITS.files}`,
    });
  }
  return [...new Set(files.map((file) => (isAbsolute(file) ? seenFrom(shell.cwd, file) || file : file)))];
}

const load = createRequire(import.meta.url);

/** Loads the translation of documents of other standards, which few commands need. */
export function interchange(): typeof Interchange {
  return load("#interchange") as typeof Interchange;
}

/** The result of checking one file, with the playbook if it can be run. */
export interface CheckedPlaybookFile extends CheckedFile {
  /** The playbook; undefined if the check found an error. */
  readonly playbook: Playbook | undefined;
}

/** Reads and checks a playbook file. Throws a Failure only if the file cannot be read. */
export function checkFile(shell: Shell, file: string, files: FileReader = filesOf(shell)): CheckedPlaybookFile {
  const own = shipped.read(file);
  if (own === undefined) shell.onRead?.(resolve(shell.cwd, file));
  const text = own ?? readText(resolve(shell.cwd, file), file);
  const check = isArazzo(text) ? interchange().checkDocument : checkPlaybook;
  const { playbook, diagnostics } = check(file, text, files);
  return { file, ok: playbook !== undefined, playbook, diagnostics };
}

/**
 * Checks all files and returns the playbooks that the tags choose. Prints all warnings and errors, and throws a Failure if one of the playbooks has an error:
 * then nothing is run.
 */
export function loadPlaybooks(
  shell: Shell,
  files: readonly string[],
  { reader = filesOf(shell), tags }: { readonly reader?: FileReader; readonly tags?: readonly string[] | undefined } = {},
): readonly Playbook[] {
  const all = files.map((file) => checkFile(shell, file, reader));
  const checked = tags === undefined ? all : chosenByTags(all, tags);
  const { checks, more } = withinLimit(checked, "tokenbook check --json FILE…");
  for (const { diagnostics } of checks)
    for (const diagnostic of diagnostics) shell.stderr.write(`${formatDiagnostic(diagnostic)}\n\n`);
  if (more !== undefined) shell.stderr.write(`${more}\n`);
  if (checked.some(({ ok }) => !ok)) throw new CheckFailure(checked);
  return checked.flatMap(({ playbook }) => (playbook === undefined ? [] : [playbook]));
}
