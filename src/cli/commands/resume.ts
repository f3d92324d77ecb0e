import { dirname, join, relative, resolve } from "node:path";
import type { ExitCode } from "../../base/exit.ts";
import { Failure, invariant } from "../../base/failure.ts";
import { quoted } from "../../base/text.ts";
import { resumeRun } from "../../engine/start.ts";
import { outlineEnvironments } from "../../environment/load.ts";
import type { History } from "../../journal/chain.ts";
import type { RunSummary } from "../../journal/store.ts";
import { openSecrets } from "../../playbook/open.ts";
import { isEmbedded, type RunOpened } from "../../protocol/record.ts";
import { stateOf } from "../../protocol/state.ts";
import { inProjectHere, type Project, projectAt, projectOfFile, type ProjectShell } from "../chosen-project.ts";
import { lookIntoJournal, noRunYet } from "../journal.ts";
import { type Job, performRuns, type Prepared, type ReportOptions } from "../perform.ts";
import {
  filesOf,
  folderInProject,
  knownStateDirectory,
  loadPlaybooks,
  stateDirectory,
  variablesOf,
  type Where,
} from "../project.ts";
import { shipped } from "../shipped.ts";
import type { Command, Shell } from "../shell.ts";

interface ResumeOptions extends Where, ReportOptions {
  readonly run?: string;
}

/** `tokenbook resume`: goes on with a run; without a name, with the last one that did not pass. */
export const resume: Command<ResumeOptions> = async (shell, options): Promise<ExitCode> => {
  const chosen = chosenRun(shell, options);
  const found: Found = { ...options, state: knownStateDirectory(shell, options), isNamed: options.state !== undefined };
  const { playbook: file, environment } = chosen.summary;
  return performRuns(
    shell,
    { ...options, env: options.env ?? environment, state: found.state, jobs: 1 },
    { playbooks: () => [{ name: file, file }], prepare: () => prepare(shell, found, chosen) },
  );
};

function prepare(plainShell: Shell, options: Found, { summary, known }: Chosen): Prepared {
  const { id, playbook: file, outcome } = summary;
  const { opened } = stateOf(known.records);
  invariant(opened !== undefined, "a run begins with its opening");
  const shell = inProjectOfRun(plainShell, options, opened);
  assertSameFolder(shell, options, opened);
  if (options.env === undefined) assertEnvironmentThere(shell, opened);
  const files = { ...filesOf(shell), data: { ...opened.data, [file]: {} } };
  const [playbook] = loadPlaybooks(shell, [file], { reader: files });
  // What has passed is only told again.
  const acting = playbook === undefined || outcome === "passed" ? [] : [playbook];
  const secrets = openSecrets(acting, { variables: variablesOf(shell, options), files: filesOf(shell) });
  const job: Job = {
    playbook: { name: playbook?.name ?? file, file },
    steps: playbook?.steps.length ?? 0,
    work: async (session, ports) => {
      if (playbook === undefined) throw noneToResume();
      return resumeRun({ playbook, target: session.target, store: session.store, ports }, id, { files, known });
    },
  };
  return { shell, secrets, jobs: [job] };
}

/** A run that is to go on, and what is known of it. */
interface Chosen {
  readonly summary: RunSummary;
  readonly known: History;
}

function chosenRun(shell: Shell, { run, ...where }: ResumeOptions): Chosen {
  return lookIntoJournal(shell, where, (store) => {
    const summary = run === undefined ? store.notPassed(1)[0] : store.summary(run);
    if (summary !== undefined) return { summary, known: store.history(summary.id) };
    throw store.list(1).length === 0 ? noRunYet() : noneToResume();
  });
}

/** The options, with the state directory in which the run was found. */
interface Found extends ResumeOptions {
  readonly state: string;
  /** The command line names it. */
  readonly isNamed: boolean;
}

// The run says how its project was seen from the working directory; runs of earlier versions began in the project of that directory.
function inProjectOfRun(shell: Shell, { state }: Found, { folder, playbook: { file } }: RunOpened): ProjectShell {
  const here = projectAt(shell.cwd);
  const usual = shipped.read(file) === undefined ? projectOfFile(shell.cwd, file) : here;
  const isMeant = (project: Project): boolean => folderInProject({ cwd: shell.cwd, project }) === folder;
  return { ...shell, project: [usual, here, projectAt(dirname(state))].find(isMeant) ?? usual };
}

// A file of the same name may lie here too, and is another playbook.
function assertSameFolder(shell: ProjectShell, found: Found, { runId, folder: before, playbook: { file } }: RunOpened): void {
  const now = folderInProject(shell);
  if (before === undefined || now === undefined || before === now || shipped.read(file) !== undefined) return;
  const folder = join(shell.project.folder, before);
  const way = relative(shell.cwd, folder);
  throw new Failure({
    code: "resume.other-folder",
    message: `the run ${runId} began in the folder ${before} of this project, and this is ${now}`,
    why: `its playbook is ${file} as seen from there`,
    next: `cd ${quoted(way)} && tokenbook resume ${runId}${fromAfar(shell, found, folder)}`,
  });
}

// Paths of the command line mean other files from another folder.
function fromAfar(shell: ProjectShell, { state, isNamed, dotenv }: Found, folder: string): string {
  const usual = stateDirectory(inProjectHere({ ...shell, cwd: folder }), {});
  const options = {
    ...(isNamed || state !== usual ? { state } : {}),
    ...(typeof dotenv === "string" ? { dotenv: resolve(shell.cwd, dotenv) } : {}),
  };
  return Object.entries(options)
    .map(([name, path]) => ` --${name} ${quoted(path)}`)
    .join("");
}

// That of the run itself: another in its place would be refused, so none is offered.
function assertEnvironmentThere(shell: ProjectShell, { runId: id, target }: RunOpened): void {
  const { environment } = target;
  const { environmentFile: file } = shell.project;
  if (file === undefined || outlineEnvironments(file, shell.cwd).some(({ name }) => name === environment)) return;
  const shown = relative(shell.cwd, file);
  const wasSandbox = isEmbedded(target);
  throw new Failure({
    code: "environment.unknown",
    message: `${shown} has no environment "${environment}", where the run ${id} acts`,
    why: "a run goes on where it began, under the same name",
    next: `${wasSandbox ? `add the line "${environment}: embedded" to environments in ${shown}` : `name it so again in ${shown}, as it was when the run began`}, then: tokenbook resume ${id}`,
  });
}

function noneToResume(): Failure {
  return new Failure({ code: "resume.nothing", message: "every run in this state directory has passed", next: "tokenbook runs" });
}
