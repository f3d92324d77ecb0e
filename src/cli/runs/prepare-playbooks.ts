import type { GivenToRun } from "../../engine/run/concurrency-groups.ts";
import { refuseLongLists } from "../../engine/steps/long-lists.ts";
import { Failure } from "../../base/failure.ts";
import { type JsonObject, writeJson } from "../../base/json/json.ts";
import { count } from "../../base/text/text.ts";
import { resolveFrom } from "../../playbook/playbook-files.ts";
import { type GivenInputs, type PlaceOfInput, resolveInputs } from "../../playbook/inputs/given-inputs.ts";
import type { Playbook } from "../../playbook/model.ts";
import { NO_SECRETS, openEnv, openSecrets, type Secrets } from "../../playbook/settings/open-secrets.ts";
import { includedData } from "../../playbook/playbook-walk.ts";
import type { Shard } from "../program/arguments.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { noteSkipped, partsOfOthers, type PlaybookFiles } from "../project/folder-files.ts";
import type { SkippedFile } from "../../report/shape.ts";
import { type Dotenv, variablesOf } from "../project/state-place.ts";
import { loadPlaybooks } from "../project/load-playbooks.ts";
import { readPlacedMap } from "../project/read-file.ts";
import { filesOf } from "../project/project-files.ts";
import type { ReadyPlaybook } from "../../planner/given.ts";

/** The options that choose playbooks and set their inputs. */
export interface InputOptions extends Dotenv {
  /** The playbook files or folders, as the command line names them. */
  readonly files: readonly string[];
  /** The values of `--input`, by input name. */
  readonly input: Readonly<Record<string, string>>;
  /** A file with input values. `input` has precedence over it. */
  readonly inputs?: string;
  /** Only playbooks with one of these tags; `!` before a tag excludes it. */
  readonly tags?: readonly string[];
}

/** Playbooks with the secrets that they name. */
export interface Ready {
  /** The playbooks, in the order of the command line. */
  readonly ready: readonly ReadyPlaybook[];
  /** The secrets that the playbooks name. */
  readonly secrets: Secrets;
  /** Files in folders that are skipped. */
  readonly skipped: readonly SkippedFile[];
}

/** Checks all playbooks and resolves all inputs before any of them sends a request. Throws a Failure. */
export function readyPlaybooks(shell: ProjectShell, options: InputOptions, named: PlaybookFiles): Ready {
  return preparePlaybooks(shell, options, loadPlaybooks(shell, named.files, { tags: options.tags }), { named });
}

/** Options for playbooks that were already checked. */
export interface AboutPlaybooks {
  /** The files that the command line means. Files in folders that are not playbooks, or are only parts of others, are skipped with a note. */
  readonly named?: PlaybookFiles;
  /** Names of inputs that may be given although none of these playbooks declares them. */
  readonly others?: readonly string[];
  /** Which of the playbooks are run. If left out, all of them. */
  readonly shard?: Shard | undefined;
  /** Leaves the secrets to the other process that runs the playbooks. */
  readonly leavesSecrets?: boolean;
}

/** Prepares playbooks that were already checked, in the same way. */
export function preparePlaybooks(
  shell: ProjectShell,
  options: Pick<InputOptions, "input" | "inputs"> & Dotenv,
  all: readonly Playbook[],
  { named, others = [], leavesSecrets = false, shard }: AboutPlaybooks,
): Ready {
  const known = new Set([...others, ...inputNames(all)]);
  const { values: fromFile, placeOf } = fileOfInputs(shell, options);
  const given = new Set([...Object.keys(fromFile), ...Object.keys(options.input)]);
  const parts = partsOfOthers(all, named?.found ?? new Set(), (input) => given.has(input));
  const skipped = [...(named?.skipped ?? []), ...parts.values()];
  noteSkipped(shell, skipped);
  const wholes = all.filter((playbook) => !parts.has(playbook));
  const playbooks = shard === undefined ? wholes : shardOf(wholes, shard);
  if (shard !== undefined) {
    const { number, of } = shard;
    shell.stderr.write(`shard ${number}/${of}: ${playbooks.length} of ${count(wholes.length, "playbook")}\n`);
  }
  const variables = variablesOf(shell, options);
  const ready = playbooks.map((playbook) => {
    const values: GivenInputs = { ...pathsFrom(options.inputs ?? "", fromFile, playbook), ...options.input };
    const inputs = resolveInputs(playbook, inputsFor(playbook, values, known), filesOf(shell), placeOf);
    return { playbook, inputs, env: openEnv(playbook, variables) };
  });
  const secrets = leavesSecrets ? NO_SECRETS : openSecrets(playbooks, { variables, files: filesOf(shell) });
  for (const { playbook, inputs, env } of ready) {
    refuseSecrets({ inputs, env }, playbook, secrets);
    refuseLongLists(playbook, { inputs, env });
  }
  return { ready, secrets, skipped };
}

