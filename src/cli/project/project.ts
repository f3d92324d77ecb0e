import { createRequire } from "node:module";
import { isAbsolute, join, relative, resolve } from "node:path";
import { existsSync, statSync } from "node:fs";
import { Failure, messageOf } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { Secret } from "../../base/secret.ts";
import { count } from "../../base/text/text.ts";
import { DEFAULT_PROFILE, type Profile } from "../../contract/profile.ts";
import { DOTENV_FILE, type DotenvFile, readDotenv } from "../../environment/dotenv.ts";
import { ENVIRONMENT_FILE, loadEnvironment, loadProfile, outlineEnvironments } from "../../environment/load.ts";
import type { Target } from "../../environment/target.ts";
import { loadServerPlace } from "../../environment/state.ts";
import { assertTlsChecked } from "../../environment/tls.ts";
import { type NamedFile, readRegular } from "../../files/regular.ts";
import { stateEntry } from "../../files/state.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import { isArazzo } from "../../playbook/is-playbook.ts";
import type * as Interchange from "../../interchange/check.ts";
import type { PlaceOfInput } from "../../playbook/inputs/given-inputs.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { RunningSandbox } from "../../sandbox/sandbox.ts";
import type { CheckedFile } from "../../report/check/checked.ts";
import { formatDiagnostic, withinLimit } from "../../source/diagnostic.ts";
import type { SourceFile } from "../../source/file.ts";
import { nodeAt, type SourceNode, toJson } from "../../source/node.ts";
import type { ServerPlace, StatePlace } from "../../sql/place.ts";
import { parseUnshown } from "../../source/unshown.ts";
import { CheckFailure } from "./check-failure.ts";
import { type Project, type ProjectShell, projectAt, STATE_FOLDER } from "./chosen-project.ts";
import { filesAt, type PlaybookFiles, withoutData } from "./folder-files.ts";
import { isMissing, missingFile } from "./missing-file.ts";
import { filesOf, seenFrom } from "./project-files.ts";
import { shipped } from "./shipped.ts";
import type { Shell } from "../shell.ts";
import { chosenByTags } from "./tags.ts";
import { isCi } from "../view/colour.ts";
import type { Variables } from "../../base/variables.ts";

/** The options of all commands that show what runs have left. */
export interface MemoryOptions {
  /** The folder that stores the runs. If left out, the project's own state. */
  readonly state?: string;
  /** Prints JSON on stdout. */
  readonly json?: boolean;
}

/** The options that say where a run acts and where it is stored. */
export interface Where extends Dotenv {
  /** The name of the environment. If left out, the default one. */
  readonly env?: string;
  /** The folder that stores the runs. If left out, the project's own state. */
  readonly state?: string;
}

/** The option for the file with variables that the process does not set. */
export interface Dotenv {
  /** The name of the dotenv file; `false` for none. If left out, the default one. */
  readonly dotenv?: string | false;
}

/** Returns the state directory: the named one, or `.tokenbook` in the folder of the project. */
export function stateDirectory({ cwd, project }: Pick<ProjectShell, "cwd" | "project">, where: Where): string {
  return where.state === undefined ? join(project.folder, STATE_FOLDER) : resolve(cwd, where.state);
}

// The server is read once: in another state, a running scheduler or worker would lose sight of its open writes.
const servers = new WeakMap<Project, { readonly server: ServerPlace | undefined }>();

/**
 * Returns where the state is: the directory that the options name, the database that `tokenbook.yaml` names, or `.tokenbook` in the folder of the project. A
 * command keeps its first answer, even if the file is edited meanwhile. Throws a Failure.
 */
export function statePlace(shell: ProjectShell, where: Where): StatePlace {
  const { cwd, project } = shell;
  if (where.state !== undefined || project.environmentFile === undefined) return stateDirectory(shell, where);
  const known = servers.get(project) ?? {
    server: loadServerPlace(project.environmentFile, { cwd, variables: () => variablesOf(shell, where) }),
  };
  servers.set(project, known);
  return known.server ?? stateDirectory(shell, where);
}

/**
 * Returns the same for a command that only reads, by default in the project of the working directory. Throws a Failure if the named directory does not exist,
 * because an empty state would look as if all were well.
 */
export function knownStatePlace(shell: Shell & Partial<ProjectShell>, where: Where): StatePlace {
  const place = statePlace({ ...shell, project: shell.project ?? projectAt(shell.cwd) }, where);
  if (typeof place !== "string" || where.state === undefined || existsSync(place)) return place;
  throw new Failure({
    code: "state.not-found",
    message: `there is no state directory ${place}`,
    why: "this command only reads, and an empty state would look as if no run had begun",
    next: "name the directory that the runs were given by --state, or leave it out for .tokenbook",
  });
}

