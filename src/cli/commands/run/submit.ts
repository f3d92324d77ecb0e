import { randomUUID } from "node:crypto";
import { command, completedAdvice } from "../../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { writeJson } from "../../../base/json/json.ts";
import { LIMITS } from "../../../base/limits.ts";
import { systemClock } from "../../../base/ports.ts";
import { onOneLine, quoted } from "../../../base/text/text.ts";
import { digestWithData } from "../../../engine/run/plan-steps.ts";
import { type EnvironmentOutline, outlineEnvironments } from "../../../environment/load.ts";
import type { JobResult } from "../../../fleet/job.ts";
import type { RunQueue, SubmittedJob } from "../../../fleet/queue.ts";
import type { SubmittedRun } from "../../../fleet/submitted-run.ts";
import { askQueue } from "../../fleet/open-queue.ts";
import { alikeNote } from "../../fleet/submitted.ts";
import { assertMoved } from "../../runs/not-moved.ts";
import { serverOf } from "../../project/state-server.ts";
import { assertJournalWhole } from "../../runs/open-journal.ts";
import { unfinishedNote } from "../../runs/done-since.ts";
import { inProjectOf, type ProjectShell } from "../../project/chosen-project.ts";
import { folderInProject, pathInProject } from "../../project/state-place.ts";
import { loadPlaybooks, playbookFiles } from "../../project/load-playbooks.ts";
import { JournalStore } from "../../../journal/store.ts";
import type { StatePlace } from "../../../sql/place.ts";
import { inOrganization } from "../../../playbook/inputs/given-inputs.ts";
import { nextOf } from "../../../report/text.ts";
import type { ConsentOption } from "../../runs/consent.ts";
import { assertOneKey } from "../../runs/one-key.ts";
import { worst } from "../../runs/perform.ts";
import { type InputOptions, preparePlaybooks } from "../../runs/prepare-playbooks.ts";
import { type Command, type Shell, userOf } from "../../shell.ts";
import { printData } from "../../print/result.ts";
import { nextLines } from "../../../report/problem.ts";
import type { ReadyPlaybook } from "../../../planner/given.ts";