/** How the runs of rows get their inputs, and the secrets that they share. */
export interface RowPreparation {
  /** The secrets that the playbook names. */
  readonly secrets: Secrets;
  /** Returns the playbook with the inputs of a row. Throws a Failure. */
  readonly prepare: (row: JsonObject) => ReadyPlaybook;
}

/** Prepares the runs of one playbook with the rows of a file. A column has precedence over the file of inputs that all rows share. */
export function preparingRows(
  shell: ProjectShell,
  options: Pick<InputOptions, "input" | "inputs"> & Dotenv,
  { playbook, file }: { readonly playbook: Playbook; readonly file: string },
): RowPreparation {
  const { values: fromFile, placeOf } = fileOfInputs(shell, options);
  const shared = { ...pathsFrom(options.inputs ?? "", fromFile, playbook), ...options.input };
  const variables = variablesOf(shell, options);
  const secrets = openSecrets([playbook], { variables, files: filesOf(shell) });
  const env = openEnv(playbook, variables);
  const prepare = (row: JsonObject): ReadyPlaybook => {
    const given = { ...shared, ...pathsFrom(file, row, playbook) };
    const inputs = resolveInputs(playbook, given, filesOf(shell), (path) => (isIn(row, path) ? undefined : placeOf(path)));
    refuseSecrets({ inputs, env }, playbook, secrets);
    refuseLongLists(playbook, { inputs, env });
    return { playbook, inputs, env };
  };
  return { secrets, prepare };
}

// `placeOf` returns the place in the file for each value that the command line does not set.
function fileOfInputs(
  shell: ProjectShell,
  { inputs, input }: Pick<InputOptions, "input" | "inputs">,
): { readonly values: JsonObject; readonly placeOf: PlaceOfInput } {
  if (inputs === undefined) return { values: {}, placeOf: () => undefined };
  const { values, placeOf } = readPlacedMap(shell, inputs);
  return { values, placeOf: (path) => (isIn(input, path) || !isIn(values, path) ? undefined : placeOf(path)) };
}

function isIn(values: JsonObject, [name = ""]: readonly string[]): boolean {
  return Object.hasOwn(values, name);
}

// We sort by path, so that the parts depend neither on the order of the arguments nor on the machine. Taking every nth path makes the parts equal in size.
function shardOf(playbooks: readonly Playbook[], { number, of }: Shard): readonly Playbook[] {
  const paths = playbooks.map(({ file }) => file).toSorted();
  const chosen = new Set(paths.filter((_, at) => at % of === number - 1));
  return playbooks.filter(({ file }) => chosen.has(file));
}

/**
 * Throws a Failure if an input, a variable or a data file contains a secret. The journal masks secrets in these values, so a step would get the mask instead of
 * the value.
 */
export function refuseSecrets(given: GivenToRun, playbook: Playbook, secrets: Secrets): void {
  if (secrets.all.length === 0) return;
  const mask = secrets.maskIn(secrets.redact(writeJson({ ...given, data: includedData(playbook) })));
  if (mask === undefined) return;
  throw new Failure({
    code: "secret.given-twice",
    message: `${playbook.file}: an input, a variable or a file of data holds the value of ${mask}`,
    why: "inputs and variables are shown and kept, a secret is neither; nothing was sent",
    next: `use ${mask} in the playbook instead of the input, or give another value`,
  });
}

// As everywhere, a path in an input file is relative to that file.
function pathsFrom(file: string, values: JsonObject, playbook: Playbook): GivenInputs {
  const files = new Set(playbook.inputs.filter(({ type }) => type === "file").map(({ name }) => name));
  const placed = Object.entries(values).map(([name, value]) => {
    const path = files.has(name) && typeof value === "string" ? resolveFrom(file, value) : value;
    return [name, path] as const;
  });
  return Object.fromEntries(placed);
}

// Several playbooks share the inputs. Each takes those that it declares, and an input that none of them declares is a mistake.
function inputsFor(playbook: Playbook, given: GivenInputs, known: ReadonlySet<string>): GivenInputs {
  const own = new Set(inputNames([playbook]));
  return Object.fromEntries(Object.entries(given).filter(([name]) => own.has(name) || !known.has(name)));
}

/** Returns the names of all inputs of the playbooks. */
export function inputNames(playbooks: readonly Playbook[]): readonly string[] {
  return playbooks.flatMap(({ inputs }) => inputs.map(({ name }) => name));
}
