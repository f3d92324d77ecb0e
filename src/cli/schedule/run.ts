import { EXIT } from "../../base/exit.ts";
import { Failure, type KeptFailure } from "../../base/failure.ts";
import { systemClock, systemRandom } from "../../base/ports.ts";
import { masked, type Redact, redactor, type Secret } from "../../base/secret.ts";
import { organizationOf, type Target } from "../../environment/target.ts";
import { releaseLapsed } from "../../engine/run/release-run.ts";
import { newRunName } from "../../engine/run/run-names.ts";
import { type Beginning, startRun } from "../../engine/run/start-run.ts";
import { keptExchanges } from "../../exchanges/exchange-store.ts";
import type { KeptExchange } from "../../exchanges/kept.ts";
import { inOrganization } from "../../playbook/inputs/given-inputs.ts";
import { isLoss } from "../../journal/loss.ts";
import { JournalStore } from "../../journal/store.ts";
import { exitOf } from "../../protocol/decide.ts";
import type { RunOutcome, RunRecord } from "../../protocol/record.ts";
import { reportOf, RunFold } from "../../report/model.ts";
import type { Trace } from "../../report/otlp/trace.ts";
import type { RunReport } from "../../report/shape.ts";
import type { ReportedRun } from "../../report/reported-run.ts";
import type { MakeRun, Scheduled } from "../../schedule/carrier.ts";
import { isBroken } from "../../journal/chain.ts";
import { mayPass } from "../../sql/failure.ts";
import type { StatePlace } from "../../sql/place.ts";
import type { Released, RunResult } from "../../schedule/firing.ts";
import { consentBefore, type ConsentOption } from "../runs/consent.ts";
import { lookIntoJournal } from "../runs/open-journal.ts";
import { formatUnforeseen, keptError } from "../print/failure.ts";
import { maskedError } from "../print/masked.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { folderInProject, statePlace, type Where } from "../project/state-place.ts";
import { loadPlaybooks } from "../project/load-playbooks.ts";
import { preparePlaybooks } from "../runs/prepare-playbooks.ts";
import { openedElsewhere } from "../project/open-target.ts";
import { Pacer } from "../runs/run-queue.ts";
import type { Reporting } from "../reporting/reporting.ts";
import { openSession, type Shared } from "../runs/session.ts";
import type { Shell } from "../shell.ts";
import { blockingIn, type EntrySource } from "./entry.ts";
import type { OnFile, WhichOptions } from "./playbooks.ts";

/** What all runs of a scheduler share. */
export interface RunsOf {
  /** The options of the command that serves the schedule. */
  readonly options: WhichOptions & ConsentOption;
  /** The target, which is open as long as the scheduler runs. */
  readonly target: Target;
  /** The inputs that at least one playbook declares. */
  readonly inputs: readonly string[];
  /** The secrets of channels, which are also masked in the records of runs. */
  readonly listenerSecrets: readonly Secret[];
  /** How runs are reported. */
  readonly reporting: Reporting;
  /** Called with each run after it has ended. */
  readonly onRun: (run: ReportedRun, scheduled: Scheduled) => Promise<void>;
}

