import { join, relative } from "node:path";
import { command } from "../../base/command-line.ts";
import { Failure, invariant } from "../../base/failure.ts";
import { type Json, type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { quoted } from "../../base/text/text.ts";
import { inOrganization, resolveInputs } from "../../playbook/inputs/given-inputs.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { InputDeclaration } from "../../playbook/declarations.ts";
import type { Playbook } from "../../playbook/model.ts";
import { includesOf, playbooksIn } from "../../playbook/playbook-walk.ts";
import type { RunOpened } from "../../protocol/record.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { folderInProject } from "../project/state-place.ts";
import { loadPlaybooks } from "../project/load-playbooks.ts";
import { filesOf } from "../project/project-files.ts";
import { shipped } from "../project/shipped.ts";

const NOT_THERE: ReadonlySet<string> = new Set(["file.missing", "file.unreadable"]);

/**
 * Returns the playbook of a run that has begun, checked as its file is now, and the reader of its files. Data files come from the journal. Throws a Failure.
 */
export function playbookOfRun(
  shell: ProjectShell,
  { runId, playbook: { file }, data }: RunOpened,
): { readonly playbook: Playbook; readonly files: FileReader } {
  const files = { ...filesOf(shell), data: { ...data, [file]: {} } };
  try {
    const [playbook] = loadPlaybooks(shell, [file], { reader: files });
    invariant(playbook !== undefined, "a file that was checked is a playbook");
    return { playbook, files };
  } catch (error) {
    if (!(error instanceof Failure) || !NOT_THERE.has(error.code)) throw error;
    const next = [`put ${file} back, or go to the folder in which the run began:`, command`resume ${runId}`];
    throw new Failure({ ...error.toJSON(), next });
  }
}

/** A data file that is the default of an input, and the value that the run keeps, because it does not read the file again. */
interface KeptDefault {
  readonly playbook: Playbook;
  readonly declaration: InputDeclaration;
  readonly path: string;
  readonly value: Json;
  /** The organization of the entities in the value; undefined if they have none. */
  readonly orgId: string | undefined;
}

/**
 * Returns a note for each data file that is a default, of the playbook or of one that it includes, and is not what the run began with. Somebody may have
 * corrected it. The run may also have been given another file: no record says which inputs were given.
 */
export function keptFileNotes(
  shell: ProjectShell,
  run: { readonly playbook: Playbook; readonly opened: Pick<RunOpened, "inputs" | "data"> },
  orgId: string | undefined,
): readonly string[] {
  return keptDefaults(run, orgId)
    .filter((kept) => !jsonEquals(kept.value, contentNow(kept, filesOf(shell)) ?? null))
    .map(
      ({ path, declaration: { name } }) =>
        `note: ${path} is not what the run began with; the run keeps its own value of "${name}". If the rest of the run needs the file, write it into the steps`,
    );
}

// The record has the inputs with their organization, and the data of included playbooks as they were read.
function keptDefaults(
  { playbook, opened }: Parameters<typeof keptFileNotes>[1],
  orgId: string | undefined,
): readonly KeptDefault[] {
  const [, ...included] = playbooksIn(playbook);
  const uses = [playbook, ...included].flatMap(includesOf);
  const isUsed = ({ playbook: { file }, declaration: { name } }: KeptDefault): boolean =>
    uses.some((step) => step.playbook.file === file && !step.inputs.has(name));
  const others = included.flatMap((each) => fileDefaults(each, opened.data?.[each.file] ?? {}, undefined));
  return [...fileDefaults(playbook, opened.inputs, orgId), ...others.filter(isUsed)];
}

function fileDefaults(playbook: Playbook, values: JsonObject, orgId: string | undefined): readonly KeptDefault[] {
  return playbook.inputs.flatMap((declaration) => {
    const [path, value] = [declaration.file?.path, values[declaration.name]];
    return path === undefined || value === undefined ? [] : [{ playbook, declaration, path, value, orgId }];
  });
}

// A file that is missing or wrong has no content.
function contentNow({ playbook, declaration, orgId }: KeptDefault, files: FileReader): Json | undefined {
  const only = { ...playbook, inputs: [{ ...declaration, default: undefined }] };
  try {
    return inOrganization(only, resolveInputs(only, {}, files), orgId)[declaration.name];
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * Throws a Failure if a run began in another folder, because a file of the same name in this folder is another playbook. `more` returns the options that the
 * command in the other folder needs.
 */
export function assertSameFolder(
  shell: ProjectShell,
  { runId, folder: before, playbook: { file } }: RunOpened,
  more: (folder: string) => string = () => "",
): void {
  const now = folderInProject(shell);
  if (before === undefined || now === undefined || before === now || shipped.read(file) !== undefined) return;
  const folder = join(shell.project.folder, before);
  throw new Failure({
    code: "resume.other-folder",
    message: `the run ${runId} began in the folder ${before} of this project, and this is ${now}`,
    why: `its playbook is ${file} as seen from there`,
    next: `cd ${quoted(relative(shell.cwd, folder))} && tokenbook resume ${runId}${more(folder)}`,
  });
}
