import { resolve } from "node:path";
import { command, type CommandLine } from "../../base/command-line.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { systemClock } from "../../base/ports.ts";
import { appendOutput, assertWritable, writeWhole } from "../../files/output.ts";
import type { Format, ReportRequest } from "../../report/formats/format.ts";
import { Trace } from "../../report/otlp/trace.ts";
import type { NotBegun } from "../../report/shape.ts";
import type { ReportedRun } from "../../report/reported-run.ts";
import { type ReportReading, WRITERS } from "../../report/formats/writers.ts";
import { type Collector, collectorIn, sendTraces } from "./collector.ts";
import type { Session } from "../runs/session.ts";
import type { Shell, TextKind } from "../shell.ts";

/** The name of a file that means stdout. */
export const STDOUT = "-";

/** The reports that a command must write: those that it names, and those that the variables of a CI system or of tracing ask for. */
export interface Reporting {
  /** Whether a report goes to stdout. Then nothing else may be printed there. */
  readonly takesStdout: boolean;
  /** Returns a recorder for the exchanges of one more run; `undefined` if no report needs them. */
  readonly trace: (session: Pick<Session, "redact">) => Trace | undefined;
  /** Writes all reports. Returns a failure for each report that the command names and that could not be written. For the others, stderr gets a note. */
  readonly write: (shell: Shell, runs: Iterable<ReportedRun>, notBegun?: readonly NotBegun[]) => Promise<readonly Failure[]>;
}

/** What a command is asked to report. */
interface AskedReports {
  readonly report: readonly ReportRequest[];
  /** The text in the name of a file that the id of a run replaces. Such a report is written once for each run. */
  readonly placeholder?: string;
  /** Stdout is for the command's own JSON. */
  readonly json?: boolean;
}

/**
 * Checks, before anything is sent, that each report can be written, and creates the folders. Throws a Failure that names the first report that cannot be
 * written.
 */
export function prepareReporting(shell: Shell, options: AskedReports): Reporting {
  const { variables } = shell;
  const { placeholder } = options;
  prepareFiles(shell, options.report, options.json === true);
  const collector = collectorIn(variables);
  const isTracing = collector !== undefined || options.report.some(({ format }) => format === "otlp");
  const automatic = [...automaticIn(shell, options), ...(collector === undefined ? [] : [sentTo(collector)])];
  return {
    takesStdout: takesStdout(options.report),
    trace: ({ redact }) => (isTracing ? new Trace({ clock: systemClock, redact }) : undefined),
    async write(masked, runs, notBegun = []) {
      const missing: Failure[] = [];
      for (const request of options.report) {
        for (const { named, of, without } of documentsOf(request, { placeholder, runs, notBegun })) {
          const failure = await writeReport(masked, named, of, without);
          if (failure !== undefined) missing.push(failure);
        }
      }
      for (const work of automatic) await isolated(masked, work.what, () => work.write(masked, runs, notBegun));
      return missing;
    },
  };
}

interface DocumentOf {
  readonly named: ReportRequest;
  readonly of: Iterable<ReportedRun>;
  readonly without: readonly NotBegun[];
}

interface ToReport {
  readonly placeholder: string | undefined;
  readonly runs: Iterable<ReportedRun>;
  readonly notBegun: readonly NotBegun[];
}

function documentsOf(request: ReportRequest, { placeholder, runs, notBegun }: ToReport): readonly DocumentOf[] {
  const { file } = request;
  if (placeholder === undefined || !file.includes(placeholder)) return [{ named: request, of: runs, without: notBegun }];
  return Array.from(runs, (run) => {
    return { named: { ...request, file: file.replaceAll(placeholder, run.report.run.id) }, of: [run], without: [] };
  });
}

