import type { ExitCode } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { resumeRun } from "../../engine/start.ts";
import { noSuchRun, type RunSummary } from "../../journal/store.ts";
import type { FileData } from "../../playbook/files.ts";
import { openSecrets } from "../../playbook/open.ts";
import { stateOf } from "../../protocol/state.ts";
import { lookIntoJournal, noRunYet } from "../journal.ts";
import { performRuns, type ReportOptions } from "../perform.ts";
import { filesOf, loadPlaybooks, variablesOf, type Where } from "../project.ts";
import type { Command, Shell } from "../shell.ts";

interface ResumeOptions extends Where, ReportOptions {
  readonly run?: string;
}

const RUNS_LOOKED_AT = 1_000;

/** `tokenbook resume`: goes on with a run; without a name, with the last one that did not pass. */
export const resume: Command<ResumeOptions> = async (shell, options): Promise<ExitCode> => {
  const { summary, data } = chosenRun(shell, options);
  const { id, playbook: file, environment, outcome } = summary;
  const reader = { ...filesOf(shell), data: { ...data, [file]: {} } };
  const [playbook] = loadPlaybooks(shell, [file], { reader });
  const env = options.env ?? environment;
  // What has passed is only told again.
  const acting = playbook === undefined || outcome === "passed" ? [] : [playbook];
  const secrets = openSecrets(acting, { variables: variablesOf(shell, options), files: filesOf(shell) });
  return performRuns(shell, { ...options, env, jobs: 1, secrets }, [
    {
      label: id,
      steps: playbook?.steps.length ?? 0,
      work: async (session, ports) => {
        if (playbook === undefined) throw noneToResume();
        return resumeRun({ playbook, target: session.target, store: session.store, ports }, id, reader);
      },
    },
  ]);
};

/** A run that is to go on, and what its included playbooks have from files of data. */
interface Chosen {
  readonly summary: RunSummary;
  readonly data: FileData | undefined;
}

function chosenRun(shell: Shell, options: ResumeOptions): Chosen {
  return lookIntoJournal(shell, options, (store) => {
    const summary = chosenOf(store.list(RUNS_LOOKED_AT), options);
    return { summary, data: stateOf(store.read(summary.id)).opened?.data };
  });
}

function chosenOf(runs: readonly RunSummary[], options: ResumeOptions): RunSummary {
  const named = options.run;
  const found = named === undefined ? runs.find(({ outcome }) => outcome !== "passed") : runs.find(({ id }) => id === named);
  if (found !== undefined) return found;
  if (named === undefined) throw runs.length === 0 ? noRunYet() : noneToResume();
  throw noSuchRun(
    named,
    runs.map(({ id }) => id),
  );
}

function noneToResume(): Failure {
  return new Failure({ code: "resume.nothing", message: "every run in this state directory has passed", next: "tokenbook runs" });
}
