import { command } from "../../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { unlessArchived } from "../../../journal/archives/archives.ts";
import type { RunSummary } from "../../../journal/run-summary.ts";
import { oneLine } from "../../../report/formats/foreign-text.ts";
import { releaseSilent } from "../../../engine/run/release-run.ts";
import { notWaiting } from "../../../fleet/queue-failures.ts";
import { askQueue } from "../../fleet/open-queue.ts";
import { inProjectHere } from "../../project/chosen-project.ts";
import type { MemoryOptions, Where } from "../../project/state-place.ts";
import { serverOf } from "../../project/state-server.ts";
import { changeJournal, peekIntoJournal, type RunsOptions } from "../../runs/open-journal.ts";
import { noteMore, printData, printLines } from "../../print/result.ts";
import type { Command, Shell } from "../../shell.ts";
import { heldBy, heldWords } from "./runs.ts";

interface QueuedOptions extends RunsOptions {
  readonly limit: number;
  readonly json?: boolean;
}

/** `tokenbook runs --queued`: lists the submitted runs that are waiting or running, the earliest first, and the workers that run them. */
export const listQueued: Command<QueuedOptions> = async (plainShell, options): Promise<ExitCode> => {
  if (options.archive !== undefined) {
    throw new Failure({
      code: "archive.no-queue",
      message: "submitted runs that have not ended are in no archive",
      next: "leave out --queued, or --archive",
    });
  }
  const shell = inProjectHere(plainShell);
  const place = serverOf(shell, options);
  const { runs: queued, total } = await askQueue(shell, place, (queue) => queue.queued(options.limit));
  const runs = peekIntoJournal(place, (store) =>
    queued.map(({ job, label, playbook, environment, key, submittedBy, submittedAt, isTaken, returned = null }) => {
      const { id: run = null, held } = unlessArchived(() => store.withKey(key)) ?? {};
      const about = { label, playbook, environment, key, submittedBy, submittedAt: submittedAt.toISOString() };
      return { id: job.id, ...about, state: isTaken ? "under way" : "waiting", returned, run, heldBy: heldBy(held) };
    }),
  );
  if (options.json === true) return printData(shell, { total, queued: runs });
  const lines = runs.flatMap(({ label, playbook, environment, key, submittedBy, submittedAt, state, returned, heldBy: by }) => {
    const line = `${submittedAt}  ${state.padEnd(9)}  label ${label}  ${environment}  ${playbook}  key ${key}  submitted by ${submittedBy}${heldWords(by)}`;
    return [
      oneLine(line, Infinity),
      ...(returned === null ? [] : [`    was returned to the queue: ${oneLine(returned, Infinity)}`]),
    ];
  });
  printLines(shell, lines, "no submitted run waits or is under way");
  noteMore(shell, runs.length, total);
  return EXIT.passed;
};

interface WithdrawOptions extends MemoryOptions {
  readonly key: string;
}

/** `tokenbook runs withdraw KEY`: withdraws a submitted run that no worker has taken. */
export const withdraw: Command<WithdrawOptions> = async (plainShell, options): Promise<ExitCode> => {
  const shell = inProjectHere(plainShell);
  const place = serverOf(shell, options);
  const run = peekIntoJournal(place, (store) => unlessArchived(() => store.withKey(options.key)));
  const withdrawn = await askQueue(shell, place, (queue) => queue.withdraw(options.key));
  const left = run && (await leftRun(shell, options, run));
  // If a withdrawal was killed before it took the run from its worker, this one did it.
  if (withdrawn.length === 0 && left?.wasReleased !== true) throw notWaiting(options.key);
  if (options.json === true) {
    const all = withdrawn.map(({ label, playbook, environment, key }) => ({ label, playbook, environment, key }));
    return printData(shell, { withdrawn: all, run: run?.id ?? null, heldBy: left?.heldBy ?? null });
  }
  for (const { label, playbook, environment, key } of withdrawn)
    shell.stdout.write(`${oneLine(`withdrawn: label ${label}  ${environment}  ${playbook}  key ${key}`, Infinity)}\n`);
  if (run !== undefined)
    shell.stdout.write(`its run ${run.id} ${left?.words}; to see it: ${shell.hint(command`runs show ${run.id}`)}\n`);
  return EXIT.passed;
};

interface LeftRun {
  readonly heldBy: ReturnType<typeof heldBy>;
  readonly words: string;
  readonly wasReleased: boolean;
}

// A worker that was frozen or cut off has lost the job, but not its run, which it would continue when it is back. So the run is taken from it. The run is withdrawn whatever
// happens here: the database may go away, and a failure would look as if nothing was changed.
async function leftRun(shell: Shell, where: Where, { id }: RunSummary): Promise<LeftRun> {
  try {
    return await changeJournal(shell, where, async (store) => {
      const wasReleased = await releaseSilent(store, id);
      const by = heldBy(store.summary(id).held);
      const words = by === null ? "has begun and stays as it is" : `is${heldWords(by)}, which may continue it`;
      return { heldBy: by, words, wasReleased };
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return {
      heldBy: null,
      wasReleased: false,
      words: `has begun, and a process that holds it may continue it (${oneLine(error.message, Infinity)})`,
    };
  }
}
