import { dirname, relative, resolve } from "node:path";
import { command } from "../../../base/command-line.ts";
import type { ExitCode } from "../../../base/exit.ts";
import { Failure, invariant } from "../../../base/failure.ts";
import { quoted } from "../../../base/text/text.ts";
import { resumeRun } from "../../../engine/run/start-run.ts";
import { organizationOf } from "../../../environment/target.ts";
import { outlineEnvironments } from "../../../environment/load.ts";
import type { RunHistory } from "../../../journal/chain.ts";
import { noRunYet } from "../../../journal/failures.ts";
import type { RunSummary } from "../../../journal/run-summary.ts";
import { openSecrets } from "../../../playbook/settings/open-secrets.ts";
import type { RunOpened } from "../../../protocol/record.ts";
import { isEmbedded } from "../../../protocol/heading.ts";
import { stateOf } from "../../../protocol/state.ts";
import {
  inProject,
  inProjectHere,
  type Project,
  projectAt,
  projectOfFile,
  type ProjectShell,
} from "../../project/chosen-project.ts";
import { assertNotDoneSince, doneSinceNotes } from "../../runs/done-since.ts";
import { lookIntoJournal } from "../../runs/open-journal.ts";
import {
  type DetailOptions,
  type Job,
  performRuns,
  type Prepared,
  printReports,
  reportingFor,
  type ReportOptions,
} from "../../runs/perform.ts";
import type { StatePlace } from "../../../sql/place.ts";
import { folderInProject, knownStatePlace, stateDirectory, variablesOf, type Where } from "../../project/state-place.ts";
import { filesOf } from "../../project/project-files.ts";
import { unreadPlaybook } from "../../project/check-failure.ts";
import { assertSameFolder, keptFileNotes, playbookOfRun } from "../../runs/resuming.ts";
import { consentBefore } from "../../runs/consent.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import { shipped } from "../../project/shipped.ts";
import type { Command, Shell } from "../../shell.ts";

interface ResumeOptions extends Where, ReportOptions, DetailOptions {
  readonly run?: RunReference;
  readonly yes?: boolean;
}

/** `tokenbook resume`: resumes a run; without a name, the last one that did not pass. Exits with 0 if all have passed. */
export const resume: Command<ResumeOptions> = async (shell, options): Promise<ExitCode> => {
  const chosen = chosenRun(shell, options);
  if (typeof chosen === "string") return nothingToResume(shell, options, chosen);
  const found: LocatedOptions = { ...options, place: knownStatePlace(shell, options) };
  const { playbook: file, environment } = chosen.summary;
  return performRuns(
    shell,
    { ...options, env: options.env ?? environment, ...folderOf(found.place), jobs: 1 },
    { playbooks: () => [unreadPlaybook(file)], prepare: () => prepare(shell, found, chosen) },
  );
};

function prepare(plainShell: Shell, options: LocatedOptions, { summary, known }: ChosenRun): Prepared {
  const { id, playbook: file, outcome } = summary;
  const opened = openedIn(known);
  const shell = inProjectOfRun(plainShell, options, opened);
  assertSameFolder(shell, opened, (folder) => fromAfar(shell, options, folder));
  if (options.env === undefined) assertEnvironmentThere(shell, opened);
  const { playbook, files } = playbookOfRun(shell, opened);
  // A run that has passed is only shown again, so it needs no secrets.
  const acting = outcome === "passed" ? [] : [playbook];
  const secrets = openSecrets(acting, { variables: variablesOf(shell, options), files: filesOf(shell) });
  const job: Job = {
    playbook: { name: playbook.name, file },
    steps: playbook.steps.length,
    work: async (session, ports, { consent }) =>
      resumeRun({ playbook, target: session.target, store: session.store, ports }, id, { files, known, consent }),
    notes: ({ target, store }) =>
      outcome === "passed"
        ? []
        : [...doneSinceNotes(store, summary, opened), ...keptFileNotes(shell, { playbook, opened }, organizationOf(target))],
  };
  return {
    shell,
    secrets,
    jobs: [job],
    consent: async () =>
      consentBefore(shell, options, [
        "look at what you changed, then consent to the rest of the run:",
        command`resume ${id} --yes`,
      ]),
  };
}

