import { type Hint } from "../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../base/exit.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { systemClock } from "../../base/ports.ts";
import { masked, type Redact } from "../../base/secret.ts";
import type { EnginePorts } from "../../engine/engine-ports.ts";
import type { Consent } from "../../engine/run/consent.ts";
import { keptExchanges } from "../../exchanges/exchange-store.ts";
import { exitOf } from "../../protocol/decide.ts";
import type { RunOutcome, StepProblem } from "../../protocol/record.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import { FanOut } from "../../report/fanout.ts";
import { flakyLines } from "../../report/flaky.ts";
import type { ReportRequest } from "../../report/formats/format.ts";
import { jsonReport } from "../../report/formats/json.ts";
import type { Detail } from "../../report/steps/step-lines.ts";
import { RunFold } from "../../report/model.ts";
import type { Trace } from "../../report/otlp/trace.ts";
import { NOT_STARTED, type NotBegun, type NthRun, type RunReport, type SkippedFile } from "../../report/shape.ts";
import type { ReportedRun } from "../../report/reported-run.ts";
import { notBegunBy } from "../project/check-failure.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { type DebugOption, debugsOnStderr } from "../print/debug.ts";
import { formatFailure, formatUnforeseen, keptError } from "../print/failure.ts";
import { hinted } from "../print/hint.ts";
import { maskedError, maskedShell } from "../print/masked.ts";
import type { Where } from "../project/state-place.ts";
import { inParallel } from "./run-queue.ts";
import { showMissing } from "../reporting/missing.ts";
import type { Reporting } from "../reporting/reporting.ts";
import { type KeepOptions, openSession, type Session } from "./session.ts";
import type { Shell, Terminal } from "../shell.ts";
import { chooseView } from "../view/choose.ts";
import type { View } from "../view/view.ts";
import { isSet } from "../../base/variables.ts";

/** The options for the reports of runs. */
export interface ReportOptions extends DebugOption, KeepOptions {
  /** Prints JSON on stdout. */
  readonly json?: boolean;
  /** The reports to write, each with its format and file. */
  readonly report: readonly ReportRequest[];
}

/** How much of a run is shown to people: with `--verbose` everything, with `--quiet` only the summary. */
export interface DetailOptions {
  /** Shows everything: complete ids, and every step of blocks and included playbooks. */
  readonly verbose?: boolean;
  /** Shows only the summary of each run. */
  readonly quiet?: boolean;
}

function detailOf({ verbose, quiet }: DetailOptions): Detail {
  if (verbose === true) return "full";
  return quiet === true ? "summary" : "short";
}

/** One run to make. */
export interface Job {
  /** The name and the file of the playbook. */
  readonly playbook: NotBegun["playbook"];
  /** The number of steps in the playbook, without steps inside blocks. */
  readonly steps: number;
  /** Set if the job is one of several runs of the playbook, which run one after the other. */
  readonly repeat?: NthRun | undefined;
  /** Makes the run. */
  readonly work: (session: Session, ports: EnginePorts, around: AroundRun) => Promise<RunOutcome>;
  /** Returns the lines that people should read before the run starts. */
  readonly notes?: (session: Session) => readonly string[];
}

/** What a run receives besides its session. */
export interface AroundRun {
  /** Prints a text about the run after nothing is drawn any more. */
  readonly say: (text: string) => void;
  /** The consent to writes in a protected environment. */
  readonly consent: Consent | undefined;
}

/** What a command will run. */
export interface Planned {
  /** Returns the names of the playbooks. Called if none of them can be run. */
  readonly playbooks: () => readonly NotBegun["playbook"][];
  /** Returns the runs and the secrets that they name. Throws a Failure if they cannot be made. */
  readonly prepare: () => Prepared | Promise<Prepared>;
}

/** Runs that are ready to start, and the secrets that they name. */
export interface Prepared {
  /** The shell in the project of the playbooks. */
  readonly shell: ProjectShell;
  /** The runs, in the order in which they start. */
  readonly jobs: readonly Job[];
  /** The secrets that the playbooks name. */
  readonly secrets: Secrets;
  /** Files in folders that are skipped. */
  readonly skipped?: readonly SkippedFile[];
  /** Returns who consents to writes in a protected environment. Throws a Failure if a person says no. */
  readonly consent?: (session: Session) => Promise<Consent | undefined>;
}

