import type { Argument, Option } from "commander";
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CODES } from "../../base/catalogue/catalogue.ts";
import { present } from "../../base/present.ts";
import { findEnvironmentFile, outlineEnvironments } from "../../environment/load.ts";
import { runsIn } from "../../journal/health.ts";
import type { RunSummary } from "../../journal/run-summary.ts";
import { operations } from "../../operations/operation.ts";
import { DriftBook } from "../../reconcile/drift-book.ts";
import { FORMATS } from "../../report/formats/format.ts";
import { inProjectHere } from "../project/chosen-project.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import { stateOf as foldOf } from "../../protocol/state.ts";
import { peekIntoJournal } from "../runs/open-journal.ts";
import type { StatePlace } from "../../sql/place.ts";
import { checkFile, namesOfPlaybooks } from "../project/load-playbooks.ts";
import { statePlace } from "../project/state-place.ts";
import { RunReference } from "../runs/run-reference.ts";
import { bareNameOf, shippedPlaybooks } from "../project/shipped.ts";
import type { Shell } from "../shell.ts";
import { readerOf, type OfferedValues } from "../program/definition.ts";
import { SCHEMA_NAMES } from "../commands/reference/schema.ts";
import type { Cursor } from "./walk.ts";

/** A word that may complete the line, and its meaning. */
export interface Candidate {
  /** The word itself. */
  readonly value: string;
  /** Its meaning in a few words. Left out if there is nothing to say. */
  readonly description?: string;
}

type CandidateSource = (shell: Shell, cursor: Cursor) => readonly Candidate[];

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value }));
}

function filesThat(isWanted: (name: string) => boolean): CandidateSource {
  return ({ cwd }, { typed }) => {
    const folder = typed.endsWith("/") ? typed : typed.includes("/") ? `${dirname(typed)}/` : "";
    return readdirSync(resolve(cwd, folder), { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith(".") || typed.slice(folder.length).startsWith("."))
      .filter((entry) => entry.isDirectory() || isWanted(entry.name))
      .map((entry) => ({ value: `${folder === "" ? "" : join(folder, "/")}${entry.name}${entry.isDirectory() ? "/" : ""}` }));
  };
}

const environments: CandidateSource = ({ cwd }) => {
  const file = findEnvironmentFile(cwd);
  if (file === undefined) return [{ value: "sandbox" }];
  return outlineEnvironments(file, cwd).map(({ name, embedded }) => ({
    value: name,
    description: embedded ? "the sandbox inside tokenbook" : "a service",
  }));
};

function runsThat(isWanted: (run: RunSummary) => boolean): CandidateSource {
  return (shell, { options }) =>
    runsIn(stateOf(shell, options))
      .filter(isWanted)
      .map(({ id, outcome, playbook }) => ({ value: id, description: `${outcome ?? "not finished"}, ${playbook}` }));
}

const runs = runsThat(() => true);

const openSteps: CandidateSource = (shell, { positionals: [typed = ""], options }) =>
  peekIntoJournal(stateOf(shell, options), (store) => {
    const open = openWrites(foldOf(store.read(new RunReference(typed).in(store))));
    return open.map(({ step, operation }) => ({ value: step, description: operation }));
  });

function inDriftBook(candidatesIn: (book: DriftBook) => readonly Candidate[]): CandidateSource {
  return (shell, { options }) => {
    using book = DriftBook.look(stateOf(shell, options));
    return book === undefined ? [] : candidatesIn(book);
  };
}

function stateOf(shell: Shell, options: Cursor["options"]): StatePlace {
  return statePlace(inProjectHere(shell), present({ state: options.get("--state") }));
}

const inputsOfPlaybooks: CandidateSource = (shell, { positionals }) => {
  const declared = namesOfPlaybooks(shell, positionals).flatMap((file) => checkFile(shell, file).playbook?.inputs ?? []);
  const byName = new Map(declared.map(({ name, type, description }) => [name, description ?? type]));
  return Array.from(byName, ([name, description]) => ({ value: `${name}=`, description }));
};

const operationNames: CandidateSource = () =>
  [...operations.values()].map(({ name, call }) => ({ value: name, description: call.summary }));

const SOURCES: Readonly<Record<OfferedValues, CandidateSource>> = {
  nothing: () => [],
  files: filesThat(() => true),
  folders: filesThat(() => false),
  "playbook files": filesThat((name) => /\.ya?ml$/.test(name)),
  "inputs of the playbooks": inputsOfPlaybooks,
  environments,
  operations: operationNames,
  "library playbooks": () =>
    shippedPlaybooks().map(({ uses, playbook }) => ({ value: bareNameOf(uses), description: playbook.name })),
  "runs and latest": (shell, cursor) => [{ value: "latest", description: "the last run" }, ...runs(shell, cursor)],
  "runs to resume": runsThat(({ outcome }) => outcome !== "passed"),
  "steps to resolve": openSteps,
  drifts: inDriftBook((book) => plain(book.ids())),
  comparisons: inDriftBook((book) => book.known().map(({ of, title }) => ({ value: of.comparison, description: title }))),
  "report formats": () => plain(FORMATS.map((format) => `${format}=`)),
  codes: () => plain(["all", ...CODES]),
  schemas: () => plain(SCHEMA_NAMES),
};

/** Returns what the value of an option, or an argument of a command, may be. */
export function valuesOf(shell: Shell, cursor: Cursor, part: Option | Argument): readonly Candidate[] {
  return (part.argChoices && plain(part.argChoices)) ?? SOURCES[readerOf(part)?.offers ?? "nothing"](shell, cursor);
}
