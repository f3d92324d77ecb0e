import { command } from "../../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { getOrInsert } from "../../../base/maps.ts";
import { systemClock } from "../../../base/ports.ts";
import { type Redact, redactor } from "../../../base/secret.ts";
import { type Listeners, secretsOfListeners } from "../../../environment/notifications.ts";
import { secretsOf } from "../../../environment/target.ts";
import type { NotBegun } from "../../../report/shape.ts";
import type { ReportRequest } from "../../../report/formats/format.ts";
import type { ReportedRun } from "../../../report/reported-run.ts";
import type { MakeRun, Parts, Scheduled } from "../../../schedule/carrier.ts";
import { Courier, type CourierPorts } from "../../../schedule/notify/courier.ts";
import { Heartbeat } from "../../../schedule/notify/heartbeat.ts";
import type { StartCommand } from "../../../schedule/notify/deliver.ts";
import type { Log } from "../../../schedule/log.ts";
import { Metrics } from "../../../schedule/metrics.ts";
import { reportOutage } from "../../../schedule/notify/report-outage.ts";
import { reportNotServed } from "../../../schedule/not-served.ts";
import { runNow } from "../../../schedule/once.ts";
import type { ListenAddress } from "../../../serving/server.ts";
import { Scheduler } from "../../../schedule/service.ts";
import { ScheduleStore } from "../../../schedule/store.ts";
import { notBegunBy, unreadPlaybook } from "../../project/check-failure.ts";
import type { ConsentOption } from "../../runs/consent.ts";
import type { ProjectShell } from "../../project/chosen-project.ts";
import { assertMoved } from "../../runs/not-moved.ts";
import { assertJournalWhole, assertNothingLost } from "../../runs/open-journal.ts";
import { maskedShell } from "../../print/masked.ts";
import { type ReportOptions, worst } from "../../runs/perform.ts";
import { showMissing } from "../../reporting/missing.ts";
import { prepareReporting, type Reporting, takesStdout } from "../../reporting/reporting.ts";
import { openTarget, type OpenTarget } from "../../project/open-target.ts";
import { statePlace } from "../../project/state-place.ts";
import { inParallel, slots } from "../../runs/run-queue.ts";
import { variablesForCommands } from "../../schedule/command-variables.ts";
import { listenersOf, logOf, pageOf, warnOfEmptyState } from "../../schedule/long-running.ts";
import {
  filesNamed,
  inScheduledProject,
  knownUnread,
  type ReadPlaybooks,
  readScheduled,
  scheduledUnread,
  tickingOf,
  WatchedPlaybooks,
  type WhichOptions,
} from "../../schedule/playbooks.ts";
import { blockingRun, fenceRun, reportOfRun, runMaker, type RunsOf } from "../../schedule/run.ts";
import type { Command } from "../../shell.ts";

interface ScheduleOptions extends WhichOptions, ConsentOption, Omit<ReportOptions, "debug"> {
  readonly jobs: number;
  readonly once?: boolean;
  readonly listen?: ListenAddress;
  readonly notify?: readonly string[];
}

/** `tokenbook schedule`: fires playbooks at their ticks until it is stopped. With `--once`, runs each of them now. */
export const schedule: Command<ScheduleOptions> = async (anyShell, given) => {
  if (given.files.length === 0) throw noFiles();
  const plainShell = inScheduledProject(anyShell, given);
  const { read, listeners, ...prepared } = await prepare(plainShell, given);
  const { all, inputs } = read;
  await using opened = prepared.opened;
  const { target } = opened;
  // The id of each schedule contains the environment. So all runs stay in it, even if another environment becomes the first in tokenbook.yaml.
  const options: ScheduleOptions = { ...given, env: target.environment };
  const listenerSecrets = secretsOfListeners(listeners);
  const redact = redactor([...secretsOf(target), ...listenerSecrets]);
  const shell = maskedShell(plainShell, redact);
  if (target.embedded)
    shell.stderr.write(`tokenbook: environment ${target.environment} is the embedded sandbox, no real service\n`);
  const log = logFor(shell, options);
  const watched = options.once === true ? undefined : new WatchedPlaybooks({ shell, options, log }, read);
  const makes = (reporting: Reporting, onRun: RunsOf["onRun"]): MakeRun =>
    runMaker(shell, { options, target, inputs, listenerSecrets, reporting, onRun });
  const served = (): readonly Scheduled[] => watched?.ticking ?? all;
  return await withParts(shell, options, { served, log, listeners, redact, makes }, (parts, output) =>
    watched === undefined ? once(shell, options, { parts, all, output }) : serve(shell, options, { parts, watched }),
  );
};

interface PreparedSchedule {
  readonly read: ReadPlaybooks;
  readonly listeners: Listeners;
  readonly opened: OpenTarget;
}