// Two documents in one stream are none.
const STDOUT_NAMES: ReadonlySet<string> = new Set([STDOUT, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);

/** Checks that each report can be written, and creates the folders. Throws a Failure that names the first report that cannot be written. */
export function prepareFiles(shell: Pick<Shell, "cwd">, requests: readonly ReportRequest[], isStdoutTaken: boolean): void {
  const taken = new Set(isStdoutTaken ? [STDOUT] : []);
  for (const { format, file } of requests) {
    const path = file === STDOUT ? STDOUT : resolve(shell.cwd, file);
    const place = STDOUT_NAMES.has(path) ? STDOUT : path;
    if (taken.has(place)) throw twice(format, file);
    taken.add(place);
    if (path === STDOUT) continue;
    try {
      assertWritable(path);
    } catch (error) {
      throw new Failure({
        code: "report.cannot-write",
        message: `the report ${format}=${file} cannot be written: ${messageOf(error)}`,
        why: "nothing was sent",
        next: `name a file in a folder that you may write to, as in --report ${format}=reports/FILE`,
      });
    }
  }
}

/** Whether a report goes to stdout. The `github` format may share it: GitHub finds its commands among other lines. */
export function takesStdout(requests: readonly ReportRequest[]): boolean {
  return requests.some(({ format, file }) => STDOUT_NAMES.has(file) && format !== "github");
}

function twice(format: Format, file: string): Failure {
  return new Failure({
    code: "report.twice",
    message: `the report ${format}=${file} would be written where something else is written too`,
    why: "nothing was sent",
    next: "give each report a file of its own; with --json, stdout is taken",
  });
}

const KINDS: Readonly<Record<Format, TextKind>> = {
  json: "json",
  ctrf: "json",
  ndjson: "json",
  otlp: "json",
  har: "json",
  junit: "words",
  html: "words",
  md: "words",
  tap: "words",
  github: "exact", // it consists of commands to GitHub
};

/** Writes one report. Returns the failure if it could not be written. */
export function writeReport(
  shell: Shell,
  request: ReportRequest,
  runs: Iterable<ReportedRun>,
  notBegun: readonly NotBegun[] = [],
): Promise<Failure | undefined> {
  const { format, file } = request;
  return writeDocument(shell, request, {
    kind: KINDS[format],
    again: command`report RUN --report ${`${format}=${file}`}`,
    pieces: async () => (await WRITERS[format]())(runs, readingOf(shell), notBegun),
  });
}

/** A document that a command writes to a file that the user names. */
export interface NamedDocument {
  /** How its text is meant. */
  readonly kind: TextKind;
  /** The command that writes it again. */
  readonly again: CommandLine;
  /** Produces the text in pieces. */
  readonly pieces: () => Iterable<string> | Promise<Iterable<string>>;
}

/** Writes one document. Returns the failure if it could not be written. */
export async function writeDocument(
  shell: Shell,
  { format, file }: ReportRequest,
  { kind, again, pieces }: NamedDocument,
): Promise<Failure | undefined> {
  try {
    if (file === STDOUT) for (const piece of await pieces()) shell.stdout.write(piece, kind);
    else writeWhole(resolve(shell.cwd, file), await pieces());
    return undefined;
  } catch (error) {
    return new Failure({
      code: "report.missing",
      message: `the report ${format}=${file} could not be written: ${messageOf(error)}`,
      why: "a file of this name, if there is one, is of an earlier command; what the runs did is in the journal",
      next: ["make room, or name a file elsewhere:", again],
    });
  }
}

async function isolated(shell: Shell, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    shell.stderr.write(`tokenbook: the report ${what} was left out: ${messageOf(error)}\n`);
  }
}

interface Automatic {
  readonly what: string;
  readonly write: (shell: Shell, runs: Iterable<ReportedRun>, notBegun: readonly NotBegun[]) => Promise<void>;
}

// In a job of GitHub Actions, we write annotations to the place of its log, and the summary of the job.
function automaticIn({ variables }: Shell, options: AskedReports): readonly Automatic[] {
  const summary = variables["GITHUB_STEP_SUMMARY"] ?? "";
  const isAnnotated = options.report.some(({ format }) => format === "github");
  const onStderr = options.json === true || takesStdout(options.report);
  const annotate: Automatic = {
    what: "github",
    async write(shell, runs, notBegun) {
      for (const piece of (await WRITERS.github())(runs, readingOf(shell), notBegun))
        shell[onStderr ? "stderr" : "stdout"].write(piece, KINDS.github);
    },
  };
  const summarise: Automatic = {
    what: "of the job's summary",
    async write(shell, runs, notBegun) {
      const pieces = (await WRITERS.md())(runs, readingOf(shell), notBegun);
      appendOutput(resolve(shell.cwd, summary), [...pieces].join(""));
    },
  };
  return [...(variables["GITHUB_ACTIONS"] === "true" && !isAnnotated ? [annotate] : []), ...(summary === "" ? [] : [summarise])];
}

function readingOf({ cwd, variables, hint }: Shell): ReportReading {
  return { cwd, root: variables["GITHUB_WORKSPACE"] ?? cwd, hint };
}

function sentTo(collector: Collector): Automatic {
  return {
    what: `to ${collector.url.origin}`,
    async write(_shell, runs) {
      const { traceRequests } = await import("../../report/otlp/document.ts");
      await sendTraces(collector, traceRequests([...runs]));
    },
  };
}