/** Returns a function that runs a playbook as its file is now. It reads and checks the file again, and provides inputs and secrets. */
export function runMaker(shell: ProjectShell, { options, target, inputs, listenerSecrets, reporting, onRun }: RunsOf): MakeRun {
  // All runs share one sandbox and one pacer. The addresses and keys of a service are read again for each run.
  const shared: Shared = {
    opened: target.embedded ? openedElsewhere(target) : undefined,
    pacer: target.pacing === undefined ? undefined : new Pacer(target.pacing),
  };
  return async (scheduled, { signal, begun, admit, released }) => {
    const { file } = scheduled as OnFile;
    const fold = new RunFold();
    let trace: Trace | undefined;
    const reported = async (): Promise<RunReport | undefined> => {
      if (fold.opened === undefined) return undefined;
      const report = fold.report();
      const records = (): readonly RunRecord[] => lookIntoJournal(shell, options, (store) => store.read(report.run.id));
      const exchanges = (): Iterable<KeptExchange> => keptExchanges(statePlace(shell, options), report.run.id);
      await onRun({ report, records, trace, exchanges }, scheduled);
      return report;
    };
    let redact: Redact = redactor([]);
    const found: string[] = [];
    try {
      const reading: ProjectShell = { ...shell, stderr: { ...shell.stderr, write: (text) => void found.push(text) } };
      const playbooks = loadPlaybooks(reading, [file]);
      const { ready, secrets } = preparePlaybooks(reading, options, playbooks, { others: inputs });
      await using session = await openSession(
        { ...shell, stopping: () => signal },
        options,
        secrets.with(listenerSecrets),
        shared,
      );
      ({ redact } = session);
      trace = reporting.trace(session);
      const outcome = await session.carry(
        fold,
        async (ports): Promise<RunOutcome> => {
          const [{ playbook, inputs: values, env }] = ready as readonly [(typeof ready)[number]];
          const name = newRunName(systemClock.now(), systemRandom);
          begun(name.runId);
          const given = { inputs: inOrganization(playbook, values, organizationOf(session.target)), env };
          const folder = folderInProject(shell);
          const parts = { playbook, target: session.target, store: session.store, ports, folder };
          return startRun(parts, given, name, {
            admit,
            anyway: excuseOf(released),
            consent: consentBefore(shell, options, "consent to all scheduled runs: repeat the command with --yes"),
          });
        },
        trace,
      );
      return { outcome, exit: exitOf(outcome), report: await reported(), problem: undefined };
    } catch (error) {
      const { problem, ...result } = notRun(maskedError(error, redact), found, shell);
      const startsLater = fold.opened === undefined && mayPass(error);
      return { ...result, problem: masked(problem, redact) as KeptFailure, report: await reported(), startsLater };
    }
  };
}

// Whoever releases a schedule takes responsibility for the writes that its runs left open, and for nothing else.
function excuseOf(released: readonly Released[]): Beginning["anyway"] {
  const says = [...new Set(released.map((each) => each.says))];
  return { who: "tokenbook schedule release", because: says.join("; "), runs: released.map(({ runId }) => runId) };
}

// A run that could not continue is a failed firing, and so is a run that met a bug in tokenbook. Other schedules are not affected.
function notRun(
  error: unknown,
  found: readonly string[],
  shell: Shell,
): Omit<RunResult, "report"> & { readonly problem: KeptFailure } {
  if (error instanceof Failure) {
    const { exit } = error;
    const isStop = exit === EXIT.interrupted;
    const isCheck = error.code === "check.failed";
    const problem: KeptFailure = isCheck ? { ...error.toJSON(), why: found.join("").trimEnd() } : error.toJSON();
    return { outcome: isStop ? "interrupted" : "failed", exit, problem };
  }
  shell.stderr.write(formatUnforeseen(error, "this run has sent nothing more"));
  return { outcome: "failed", exit: EXIT.bug, problem: keptError(error) };
}

/**
 * Takes a run away from the process that served its firing and seems dead. If that process is still alive, it cannot write any more. A server may have lost
 * records: the scheduler then continues, and the runs that it makes do not begin.
 */
export function fenceRun(state: StatePlace, runId: string): void {
  using store = JournalStore.existing(state);
  try {
    releaseLapsed(store, runId);
  } catch (error) {
    if (!isLoss(error) && !isBroken(error)) throw error;
    store.leases.release(store.leases.takeOver(runId), true); // nothing is added to a journal without all its records
  }
}

/**
 * Returns the run in the journal that needs attention before the playbook writes again, if any. If records of the journal are lost, returns nothing: the run
 * that is made then does not begin, and its firing shows why.
 */
export function blockingRun(shell: Shell, options: Where): EntrySource["blocking"] {
  return (asked) => {
    try {
      return lookIntoJournal(shell, options, (store) => blockingIn(store, asked));
    } catch (error) {
      if (isLoss(error)) return undefined;
      throw error;
    }
  };
}

/** Returns the report of a run from the journal. If the journal cannot be read, returns nothing: the next run will fail and show why. */
export function reportOfRun(shell: Shell, options: WhichOptions, runId: string): RunReport | undefined {
  try {
    return lookIntoJournal(shell, options, (store) => (store.knows(runId) ? reportOf(store.read(runId)) : undefined));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