// Mistakes in a playbook or the environment are reported at the start, to the terminal and to the channels, and not only at the first tick.
async function prepare(shell: ProjectShell, options: ScheduleOptions): Promise<PreparedSchedule> {
  try {
    const read = readScheduled(shell, options);
    refuseOneReportForAll(options, options.once === true ? 0 : tickingOf(read.all).length);
    return { read, listeners: listenersOf(shell, options, options.notify), opened: await openTarget(shell, options) };
  } catch (error) {
    if (error instanceof Failure) {
      if (options.once === true) await reportNotStarted(shell, options, error);
      await notifyNotStarted(shell, options, error);
    }
    throw error;
  }
}

// If the report cannot be written either, we throw the original error, which explains why.
async function reportNotStarted(shell: ProjectShell, { report, ...which }: ScheduleOptions, failure: Failure): Promise<void> {
  try {
    const playbooks = (): NotBegun["playbook"][] => scheduledUnread(shell, which).map(({ playbook }) => unreadPlaybook(playbook));
    await prepareReporting(shell, { report, placeholder: RUN }).write(shell, [], notBegunBy(failure, playbooks));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

/** Notifies about schedules that could not even be started, as about any failed run. If that is impossible, only the exit code shows it. */
async function notifyNotStarted(plainShell: ProjectShell, options: ScheduleOptions, failure: Failure): Promise<void> {
  try {
    const all = knownOf(plainShell, options);
    if (all.length === 0) return;
    const listeners = listenersOf(plainShell, options, options.notify);
    const redact = redactor(secretsOfListeners(listeners));
    const shell = maskedShell(plainShell, redact);
    const { exit } = failure;
    const makes = (): MakeRun => async () => ({ outcome: "failed", exit, report: undefined, problem: failure.toJSON() });
    const reached = { served: () => all, log: logFor(shell, options), listeners, redact, makes };
    await withParts(shell, { ...options, report: [] }, reached, (parts, output) =>
      options.once === true ? once(shell, options, { parts, all, output }) : notServed(parts, all, failure),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

// A playbook that was never scheduled is just being set up, so the person sees the error on the terminal. Without `--once`, we leave out playbooks that only an
// external scheduler runs, because this process would not serve them.
function knownOf(shell: ProjectShell, options: ScheduleOptions): readonly Scheduled[] {
  using store = ScheduleStore.look(statePlace(shell, options));
  const known = store?.all() ?? [];
  return knownUnread(shell, options, options.once === true ? known : known.filter(({ cron }) => cron !== undefined));
}

async function notServed(parts: Parts, all: readonly Scheduled[], failure: Failure): Promise<ExitCode> {
  reportNotServed(parts, all, failure);
  await Promise.all([parts.courier.drain(), parts.heartbeat.settle()]);
  return failure.exit;
}

interface ServedParts {
  /** Returns the schedules that are served now, and will not run after the scheduler has stopped. */
  readonly served: () => readonly Scheduled[];
  readonly log: Log;
  readonly listeners: Listeners;
  readonly redact: Redact;
  /** Returns the function that makes the runs, for a way to report them. */
  readonly makes: (reporting: Reporting, onRun: RunsOf["onRun"]) => MakeRun;
}

/** What is printed at the end. */
interface ScheduleOutput {
  readonly reporting: Reporting;
  /** The runs with the ids of their schedules. */
  readonly runs: readonly (readonly [string, ReportedRun])[];
}

// If the scheduler cannot continue, we notify everybody whom we can still reach, because nothing runs until somebody starts it again.
async function withParts(
  shell: ProjectShell,
  options: ScheduleOptions,
  reached: ServedParts,
  work: (parts: Parts, output: ScheduleOutput) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { served, log, listeners, redact } = reached;
  const start: StartCommand = (argv, given) =>
    shell.command(argv, { ...given, variables: variablesForCommands(shell, filesNamed(shell, options)) });
  const plain = { clock: systemClock, start, log, redact, hint: shell.hint };
  const ports: SchedulePorts = { ...plain, metrics: new Metrics(), heartbeat: new Heartbeat(listeners.heartbeat, plain) };
  try {
    return await withStore(shell, options, { ...reached, ports }, work);
  } catch (error) {
    await reportOutage(error, served(), { ...ports, channels: listeners.channels, isOnce: options.once === true });
    throw error;
  }
}

interface SchedulePorts extends CourierPorts {
  readonly metrics: Metrics;
  readonly heartbeat: Heartbeat;
}

// With `--once`, all runs share a report, unless its name contains `{run}`. Otherwise, each run has its own.
async function withStore(
  shell: ProjectShell,
  options: ScheduleOptions,
  { listeners, makes, ports }: ServedParts & { readonly ports: SchedulePorts },
  work: (parts: Parts, output: ScheduleOutput) => Promise<ExitCode>,
): Promise<ExitCode> {
  const state = statePlace(shell, options);
  assertMoved(shell, state, options.files);
  assertJournalWhole(state);
  const { log, redact } = ports;
  warnOfEmptyState(shell, state, log);
  const fence = (runId: string): void => fenceRun(state, runId);
  using store = ScheduleStore.open(state, { redact, fence });
  const reporting = prepareReporting(shell, { report: options.report, placeholder: RUN });
  const runs: [string, ReportedRun][] = [];
  const onRun: RunsOf["onRun"] =
    options.once === true ? async (run, { id }) => void runs.push([id, run]) : reporter(shell, options, log);
  const courier = new Courier(store.outbox, listeners.channels, { ...ports, clock: store.clock });
  courier.warnOfUndeclared(listeners.declared);
  const parts: Parts = {
    ...ports,
    clock: store.clock,
    store,
    courier,
    makeRun: makes(reporting, onRun),
    blocking: blockingRun(shell, options),
    inSlot: await slots(options.jobs),
  };
  return await work(parts, { reporting, runs });
}

async function serve(
  shell: ProjectShell,
  options: ScheduleOptions,
  { parts, watched }: { readonly parts: Parts; readonly watched: WatchedPlaybooks },
): Promise<ExitCode> {
  const stopping = shell.stopping();
  const state = statePlace(shell, options);
  const service = new Scheduler({
    ...parts,
    current: () => watched.current(),
    reportOf: (runId) => reportOfRun(shell, options, runId),
  });
  const { metrics, log } = parts;
  const shown = async (): ReturnType<typeof metrics.page> => {
    await service.showState();
    metrics.broken(watched.broken);
    return metrics.page();
  };
  const notReady = (): string | undefined => {
    const why = service.notReady();
    if (why === undefined) assertNothingLost(state); // a run that begins would ask the same
    return why;
  };
  const source = { metrics: { page: shown }, notReady };
  const page = await pageOf(options.listen, source, { log, event: "schedule.listening" });
  try {
    await service.run(stopping);
  } finally {
    await page?.close();
  }
  return EXIT.passed;
}

async function once(
  shell: ProjectShell,
  { jobs }: ScheduleOptions,
  { parts, all, output }: { readonly parts: Parts; readonly all: readonly Scheduled[]; readonly output: ScheduleOutput },
): Promise<ExitCode> {
  const { reporting, runs } = output;
  const stopping = shell.stopping();
  const codes = await inParallel(all, jobs, (each) => runNow(parts, each, stopping));
  await Promise.all([parts.courier.drain(stopping), parts.heartbeat.settle()]);
  const notBegun = all.filter(({ id }, at) => codes[at] !== EXIT.passed && !runs.some(([of]) => of === id));
  const missing = await reporting.write(
    shell,
    runs.map(([, run]) => run),
    notBegun.map((each) => notBegunOf(parts, each)),
  );
  const written = showMissing(shell, missing);
  return worst(codes) || written;
}

function notBegunOf({ store }: Parts, { id, playbook }: Scheduled): NotBegun {
  const firing = store.firings.last(id);
  const held = { code: "schedule.held", message: "it is under way already: another process runs it" };
  return { playbook: { name: playbook, file: playbook }, problem: firing?.problem ?? held };
}

const RUN = "{run}";

// A report on stdout is alone there.
function logFor(shell: ProjectShell, { report, json }: ScheduleOptions): Log {
  return logOf(takesStdout(report) ? { stdout: shell.stderr } : shell, json);
}

// Each run writes its own report. If a report cannot be written, this is logged, and the run is not affected. A report whose file name does not contain `{run}`
// belongs to the first playbook, even if others are added later.
function reporter(shell: ProjectShell, { report: requests }: ScheduleOptions, log: Log): (run: ReportedRun) => Promise<void> {
  const playbooks = new Map<string, string>();
  return async (run) => {
    const { id, playbook } = run.report.run;
    const failed = ({ message }: Failure): void => log("error", "report.failed", message, { run: id });
    const isFree = ({ file }: ReportRequest): boolean =>
      file.includes(RUN) || getOrInsert(playbooks, file, () => playbook.file) === playbook.file;
    for (const taken of requests.filter((request) => !isFree(request))) failed(oneReportForAll(taken, "another playbook"));
    try {
      const named = requests.filter(isFree).map((request) => ({ ...request, file: request.file.replaceAll(RUN, id) }));
      for (const missing of await prepareReporting(shell, { report: named }).write(shell, [run])) failed(missing);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failed(error);
    }
  };
}

function refuseOneReportForAll({ report }: ScheduleOptions, playbooks: number): void {
  const shared = report.find(({ file }) => !file.includes(RUN));
  if (playbooks > 1 && shared !== undefined) throw oneReportForAll(shared, `each of ${playbooks} playbooks`);
}

function oneReportForAll({ format, file }: ReportRequest, by: string): Failure {
  return new Failure({
    code: "schedule.one-report",
    message: `the report ${file} would be overwritten by ${by}`,
    next: `--report ${format}=${file.replace(/(\.\w+)?$/, `-${RUN}$1`)}`,
  });
}

function noFiles(): Failure {
  return new Failure({
    code: "schedule.no-files",
    message: "no playbook is named",
    next: ["name files or folders of playbooks:", command`schedule FILE…`],
  });
}