/**
 * Returns the working directory relative to the folder of `tokenbook.yaml`, which stays the same if the project is moved. Without such a file, returns nothing.
 */
export function folderInProject({ cwd, project }: Pick<ProjectShell, "cwd" | "project">): string | undefined {
  return project.environmentFile === undefined ? undefined : relative(project.folder, cwd) || ".";
}

/** Returns the path of a playbook from the folder of its project, by which every machine knows it. */
export function pathInProject({ cwd, project }: ProjectShell, { file }: Pick<Playbook, "file">): string {
  return relative(project.folder, resolve(cwd, file));
}

/** Returns the variables for keys, `env` and `secrets`: those of the process, and then those of the `.env` file. Throws a Failure. */
export function variablesOf(shell: ProjectShell, options: Dotenv): Variables {
  const file = dotenvFile(shell, options);
  if (file !== undefined) shell.onRead?.(file.path);
  return file === undefined ? shell.variables : { ...readDotenv(file, relative(shell.cwd, file.path)), ...shell.variables };
}

/** Returns the dotenv file; `undefined` if there is none. */
export function dotenvFile({ cwd, project }: ProjectShell, { dotenv }: Dotenv): DotenvFile | undefined {
  if (dotenv === false) return undefined;
  if (dotenv !== undefined) return { path: resolve(cwd, dotenv), isNamed: true };
  const path = join(project.folder, DOTENV_FILE);
  return existsSync(path) ? { path, isNamed: false } : undefined;
}

/** An open target. Disposing of it stops an embedded sandbox, and does nothing for a service that others run. */
export interface OpenTarget extends AsyncDisposable {
  /** Where runs act, with the keys. */
  readonly target: Target;
}

/** Opens the environment that the options name. Without an environment file, opens an embedded sandbox, which keeps its data in the state directory. */
export async function openTarget(
  shell: ProjectShell,
  where: Where,
  sandboxFile: (state: string) => string = (state) => stateEntry(state, "sandbox.db", "create"),
): Promise<OpenTarget> {
  const { environmentFile: file } = shell.project;
  if (file !== undefined) {
    if (shell.embeddedOnly === true) assertEmbedded(shell, file, where);
    const loaded = loadEnvironment(file, { name: where.env, cwd: shell.cwd, variables: variablesOf(shell, where) });
    if ("sandbox" in loaded) return embeddedSandbox(sandboxFile(stateDirectory(shell, where)), loaded.sandbox);
    assertTlsChecked(loaded, shell.variables);
    return { target: loaded, [Symbol.asyncDispose]: async () => {} };
  }
  assertSandboxMeant(shell, where);
  return embeddedSandbox(sandboxFile(stateDirectory(shell, where)), EMBEDDED_NAME);
}

/** The name of the embedded sandbox for `--env` if there is no environment file. */
export const EMBEDDED_NAME = "sandbox";

/**
 * Checks that a run may use the embedded sandbox because there is no environment file. Throws a Failure if the options name another environment, or if a CI job
 * does not name the sandbox: nobody would notice there that no real service was reached.
 */
export function assertSandboxMeant({ variables }: Pick<Shell, "variables">, { env }: Pick<Where, "env">): void {
  if (env === EMBEDDED_NAME || (env === undefined && !isCi(variables))) return;
  if (env !== undefined)
    throw noEnvironmentFile(
      `, so there is no environment "${env}"`,
      "leave --env out to use the embedded sandbox, or write a tokenbook.yaml",
    );
  throw noEnvironmentFile(
    ", and CI is set: tokenbook uses the embedded sandbox only when you ask for it",
    `write a tokenbook.yaml beside the playbooks, or ask for the sandbox: --env ${EMBEDDED_NAME}`,
  );
}

// This is checked before any key is read, because a caller that allows only the sandbox needs no keys.
function assertEmbedded({ cwd }: Shell, file: string, { env }: Where): void {
  const all = outlineEnvironments(file, cwd);
  const chosen = env === undefined ? all[0] : all.find(({ name }) => name === env);
  if (chosen?.embedded === true) return;
  throw new Failure({
    code: "environment.not-embedded",
    message: `${relative(cwd, file)} has no embedded sandbox "${env ?? chosen?.name ?? EMBEDDED_NAME}"`,
    why: "nobody has named the environment for this run, so it may write in the embedded sandbox only; nothing was sent",
    next: `name one, for tests in the setting tokenbook.testEnvironment of the editor: ${all.map(({ name }) => name).join(", ")}`,
  });
}

