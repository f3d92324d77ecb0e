import { join, relative } from "node:path";
import type { ExitCode } from "../../base/exit.ts";
import { Failure, invariant } from "../../base/failure.ts";
import { quoted } from "../../base/text.ts";
import { resumeRun } from "../../engine/start.ts";
import { findEnvironmentFile, outlineEnvironments } from "../../environment/load.ts";
import { EMBEDDED_ADDRESS } from "../../environment/target.ts";
import type { History } from "../../journal/chain.ts";
import type { RunSummary } from "../../journal/store.ts";
import { openSecrets } from "../../playbook/open.ts";
import type { RunOpened } from "../../protocol/record.ts";
import { stateOf } from "../../protocol/state.ts";
import { lookIntoJournal, noRunYet } from "../journal.ts";
import { type Job, performRuns, type Prepared, type ReportOptions } from "../perform.ts";
import { filesOf, folderInProject, loadPlaybooks, projectFolder, variablesOf, type Where } from "../project.ts";
import { shipped } from "../shipped.ts";
import type { Command, Shell } from "../shell.ts";

interface ResumeOptions extends Where, ReportOptions {
  readonly run?: string;
}

/** `tokenbook resume`: goes on with a run; without a name, with the last one that did not pass. */
export const resume: Command<ResumeOptions> = async (shell, options): Promise<ExitCode> => {
  const chosen = chosenRun(shell, options);
  const { playbook: file, environment } = chosen.summary;
  return performRuns(
    shell,
    { ...options, env: options.env ?? environment, jobs: 1 },
    { playbooks: () => [{ name: file, file }], prepare: () => prepare(shell, options, chosen) },
  );
};

function prepare(shell: Shell, options: ResumeOptions, { summary, known }: Chosen): Prepared {
  const { id, playbook: file, outcome } = summary;
  const { opened } = stateOf(known.records);
  invariant(opened !== undefined, "a run begins with its opening");
  assertSameFolder(shell, opened);
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
  return { secrets, jobs: [job] };
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

// A file of the same name may lie here too, and is another playbook.
function assertSameFolder(shell: Shell, { runId, folder: before, playbook: { file } }: RunOpened): void {
  const now = folderInProject(shell);
  if (before === undefined || now === undefined || before === now || shipped.read(file) !== undefined) return;
  const way = relative(shell.cwd, join(projectFolder(shell), before));
  throw new Failure({
    code: "resume.other-folder",
    message: `the run ${runId} began in the folder ${before} of this project, and this is ${now}`,
    why: `its playbook is ${file} as seen from there`,
    next: `cd ${quoted(way)} && tokenbook resume ${runId}`,
  });
}

// That of the run itself: another in its place would be refused, so none is offered.
function assertEnvironmentThere(shell: Shell, { runId: id, target: { environment, ledger, investor } }: RunOpened): void {
  const file = findEnvironmentFile(shell.cwd);
  if (file === undefined || outlineEnvironments(file, shell.cwd).some(({ name }) => name === environment)) return;
  const shown = relative(shell.cwd, file);
  const wasSandbox = [ledger, investor].includes(EMBEDDED_ADDRESS);
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