interface SubmitOptions extends InputOptions, ConsentOption {
  readonly env?: string;
  readonly key?: string;
  readonly label: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

interface Submitted extends SubmittedJob {
  readonly run: SubmittedRun;
}

/** `tokenbook submit`: checks playbooks and submits their runs to the queue, from which workers take them. */
export const submit: Command<SubmitOptions> = async (plainShell, options): Promise<ExitCode> => {
  const named = playbookFiles(plainShell, options.files);
  const shell = inProjectOf(plainShell, named.files);
  const place = serverOf(shell, options);
  assertMoved(shell, place);
  const checked = loadPlaybooks(shell, named.files, { tags: options.tags });
  assertOneKey(options.key, checked.length, "submit");
  const { ready } = preparePlaybooks(shell, options, checked, { named, leavesSecrets: true });
  const acts = environmentOf(shell, options);
  const runs = ready.map((each) => submittedRun(shell, options, each, acts.name));
  // The key is printed first: however this command ends, the key leads to the run.
  if (options.key === undefined)
    for (const { playbook, key } of runs) shell.stderr.write(`tokenbook: the key of ${onOneLine(playbook)} is ${key}\n`);
  return askQueue(shell, place, async (queue) => {
    noteUnfinished(shell, place, options, { ready, acts });
    if (options.key === undefined) await noteAlike(shell, queue, runs);
    const all = await submitAll(shell, options, runs, queue);
    await assertStays(place, queue, all);
    return options.wait === true ? printOutcomes(shell, options, all, queue) : printSubmitted(shell, options, all);
  });
};

// If the key already names a run, that run is resumed, so nothing is noted.
function noteUnfinished(
  shell: ProjectShell,
  place: StatePlace,
  { key }: SubmitOptions,
  { ready, acts }: { readonly ready: readonly ReadyPlaybook[]; readonly acts: ActsIn },
): void {
  using store = JournalStore.look(place);
  if (store === undefined || (key !== undefined && store.withKey(key) !== undefined)) return;
  const folder = folderInProject(shell);
  for (const { playbook, inputs: given } of ready) {
    const inputs = inOrganization(playbook, given, acts.organization);
    const begins = { playbook, folder, environment: acts.name, inputs };
    for (const note of unfinishedNote(store, shell.hint, begins)) shell.stderr.write(`${note}\n`);
  }
}

async function noteAlike(shell: Shell, queue: RunQueue, runs: readonly SubmittedRun[]): Promise<void> {
  for (const run of runs) for (const note of await alikeNote(queue, shell.hint, run)) shell.stderr.write(`${note}\n`);
}

async function submitAll(
  shell: ProjectShell,
  options: SubmitOptions,
  runs: readonly SubmittedRun[],
  queue: RunQueue,
): Promise<readonly Submitted[]> {
  const all: Submitted[] = [];
  try {
    for (const run of runs) all.push({ ...(await queue.submit(options.label, run)), run });
    return all;
  } catch (error) {
    printSubmitted(shell, options, all); // these are in the queue although a later one failed
    throw error;
  }
}

// A move of the state that began in the meantime may have seen no job, and nobody would take the runs from the place that was left.
async function assertStays(place: StatePlace, queue: RunQueue, all: readonly Submitted[]): Promise<void> {
  try {
    assertJournalWhole(place);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await queue.refuse(all, error);
  }
}

type ActsIn = Pick<EnvironmentOutline, "name" | "organization">;

// A worker finds out whether there is an environment of that name.
function environmentOf({ cwd, project: { environmentFile: file } }: ProjectShell, { env }: SubmitOptions): ActsIn {
  const all = file === undefined ? [] : outlineEnvironments(file, cwd);
  const found = env === undefined ? all[0] : all.find(({ name }) => name === env);
  return found ?? { name: env ?? "", organization: undefined };
}

function submittedRun(
  shell: ProjectShell,
  options: SubmitOptions,
  { playbook, inputs, env }: ReadyPlaybook,
  environment: string,
): SubmittedRun {
  return {
    playbook: pathInProject(shell, playbook),
    environment,
    key: options.key ?? `submitted-${randomUUID()}`,
    digest: digestWithData(playbook),
    inputs: writeJson(inputs),
    env,
    confirmed: options.yes === true ? { who: userOf(shell), how: "yes" } : null,
    submittedBy: userOf(shell),
  };
}

function printSubmitted(shell: Shell, { label, json }: SubmitOptions, all: readonly Submitted[]): ExitCode {
  if (json === true) {
    const jobs = all.map(({ id, run: { playbook, environment, key } }) => ({ id, label, playbook, environment, key }));
    return printData(shell, { jobs });
  }
  for (const { id, run } of all) shell.stdout.write(`${id}  ${onOneLine(run.playbook)}  ${run.environment}  label ${label}\n`);
  return EXIT.passed;
}

async function printOutcomes(
  shell: Shell,
  options: SubmitOptions,
  all: readonly Submitted[],
  queue: RunQueue,
): Promise<ExitCode> {
  const outcomes: { readonly id: string; readonly playbook: string; readonly result: JobResult }[] = [];
  for (const [at, { id, run }] of all.entries()) {
    const result = await outcomeOf(shell, queue, options.label, id);
    if (result === undefined) {
      shell.stderr.write(interruptedText(all.slice(at)));
      return EXIT.interrupted;
    }
    outcomes.push({ id, playbook: run.playbook, result });
    if (options.json !== true) shell.stdout.write(outcomeLines(shell, run.playbook, result));
  }
  if (options.json === true) {
    const jobs = outcomes.map(({ id, playbook, result }) => ({ id, playbook, ...result }));
    printData(shell, { jobs });
  }
  return worst(outcomes.map(({ result }) => result.exit as ExitCode));
}

// With its key, the same command waits for the same run. Without the key, it would submit a second run.
function interruptedText(left: readonly Submitted[]): string {
  const again = left.map(
    ({ run }) => `  to wait for ${run.playbook}: submit it with the same options and --key ${quoted(run.key)}\n`,
  );
  return ["interrupted; the runs stay in the queue\n", ...again].join("");
}

async function outcomeOf(shell: Shell, queue: RunQueue, label: string, id: string): Promise<JobResult | undefined> {
  const stopping = shell.stopping();
  let isAway = false;
  while (!stopping.aborted) {
    try {
      const result = await queue.outcome(label, id);
      if (result !== undefined) return result;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "queue.unusable") throw error;
      if (!isAway)
        shell.stderr.write(
          `tokenbook: ${error.message}; the runs stay in the queue, and tokenbook waits until the database answers\n`,
        );
      isAway = true;
    }
    await systemClock.sleep(LIMITS.submittedPollMs, stopping);
  }
  return undefined;
}

function outcomeLines(shell: Shell, playbook: string, { run, outcome, problem }: JobResult): string {
  if (problem === null) {
    const id = run ?? "RUN";
    const isDone = outcome === null || outcome === "passed";
    const { words, command: typed } = isDone
      ? { words: "to see it", command: command`runs show ${id}` }
      : nextOf({ id, outcome });
    return `${playbook}: ${outcome}; ${words}: ${shell.hint(typed)}\n`;
  }
  const next = problem.next === undefined ? [] : nextLines(completedAdvice(problem.next, shell.hint));
  return [`${playbook}: not run: ${problem.code}`, ...[problem.message, ...next].map((line) => `  ${line}`), ""].join("\n");
}
