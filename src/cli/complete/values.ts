import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CODES } from "../../base/catalogue/catalogue.ts";
import { findEnvironmentFile, outlineEnvironments } from "../../environment/load.ts";
import { runsIn } from "../../journal/health.ts";
import { operations } from "../../operations/operation.ts";
import { DriftBook } from "../../reconcile/drift-book.ts";
import { FORMATS } from "../../report/format.ts";
import { inProjectHere } from "../chosen-project.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import { stateOf as foldOf } from "../../protocol/state.ts";
import { peekIntoJournal } from "../journal.ts";
import { stateDirectory } from "../project.ts";
import { RunName } from "../run-name.ts";
import { shippedPlaybooks } from "../shipped.ts";
import type { Shell } from "../shell.ts";
import { SCHEMA_NAMES } from "../commands/schema.ts";
import type { Cursor } from "./walk.ts";

/** What may stand at the cursor, and what it is. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

type Source = (shell: Shell, cursor: Cursor) => readonly Candidate[];

const files: Source = ({ cwd }, { typed }) => entries(cwd, typed, () => true);
const folders: Source = ({ cwd }, { typed }) => entries(cwd, typed, () => false);
const yamlFiles: Source = ({ cwd }, { typed }) => entries(cwd, typed, (name) => /\.ya?ml$/.test(name));
const plain =
  (values: readonly string[]): Source =>
  () =>
    values.map((value) => ({ value }));

function entries(cwd: string, typed: string, wanted: (file: string) => boolean): readonly Candidate[] {
  const folder = typed.endsWith("/") ? typed : typed.includes("/") ? `${dirname(typed)}/` : "";
  return readdirSync(resolve(cwd, folder), { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith(".") || typed.slice(folder.length).startsWith("."))
    .filter((entry) => entry.isDirectory() || wanted(entry.name))
    .map((entry) => ({ value: `${folder === "" ? "" : join(folder, "/")}${entry.name}${entry.isDirectory() ? "/" : ""}` }));
}

const environments: Source = ({ cwd }) => {
  const file = findEnvironmentFile(cwd);
  if (file === undefined) return [{ value: "sandbox" }];
  return outlineEnvironments(file, cwd).map(({ name, embedded }) => ({
    value: name,
    description: embedded ? "the sandbox inside of tokenbook" : "a service",
  }));
};

const runs: Source = (shell, { command, options }) => {
  const all = runsIn(stateOf(shell, options));
  const wanted = ["resume", "resolve"].includes(command.name()) ? all.filter(({ outcome }) => outcome !== "passed") : all;
  return wanted.map(({ id, outcome, playbook }) => ({ value: id, description: `${outcome ?? "not finished"}, ${playbook}` }));
};

const openSteps: Source = (shell, { positionals: [typed = ""], options }) =>
  peekIntoJournal(stateOf(shell, options), (store) => {
    const open = openWrites(foldOf(store.read(new RunName(typed).in(store))));
    return open.map(({ step, operation }) => ({ value: step, description: operation }));
  });

const drifts: Source = (shell, { options }) => {
  const book = DriftBook.look(stateOf(shell, options));
  const ids = book?.ids() ?? [];
  book?.close();
  return ids.map((value) => ({ value }));
};

function stateOf(shell: Shell, options: Cursor["options"]): string {
  const state = options.get("--state");
  return stateDirectory(inProjectHere(shell), state === undefined ? {} : { state });
}

const operationNames: Source = () =>
  [...operations.values()].map(({ name, call }) => ({ value: name, description: call.summary }));

const OF_OPTIONS: Readonly<Record<string, Source>> = {
  "--env": environments,
  "--profile": environments,
  "--step": openSteps,
  "--uses": operationNames,
  "--report": plain(FORMATS.map((format) => `${format}=`)),
  "--explain": plain(["all", ...CODES]),
  "--state": folders,
  "--keep": folders,
  "--inputs": files,
  "--plan": files,
  "--out": files,
  "--seed": files,
  "--faults": files,
  "--db": files,
  "--dotenv": files,
  "--debug": files,
};

const runsAndLatest: Source = (shell, cursor) => [{ value: "latest", description: "the last run" }, ...runs(shell, cursor)];

const OF_ARGUMENTS: Readonly<Record<string, Source>> = {
  files: yamlFiles,
  file: yamlFiles,
  folder: folders,
  run: runs,
  runs: runsAndLatest,
  "show run": runsAndLatest,
  "export run": runsAndLatest,
  "verify run": runsAndLatest,
  "release run": runsAndLatest,
  schedule: yamlFiles,
  drift: drifts,
  "operations name": operationNames,
  "library name": () =>
    shippedPlaybooks().map(({ uses, playbook }) => ({
      value: uses.replace(/^tokenbook\/|\.yaml$/g, ""),
      description: playbook.name,
    })),
  "schema name": plain(SCHEMA_NAMES),
};

/** What the value of an option may be. */
export function valuesOfOption(shell: Shell, cursor: Cursor, long: string): readonly Candidate[] {
  return OF_OPTIONS[long]?.(shell, cursor) ?? [];
}

/** What an argument of the command may be. */
export function valuesOfArgument(shell: Shell, cursor: Cursor, name: string): readonly Candidate[] {
  return (OF_ARGUMENTS[`${cursor.command.name()} ${name}`] ?? OF_ARGUMENTS[name])?.(shell, cursor) ?? [];
}