/** Opens a sandbox in this process as a target. Its data is in the file at `path`; with `:memory:`, it is not stored. */
export async function embeddedSandbox(path: string, environment: string): Promise<OpenTarget> {
  const { startSandbox } = await import("../../sandbox/sandbox.ts");
  const sandbox = await startSandbox({ path });
  const target = sandboxTarget(sandbox, { environment, profile: DEFAULT_PROFILE });
  return { target, [Symbol.asyncDispose]: () => sandbox.close() };
}

/** Returns a running sandbox as a target. */
export function sandboxTarget(sandbox: RunningSandbox, as: Pick<Target, "environment" | "profile">): Target {
  const credentials = new Map(Object.entries(sandbox.credentials).map(([name, key]) => [name, new Secret(name, key)]));
  return {
    ...as,
    embedded: true,
    ledger: {
      baseUrl: sandbox.ledgerBaseUrl,
      settings: { appId: sandbox.appId, orgId: sandbox.orgId },
      apiKey: new Secret("LEDGER_API_KEY", sandbox.ledgerApiKey),
      keyEntity: sandbox.keyEntity ?? undefined,
    },
    investor: { baseUrl: sandbox.investorBaseUrl, credentials },
    exclusive: true,
    protected: false,
    settleWithinMs: undefined,
    // A sandbox is one process with one database, so every read shows all writes that took effect before it.
    readLagMs: 0,
    timeoutMs: 30_000,
    whereIs: (setting) => `the embedded sandbox${setting === "" ? "" : ` (${setting})`}`,
  };
}

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

/** Reads a map, such as inputs or a seed, from a YAML or JSON file. Throws a Failure. */
export function readMapFile(shell: Shell, name: string): JsonObject {
  return readPlacedMap(shell, name).values;
}

/** Reads such a map, and returns where each value is in the file, such as `inputs.yaml:3:9`. */
export function readPlacedMap(shell: Shell, name: string): { readonly values: JsonObject; readonly placeOf: PlaceOfInput } {
  const { file, root } = parsedFile(shell, name);
  const values = toJson(root);
  const placeOf = (path: readonly string[]): string => {
    const { line, column } = file.positionOf(nodeAt(root, path).range.start);
    return `${file.path}:${line}:${column}`;
  };
  if (isObject(values)) return { values, placeOf };
  throw new Failure({
    code: "file.no-map",
    message: `${name} holds no map of names to values`,
    next: "write it as NAME: VALUE lines, or as a JSON object",
  });
}

/** Reads a value, such as the list of a fault plan, from a YAML or JSON file. Throws a Failure. */
export function readDataFile(shell: Shell, name: string): Json {
  return toJson(parsedFile(shell, name).root);
}

function parsedFile(shell: Shell, name: string): { readonly file: SourceFile; readonly root: SourceNode } {
  shell.onRead?.(resolve(shell.cwd, name));
  const { file, root, diagnostics } = parseUnshown(name, readText(resolve(shell.cwd, name), name));
  if (root !== undefined) return { file, root };
  throw new Failure({
    code: "file.unreadable",
    message: diagnostics.map((diagnostic) => formatDiagnostic({ ...diagnostic, frame: "" })).join("\n\n"),
    next: "write it as YAML or JSON",
  });
}

/** Returns the profile of an environment from the environment file. Throws a Failure. */
export function profileOf({ cwd, project }: ProjectShell, environment: string): Profile {
  if (project.environmentFile !== undefined) return loadProfile(project.environmentFile, { name: environment, cwd });
  throw noEnvironmentFile(
    `, so there is no environment "${environment}"`,
    "leave --profile out for the usual names and words, or write a tokenbook.yaml",
  );
}

function noEnvironmentFile(so: string, next: string): Failure {
  return new Failure({
    code: "environment.none",
    message: `there is no tokenbook.yaml beside the playbook or above it, nor in this folder or above it${so}`,
    next,
  });
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

/** Reads a file as text. Throws a Failure that calls the file `name`. */
export function readText(path: string, name: string, ifTooLarge?: NamedFile["ifTooLarge"]): string {
  try {
    return decode(name, readRegular({ path, name, ifTooLarge }, LIMITS.dataBytes));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (isMissing(error)) throw missingFile(path, name);
    throw new Failure({
      code: "file.unreadable",
      message: `${name} cannot be read: ${messageOf(error)}`,
      next: "name a file that you may read",
    });
  }
}

/** Decodes bytes as UTF-8. Throws a Failure if they are not UTF-8, because a guess could change the text. */
export function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Failure({
      code: "file.unreadable",
      message: `${name} cannot be read: it is not in UTF-8`,
      next: "save it in UTF-8",
    });
  }
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