/** The run to resume, and its history. */
interface ChosenRun {
  readonly summary: RunSummary;
  readonly known: RunHistory;
}

function openedIn({ records }: RunHistory): RunOpened {
  const { opened } = stateOf(records);
  invariant(opened !== undefined, "a run begins with its opening");
  return opened;
}

// Returns a text that says why there is no run to resume.
function chosenRun(shell: Shell, { run, ...where }: ResumeOptions): ChosenRun | string {
  return lookIntoJournal(shell, where, (store) => {
    const summary = run === undefined ? store.runs.notPassed(1)[0] : store.summary(run.in(store));
    if (summary !== undefined) {
      const known = store.history(summary.id);
      if (run === undefined) assertNotDoneSince(store, summary, openedIn(known));
      return { summary, known };
    }
    if (store.runs.latest(1).length === 0) throw noRunYet();
    const ended = store.losses().length === 0 ? "" : ", or cannot be resumed because somebody accepted the loss of its records";
    return `every run in this state directory has passed${ended}`;
  });
}

// Reports without a run: those of an earlier command would be taken for this one's.
async function nothingToResume(shell: Shell, options: ResumeOptions, why: string): Promise<ExitCode> {
  const reporting = await reportingFor(shell, options);
  const isData = options.json === true || reporting?.takesStdout === true;
  shell[isData ? "stderr" : "stdout"].write(`nothing to resume: ${why}; to list them:\n${shell.hint(command`runs`)}\n`);
  return printReports(shell, { options, reporting, skipped: [] }, [], []);
}

/** The options, and the state that contains the run. */
interface LocatedOptions extends ResumeOptions {
  readonly place: StatePlace;
}

// The run may belong to another project, which has another default state directory.
function folderOf(place: StatePlace): { readonly state?: string } {
  return typeof place === "string" ? { state: place } : {};
}

// The run recorded the working directory relative to its project. Runs of earlier versions belong to the project of the working directory.
function inProjectOfRun(shell: Shell, { place }: LocatedOptions, { folder, playbook: { file } }: RunOpened): ProjectShell {
  const here = projectAt(shell.cwd);
  const usual = shipped.read(file) === undefined ? projectOfFile(shell.cwd, file) : here;
  const isMeant = (project: Project): boolean => folderInProject({ cwd: shell.cwd, project }) === folder;
  const others = typeof place === "string" ? [projectAt(dirname(place))] : [];
  return inProject(shell, [usual, here, ...others].find(isMeant) ?? usual);
}

// In another folder, the relative paths of this command line would name other files.
function fromAfar(shell: ProjectShell, { state, place, dotenv }: LocatedOptions, folder: string): string {
  const usual = stateDirectory(inProjectHere({ ...shell, cwd: folder }), {});
  const options = {
    ...(state !== undefined || place !== usual ? folderOf(place) : {}),
    ...(typeof dotenv === "string" ? { dotenv: resolve(shell.cwd, dotenv) } : {}),
  };
  return Object.entries(options)
    .map(([name, path]) => ` --${name} ${quoted(path)}`)
    .join("");
}

// Suggests no other environment, because the run can only continue in its own.
function assertEnvironmentThere(shell: ProjectShell, { runId: id, target }: RunOpened): void {
  const { environment } = target;
  const { environmentFile: file } = shell.project;
  if (file === undefined || outlineEnvironments(file, shell.cwd).some(({ name }) => name === environment)) return;
  const shown = relative(shell.cwd, file);
  const wasSandbox = isEmbedded(target);
  throw new Failure({
    code: "environment.unknown",
    message: `${shown} has no environment "${environment}", where the run ${id} acts`,
    why: "a run continues only in the environment in which it began, under the same name",
    next: [
      `${wasSandbox ? `add the line "${environment}: embedded" to environments in ${shown}` : `give the environment this name again in ${shown}, as when the run began`}, then continue the run:`,
      command`resume ${id}`,
    ],
  });
}
