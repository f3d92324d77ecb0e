import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { LIMITS } from "../../../base/limits.ts";
import { systemClock } from "../../../base/ports.ts";
import { redactor } from "../../../base/secret.ts";
import { type JobResult, NotNow, type TakenRun } from "../../../fleet/job.ts";
import type { RunQueue } from "../../../fleet/queue.ts";
import type { SubmittedRun } from "../../../fleet/submitted-run.ts";
import type { Log } from "../../../schedule/log.ts";
import { type WorkerLoad, WorkerMetrics } from "../../../schedule/metrics.ts";
import type { ListenAddress } from "../../../serving/server.ts";
import { Alarms } from "../../fleet/alarms.ts";
import { SubmittedRuns } from "../../fleet/carry-out.ts";
import { OldestUnknown } from "../../fleet/oldest-unknown.ts";
import { openQueue } from "../../fleet/open-queue.ts";
import { serverOf } from "../../project/state-server.ts";
import { inProjectHere } from "../../project/chosen-project.ts";
import type { Dotenv } from "../../project/state-place.ts";
import { assertMoved } from "../../runs/not-moved.ts";
import { peekIntoJournal } from "../../runs/open-journal.ts";
import { slots } from "../../runs/run-queue.ts";
import { logOf, pageOf, warnOfEmptyState } from "../../schedule/long-running.ts";
import { type Command, untilStopped } from "../../shell.ts";

interface WorkerOptions extends Dotenv {
  readonly jobs: number;
  readonly labels?: readonly string[];
  readonly listen?: ListenAddress;
  readonly json?: boolean;
}

const DEFAULT_LABEL = "default";

/** `tokenbook worker`: takes submitted runs from the queue until it is stopped. */
export const worker: Command<WorkerOptions> = async (plainShell, options): Promise<ExitCode> => {
  const shell = inProjectHere(plainShell);
  const place = serverOf(shell, options);
  assertMoved(shell, place);
  const log = logOf(shell, options.json);
  warnOfEmptyState(shell, place, log);
  const labels = options.labels ?? [DEFAULT_LABEL];
  const unknown = new OldestUnknown();
  const metrics = new WorkerMetrics(() => loadOf(queue, () => peekIntoJournal(place, (store) => unknown.ageIn(store))));
  // The stack closes all parts in reverse order, even if a later part cannot be opened. A part that stays open keeps the process alive.
  await using open = new AsyncDisposableStack();
  const alarms = open.adopt(Alarms.open(shell, { place, where: options, log, metrics }), (each) => each.close());
  const late = new AbortController();
  const runs = open.adopt(
    new SubmittedRuns({ ...shell, stopping: () => late.signal }, options, (...ended) => void alarms.ended(...ended)),
    (each) => each.close(),
  );
  const say = onNews((why) => log("warn", "worker.queue", why));
  const queue = open.adopt(await openQueue(place, say), (each) => each.stop(LIMITS.workerDrainMs));
  open.defer(() => late.abort());
  const stopping = shell.stopping();
  let takesRuns = false;
  let [isStateAway, isQueueAway] = [false, false];
  const notReady = (): string | undefined => {
    if (stopping.aborted) return "stopping";
    if (isStateAway || isQueueAway) return "the database cannot be used now";
    return takesRuns ? undefined : "not begun";
  };
  const page = await pageOf(options.listen, { metrics, notReady }, { log, event: "worker.listening" });
  open.defer(() => page?.close());
  const over = new AbortController();
  const isOver = AbortSignal.any([stopping, over.signal]);
  const [askState, askQueue] = [unlessAway(log), unlessAway(log)];
  const upkeep = eachSecond(isOver, async () => {
    isStateAway = !(await askState(async () => {
      await alarms.deliver();
      await runs.releaseAbandoned();
      await runs.assertWhole();
    }));
  });
  // This loop is never awaited: on a connection that hangs, a query of the queue takes half a minute, and the next one may hang too.
  void eachSecond(isOver, async () => {
    isQueueAway = !(await askQueue(async () => {
      for (const { run, result } of await queue.givenUp())
        if (alarms.ended(run, result, { redact: redactor([]) }))
          log("error", "run.given-up", result.problem?.message ?? run.playbook, { ...aboutRun(run), ...result });
    }));
  });
  open.defer(() => {
    over.abort();
    return upkeep;
  });
  const inSlot = await slots(options.jobs);
  await queue.work(labels, options.jobs, (run) => inSlot(() => carryOut(runs, run, { log, stopping })));
  takesRuns = true;
  log("info", "worker.started", `takes up to ${options.jobs} runs at a time of ${labels.join(", ")}`, {
    labels,
    jobs: options.jobs,
  });
  await untilStopped(stopping);
  log("info", "worker.stopping", `takes no more runs; those under way may continue for ${LIMITS.scheduleGraceMs / 1_000} s`);
  const grace = setTimeout(() => late.abort(), LIMITS.scheduleGraceMs);
  await queue.stop(LIMITS.scheduleGraceMs + LIMITS.workerDrainMs);
  clearTimeout(grace);
  await upkeep;
  await askState(() => alarms.drain());
  log("info", "worker.stopped", "stopped");
  return EXIT.passed;
};

// While the database is unavailable, the queue repeats its query, and each fails with the same message. We log it only once.
function onNews(say: (why: string) => void): (why: string) => void {
  let last = "";
  return (why) => {
    if (why !== last) say(why);
    last = why;
  };
}

async function eachSecond(stopping: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!stopping.aborted) {
    await work();
    await systemClock.sleep(LIMITS.schedulePollMs, stopping);
  }
}

// Returns a function that does work, and returns whether it was done. If the database cannot be used, any worker does the work when it can. Work that fails
// again and again for the same reason is logged once.
function unlessAway(log: Log): (work: () => Promise<void>) => Promise<boolean> {
  let last: string | undefined;
  return async (work) => {
    try {
      await work();
      last = undefined;
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.message !== last) log("warn", "worker.database", error.message);
      last = error.message;
      return false;
    }
  };
}

function aboutRun({ playbook, environment, key }: SubmittedRun): Readonly<Record<"playbook" | "environment" | "key", string>> {
  return { playbook, environment, key };
}

async function carryOut(
  runs: SubmittedRuns,
  run: TakenRun,
  { log, stopping }: { readonly log: Log; readonly stopping: AbortSignal },
): Promise<JobResult> {
  if (stopping.aborted) throw new NotNow("the worker is stopping");
  const about = aboutRun(run);
  const startedAt = systemClock.elapsed();
  log("info", "run.started", `${run.playbook} (${run.environment}): started, submitted by ${run.submittedBy}`, about);
  try {
    const result = await runs.carryOut(run);
    const level = result.exit === EXIT.passed ? "info" : result.run === null ? "error" : "warn";
    const what = result.problem === null ? `${result.outcome}, run ${result.run}` : `not run: ${result.problem.message}`;
    const durationMs = Math.round(systemClock.elapsed() - startedAt);
    log(level, "run.ended", `${run.playbook} (${run.environment}): ${what}`, { ...about, ...result, durationMs });
    return result;
  } catch (error) {
    if (error instanceof NotNow)
      log("info", "run.returned", `${run.playbook} (${run.environment}): returned to the queue: ${error.message}`, about);
    throw error;
  }
}

async function loadOf(queue: RunQueue, oldestUnknownMs: () => number): Promise<WorkerLoad> {
  const [labels, workers] = await Promise.all([queue.load(), queue.workers()]);
  return { labels, workers, oldestUnknownSeconds: oldestUnknownMs() / 1_000 };
}