type PerformOptions = Where &
  ReportOptions &
  DetailOptions & { readonly jobs: number; readonly failFast?: boolean; readonly watch?: boolean };

/**
 * Makes runs, several in parallel, shows them, writes their reports, and returns the worst of their exit codes. If no run can be made, the reports say why, and
 * a Failure is thrown. So nobody takes a report from yesterday for today's.
 */
export async function performRuns(plainShell: Shell, options: PerformOptions, planned: Planned): Promise<ExitCode> {
  const reporting = await reportingFor(plainShell, options);
  const prepared = await begun(options, planned).catch(async (error: unknown) => {
    if (error instanceof Failure)
      await printReports(plainShell, { options, reporting, skipped: [] }, [], notBegunBy(error, planned.playbooks));
    throw error;
  });
  return performIn(prepared, { plainShell, options, reporting });
}

interface BegunRuns extends Required<Pick<Prepared, "jobs" | "skipped">> {
  readonly session: Session;
  /** The lines that people should read before the runs start. */
  readonly notes: ReadonlySet<string>;
  readonly consent: Consent | undefined;
}

async function begun(options: PerformOptions, { prepare }: Planned): Promise<BegunRuns> {
  const { shell, jobs, secrets, skipped = [], consent } = await prepare();
  const session = await openSession(shell, options, secrets);
  try {
    if (options.watch === true && !session.target.embedded) throw watchedService(session.target.environment);
    const consented = session.target.protected ? await consent?.(session) : undefined;
    const notes = new Set(jobs.flatMap((job) => job.notes?.(session) ?? []));
    return { jobs, skipped, session, notes, consent: consented };
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

function watchedService(environment: string): Failure {
  return new Failure({
    code: "run.watched-service",
    message: `--watch runs playbooks whenever a file changes, but the environment ${environment} is a service`,
    why: "each run writes again, so they are watched on the embedded sandbox only; nothing was sent",
    next: "run it once without --watch, or name the environment of a sandbox with --env",
  });
}

interface ReportOutput extends Pick<BegunRuns, "skipped"> {
  readonly options: ReportOptions;
  readonly reporting: Reporting | undefined;
}

/** Prints the reports as JSON if requested, and writes the others. Returns the exit code, which is 0 only if no report is missing. */
export async function printReports(
  shell: Shell,
  { options, reporting, skipped }: ReportOutput,
  runs: Iterable<ReportedRun>,
  notBegun: readonly NotBegun[],
): Promise<ExitCode> {
  const reports = {
    *[Symbol.iterator]() {
      for (const { report } of runs) yield report;
    },
  };
  if (options.json === true) for (const piece of jsonReport(reports, notBegun, skipped)) shell.stdout.write(piece, "json");
  return showMissing(shell, (await reporting?.write(shell, runs, notBegun)) ?? []);
}

interface Performance {
  readonly plainShell: Shell;
  readonly options: PerformOptions;
  readonly reporting: Reporting | undefined;
}

async function performIn({ session, jobs, skipped, notes, consent }: BegunRuns, performance: Performance): Promise<ExitCode> {
  const { plainShell, options, reporting } = performance;
  const shell = maskedShell(plainShell, session.redact);
  const late = new LateOutput(shell.stderr);
  try {
    for (const note of notes) shell.stderr.write(`${note}\n`);
    const view = await chooseView({
      screen: options.json === true || reporting?.takesStdout === true ? shell.stderr : shell.stdout,
      variables: shell.variables,
      hint: shell.hint,
      clock: systemClock,
      detail: detailOf(options),
      isShared: shell.stderr.isTTY && debugsOnStderr(shell, options),
      files: jobs.map(({ playbook }) => playbook.file),
      skipped: skipped.length,
      steps: jobs.reduce((sum, { steps }) => sum + steps, 0),
      onCrash: (error) => reporterCrashed(late, error),
    });
    const stopping = shell.stopping();
    const sayStopping = (): void => view.stopping();
    stopping.addEventListener("abort", sayStopping, { once: true });
    let stopper: Stopper | undefined;
    const perform = async (job: Job): Promise<EndedRun> => {
      if (stopping.aborted) return { exit: EXIT.interrupted, notBegun: { playbook: job.playbook, problem: INTERRUPTED } };
      if (stopper !== undefined)
        return { exit: stopper.exit, notBegun: { playbook: job.playbook, problem: notStarted(stopper) } };
      const trace = reporting?.trace(session);
      const label = jobs.length === 1 ? "" : `[${job.playbook.file}] `;
      const ended = await performOne(job, { late, session, consent, view, trace, hint: shell.hint, label });
      if (options.failFast === true && ended.exit !== EXIT.passed) stopper ??= { file: job.playbook.file, exit: ended.exit };
      return ended;
    };
    const oneByOne = async (group: readonly Job[]): Promise<readonly EndedRun[]> => {
      const ended: EndedRun[] = [];
      for (const job of group) ended.push(await perform(job));
      return ended;
    };
    const end = (): Promise<void> => {
      stopping.removeEventListener("abort", sayStopping); // `--watch` or a debugger may be stopped later, when no run is under way
      return view.end();
    };
    const done = (await inParallel(grouped(jobs), options.jobs, oneByOne).finally(end)).flat();
    const notBegun = done.flatMap((each) => each.notBegun ?? []);
    late.write(interruptedLine(notBegun));
    late.write(notStartedLine(stopper, notBegun));
    late.flush();
    const runs = done.flatMap(({ report, trace }) =>
      report === undefined
        ? []
        : [
            {
              report,
              trace,
              records: () => session.store.read(report.run.id),
              exchanges: () => keptExchanges(session.state, report.run.id),
            },
          ],
    );
    if (jobs.some(({ repeat }) => repeat !== undefined)) noteFlaky(shell, runs);
    const written = await printReports(shell, { options, reporting, skipped }, runs, notBegun);
    return worst(done.map(({ exit }) => exit)) || written;
  } finally {
    late.flush();
    await session[Symbol.asyncDispose]();
  }
}

// The repeats of a playbook run one after the other, because they could disturb each other.
function grouped(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const groups: Job[][] = [];
  for (const job of jobs) {
    if (job.repeat === undefined || job.repeat.number === 1) groups.push([job]);
    else groups.at(-1)?.push(job);
  }
  return groups;
}

function noteFlaky(shell: Shell, runs: readonly ReportedRun[]): void {
  for (const line of flakyLines(runs.map(({ report }) => report))) shell.stderr.write(`${line}\n`);
}

/** Collects texts while the view draws, and prints them after the view has left the screen. */
export class LateOutput {
  readonly #output: Pick<Terminal, "write">;
  #held: string[] = [];

  constructor(output: Pick<Terminal, "write">) {
    this.#output = output;
  }

  /** Keeps a text until `flush`. */
  write(text: string): void {
    this.#held.push(text);
  }

  /** Prints the texts that were kept, in order. */
  flush(): void {
    for (const text of this.#held.splice(0)) this.#output.write(text);
  }
}

/** How a run ended. */
export interface EndedRun {
  readonly exit: ExitCode;
  /** Left out if the run could not start. */
  readonly report?: RunReport;
  /** The exchanges of the run; undefined if no report needs them. */
  readonly trace?: Trace | undefined;
  /** Why the run could not start. */
  readonly notBegun?: NotBegun;
}

/** Why a run did not start because the command was interrupted first. */
export const INTERRUPTED = { code: "run.interrupted", message: "the command was interrupted before this run began" };

// A run that could not start for another reason was reported before.
function interruptedLine(notBegun: readonly NotBegun[]): string {
  const files = notBegun.flatMap(({ playbook, problem }) => (problem === INTERRUPTED ? [playbook.file] : []));
  return files.length === 0 ? "" : `interrupted, and not begun: ${files.join(", ")}\n`;
}

/** The first run that did not pass. After it, `--fail-fast` starts no other run. */
interface Stopper {
  readonly file: string;
  readonly exit: ExitCode;
}

function notStarted({ file }: Stopper): StepProblem {
  return { code: NOT_STARTED, message: `--fail-fast: ${file} did not pass before this run started` };
}

function notStartedLine(stopper: Stopper | undefined, notBegun: readonly NotBegun[]): string {
  const files = notBegun.flatMap(({ playbook, problem }) => (problem.code === NOT_STARTED ? [playbook.file] : []));
  if (stopper === undefined || files.length === 0) return "";
  return `--fail-fast: ${stopper.file} did not pass; not started: ${[...new Set(files)].join(", ")}\n`;
}

interface Performing {
  readonly late: LateOutput;
  readonly session: Session;
  readonly consent: Consent | undefined;
  readonly view: View;
  readonly trace: Trace | undefined;
  readonly hint: Hint;
  /** The prefix of a failure message if there are other runs that may fail too. */
  readonly label: string;
}

/** Makes one run and reports an error that breaks it off. Other runs are not affected. */
export async function performOne(job: Job, { late, session, consent, view, trace, hint, label }: Performing): Promise<EndedRun> {
  const fold = new RunFold();
  const observers = new FanOut([fold, view.watch(fold)], (error) => reporterCrashed(late, error));
  const say = (text: string): void => late.write(`${text}\n`);
  try {
    const outcome = await session.carry(observers, (ports) => job.work(session, ports, { say, consent }), trace);
    return { exit: exitOf(outcome), report: reported(fold, job), trace };
  } catch (error) {
    const { text, exit, problem } = brokenOff(error, session.redact, { hint, ended: "this run has sent nothing more" });
    late.write(`${label}${text}`);
    if (fold.opened !== undefined) return { exit, report: reported(fold, job), trace };
    return { exit, notBegun: { playbook: job.playbook, problem } };
  } finally {
    await observers.end();
  }
}

function reported(fold: RunFold, { repeat }: Job): RunReport {
  return repeat === undefined ? fold.report() : { ...fold.report(), repeat };
}

/** Returns the message for an error that breaks something off, the exit code, and the problem for reports. */
export function brokenOff(
  error: unknown,
  redact: Redact,
  { hint, ended }: { readonly hint: Hint; readonly ended: string },
): { readonly text: string; readonly exit: ExitCode; readonly problem: StepProblem } {
  const isFailure = error instanceof Failure;
  return {
    text: isFailure ? formatFailure(hinted(error, hint)) : formatUnforeseen(maskedError(error, redact), ended),
    exit: isFailure ? error.exit : EXIT.bug,
    problem: masked(keptError(error), redact) as StepProblem,
  };
}

/** Returns the reports that a command must write. Their code is loaded only if there are any. */
export async function reportingFor(shell: Shell, options: ReportOptions): Promise<Reporting | undefined> {
  const { variables } = shell;
  const isAsked = options.report.length > 0 || AUTOMATIC.some((name) => isSet(variables[name]));
  return isAsked ? (await import("../reporting/reporting.ts")).prepareReporting(shell, options) : undefined;
}

// The variables with which CI systems and tracing request reports.
const AUTOMATIC = ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

function reporterCrashed(late: LateOutput, error: unknown): void {
  late.write(`tokenbook: a reporter crashed and was left out: ${messageOf(error)}\n`);
}

// How bad each exit code is. An unknown outcome is worse than a known failure, and an interrupt hides neither an unknown outcome nor a drift.
const BADNESS: Readonly<Record<keyof typeof EXIT, number>> = {
  passed: 0,
  pending: 1,
  cannotStart: 2,
  locked: 3,
  failed: 4,
  terminated: 5,
  interrupted: 6,
  drift: 7,
  unknown: 8,
  bug: 9,
};

/** Returns the exit code of several runs. An exit code that this version does not know counts as a bug. */
export function worst(codes: readonly ExitCode[]): ExitCode {
  const known = Object.entries(EXIT) as [keyof typeof EXIT, ExitCode][];
  const names = codes.map((code) => known.find(([, each]) => each === code)?.[0] ?? "bug");
  return EXIT[names.reduce((one, other) => (BADNESS[other] > BADNESS[one] ? other : one), "passed")];
}
