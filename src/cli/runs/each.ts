import { command, completedAdvice } from "../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { count } from "../../base/text/text.ts";
import { nextTurn } from "../../base/time/turns.ts";
import { collectGarbage } from "../../base/v8-flags.ts";
import { present } from "../../base/present.ts";
import { OPEN_WRITE } from "../../engine/run/earlier/writes-left-open.ts";
import { keptExchanges } from "../../exchanges/exchange-store.ts";
import { type KeyedRun, RUN_ARCHIVED } from "../../journal/archives/archives.ts";
import type { Playbook } from "../../playbook/model.ts";
import { compares, hasWrites } from "../../playbook/playbook-walk.ts";
import type { RunRecord } from "../../protocol/record.ts";
import { reportOf } from "../../report/model.ts";
import type { ReportedRun } from "../../report/reported-run.ts";
import { NOT_STARTED, type NotBegun, type RunReport } from "../../report/shape.ts";
import { stepLines } from "../../report/steps/step-lines.ts";
import { summaryLines } from "../../report/text.ts";
import { isConcern } from "../../report/words.ts";
import { notBegunBy, unreadPlaybook } from "../project/check-failure.ts";
import { inProjectOf, type ProjectShell } from "../project/chosen-project.ts";
import { loadPlaybooks, playbookFiles } from "../project/load-playbooks.ts";
import type { Where } from "../project/state-place.ts";
import type { Shard } from "../program/arguments.ts";
import { maskedShell } from "../print/masked.ts";
import type { Reporting } from "../reporting/reporting.ts";
import type { Shell } from "../shell.ts";
import { consentBefore, type ConsentOption } from "./consent.ts";
import { type Batch, batchOf, beginningOf, countRows, type GivenRow, namingRows, rowsIn } from "./each-rows.ts";
import { GoneRows } from "./gone-rows.ts";
import {
  brokenOff,
  type DetailOptions,
  type EndedRun,
  INTERRUPTED,
  type Job,
  LateOutput,
  performOne,
  printReports,
  reportingFor,
  type ReportOptions,
  worst,
} from "./perform.ts";
import { type InputOptions, preparingRows } from "./prepare-playbooks.ts";
import { openSession, type Session } from "./session.ts";
import { hintedStep } from "../../report/hinted.ts";
import { nextLines } from "../../report/problem.ts";
import type { ReadyPlaybook } from "../../planner/given.ts";

// Each row leaves garbage, and the memory of the command must not depend on the number of rows.
const ROWS_PER_COLLECTION = 1_000;

/** The options of a command that runs one playbook once for each row of a file. */
export interface EachOptions extends Where, ReportOptions, DetailOptions, InputOptions, ConsentOption {
  /** The file of rows, in CSV or NDJSON. */
  readonly each: string;
  /** Only resumes the rows with a run that did not pass. */
  readonly failed?: boolean;
  /** Starts although an earlier run left a write open. A row that leaves a write open does not stop the others. */
  readonly anyway?: boolean;
  /** How many rows run in parallel. */
  readonly jobs: number;
  /** The name that the keys of rows are derived from. If left out, the path of their file. */
  readonly key?: string;
  /** The part of the rows to run. If left out, all rows. */
  readonly shard?: Shard;
  /** Starts no further run after the first that does not pass. */
  readonly failFast?: boolean;
}

/** Returns the job that makes the run of a row under its key. */
export type JobOfRow = (shell: ProjectShell, ready: ReadyPlaybook, key: string) => Job;

interface PreparedRows {
  readonly shell: ProjectShell;
  readonly playbook: Playbook;
  readonly prepare: (row: JsonObject) => ReadyPlaybook;
  readonly session: Session;
  readonly rows: number;
}

/**
 * Runs a playbook once for each row of a file, several rows in parallel. Each row has a key, so the same row of the same file is never run twice. A repeated
 * command shows the rows that passed and resumes the others. Only the rows under way are in memory.
 */
export async function runEach(plainShell: Shell, options: EachOptions, jobOf: JobOfRow): Promise<ExitCode> {
  const reporting = await reportingFor(plainShell, options);
  const headings = (): readonly NotBegun["playbook"][] => options.files.map(unreadPlaybook);
  const prepared = await prepareRows(plainShell, options).catch(async (error: unknown) => {
    if (error instanceof Failure)
      await printReports(plainShell, { options, reporting, skipped: [] }, [], notBegunBy(error, headings));
    throw error;
  });
  await using session = prepared.session;
  return await new RowRuns(maskedShell(prepared.shell, session.redact), options, prepared, jobOf).perform(reporting);
}

async function prepareRows(plainShell: Shell, options: EachOptions): Promise<PreparedRows> {
  const { files } = playbookFiles(plainShell, options.files);
  const shell = inProjectOf(plainShell, files, options);
  const [playbook, ...others] = loadPlaybooks(shell, files, { tags: options.tags });
  if (playbook === undefined || others.length > 0) {
    throw new Failure({
      code: "each.one-playbook",
      message: `--each runs one playbook for each row, but ${files.length} are named`,
      next: "name one playbook",
    });
  }
  if (options.key === undefined && compares(playbook) && !hasWrites(playbook.steps)) throw unnamed(playbook);
  const rows = await countRows(shell, options, playbook);
  const { secrets, prepare } = preparingRows(shell, options, { playbook, file: options.each });
  return { shell, playbook, rows, prepare, session: await openSession(shell, options, secrets) };
}

function unnamed({ file }: Playbook): Failure {
  return new Failure({
    code: "each.compares",
    message: `${file} only compares, and --each runs each row once`,
    why: "tomorrow, the same command would compare nothing, because each row has had its run, and would pass",
    next: "name this batch, for instance by its day: --key 2026-12-01",
  });
}

type Print = (lines: readonly string[]) => void;

/** A row that has a run. */
interface Ended {
  readonly line: number;
  readonly runId: string;
}

class RowRuns {
  readonly #shell: Shell;
  readonly #options: EachOptions;
  readonly #prepared: PreparedRows;
  readonly #jobOf: JobOfRow;
  readonly #batch: Batch;
  readonly #late: LateOutput;
  readonly #ended: Ended[] = [];
  readonly #notBegun: NotBegun[] = [];
  readonly #exits = new Set<ExitCode>();
  readonly #counts = { taken: 0, before: 0, archived: 0, left: 0, withoutRun: 0 };
  /** The keys of rows whose runs had begun but had not passed. */
  readonly #begun = new Set<string>();
  readonly #gone: GoneRows;
  readonly #outcomes = new Map<string, number>();
  readonly #stopping: AbortSignal;
  #stopper: string | undefined;
  /** Whether reading the rows has failed. */
  #isBroken = false;

  constructor(shell: Shell, options: EachOptions, prepared: PreparedRows, jobOf: JobOfRow) {
    this.#shell = shell;
    this.#options = options;
    this.#prepared = prepared;
    this.#jobOf = jobOf;
    this.#late = new LateOutput(shell.stderr);
    this.#stopping = shell.stopping();
    const { playbook, session } = prepared;
    const { environment } = session.target;
    this.#batch = batchOf(prepared.shell, session.store, { ...options, playbook: playbook.file, environment });
    this.#gone = new GoneRows(session.store, beginningOf(this.#batch));
  }

  async perform(reporting: Reporting | undefined): Promise<ExitCode> {
    const isData = this.#options.json === true || reporting?.takesStdout === true;
    const print: Print = (lines) =>
      (isData ? this.#shell.stderr : this.#shell.stdout).write(lines.map((line) => `${line}\n`).join(""));
    // A write that an earlier run left open prevents new runs, so we resume runs first.
    await this.#performAll(this.#chosenRows("begun"), print);
    if (this.#options.failed !== true && !this.#isBroken) {
      const refusal = this.#refusal();
      if (refusal === undefined) await this.#performAll(this.#chosenRows("others"), print);
      else this.#breakOff(refusal);
    }
    print([this.#summary()]);
    const left = this.#isBroken ? undefined : this.#gone.leftOpen(this.#options.each);
    if (left !== undefined) this.#breakOff(left);
    this.#ended.sort((one, other) => one.line - other.line);
    this.#notBegun.sort((one, other) => (one.row?.line ?? 0) - (other.row?.line ?? 0));
    this.#noteOfArchived();
    this.#noteLeft();
    this.#noteWithoutRun();
    const output = { options: this.#options, reporting, skipped: [] };
    const written = await printReports(this.#shell, output, this.#runs(), this.#notBegun);
    return worst([...this.#exits]) || written;
  }

  // If a playbook writes nothing, an edited row does no harm.
  #refusal(): Failure | undefined {
    const { steps, file: playbook } = this.#prepared.playbook;
    const { withoutRun } = this.#counts;
    const { each: file, key } = this.#options;
    return hasWrites(steps) ? this.#gone.refusal({ file, playbook, key, withoutRun }) : undefined;
  }

  async #performAll(rows: AsyncGenerator<ChosenRow>, print: Print): Promise<void> {
    const worker = async (): Promise<void> => {
      for (let next = await rows.next(); next.done !== true; next = await rows.next()) await this.#run(next.value, print);
    };
    const works = Array.from({ length: Math.max(1, this.#options.jobs) }, worker);
    for (const done of await Promise.allSettled(works)) if (done.status === "rejected") this.#breakOff(done.reason);
  }

  // The rows under way have ended, and no further row starts. The reports say why.
  #breakOff(error: unknown): void {
    const { session, playbook } = this.#prepared;
    const { text, exit, problem } = brokenOff(error, session.redact, { hint: this.#shell.hint, ended: "no further row begins" });
    this.#shell.stderr.write(text);
    this.#exits.add(exit);
    this.#isBroken = true;
    this.#notBegun.push({ playbook: { name: playbook.name, file: playbook.file }, problem });
  }

  async *#chosenRows(which: "begun" | "others"): AsyncGenerator<ChosenRow> {
    const { shell, session } = this.#prepared;
    const { each, shard } = this.#options;
    const keyOf = namingRows(this.#prepared.playbook, this.#batch, (key) => session.store.keyed(key) !== undefined);
    let at = 0;
    for await (const row of rowsIn(shell, each)) {
      // A row that has passed before never waits for the event loop. Without this turn, its memory would not be freed, and no signal would be handled.
      await nextTurn();
      const key = row.given instanceof Failure ? "" : keyOf(row.given);
      this.#gone.keep(key);
      if (shard !== undefined && at++ % shard.of !== shard.number - 1) continue;
      const known = session.store.keyed(key);
      const hasBegun = known !== undefined && known.outcome !== "passed";
      if (which === "begun" && known === undefined) this.#counts.withoutRun++;
      if (which === "begun" ? !hasBegun : this.#begun.has(key)) continue;
      if (hasBegun) this.#begun.add(key);
      if (this.#stopping.aborted || this.#stopper !== undefined) this.#counts.left++;
      else yield { row, key, known };
    }
  }

  async #run({ row, key, known }: ChosenRow, print: Print): Promise<void> {
    if (known?.isArchived === true) return this.#noteArchived(row, known, print);
    const { prepare, shell, session } = this.#prepared;
    const name = this.#nameOf(row.line);
    let ready: ReadyPlaybook;
    try {
      if (row.given instanceof Failure) throw row.given;
      ready = prepare(row.given);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return this.#refuse(row, error, print);
    }
    const done = await performOne(this.#jobOf(shell, ready, key), {
      late: this.#late,
      session,
      consent: consentBefore(shell, this.#options, "consent to the runs of all rows: repeat the command with --yes"),
      view: SILENT,
      trace: undefined,
      hint: this.#shell.hint,
      label: `${name}: `,
    });
    this.#note(row, { ...done, isPassed: known?.outcome === "passed" }, print);
    this.#late.flush();
  }

  #note({ line }: GivenRow, done: EndedRun & { readonly isPassed: boolean }, print: Print): void {
    this.#end(line, done.exit);
    const isOpen = done.exit === EXIT.unknown || done.notBegun?.problem.code === OPEN_WRITE;
    if (isOpen && this.#options.anyway !== true) this.#stopper ??= `a write is open, see ${this.#options.each}:${line}`;
    if (done.notBegun !== undefined) this.#keep(line, done.notBegun.problem);
    if (done.report === undefined) return;
    const { outcome, id } = done.report.run;
    this.#ended.push({ line, runId: id });
    this.#countOutcome(outcome);
    if (done.isPassed) this.#counts.before++;
    else print(this.#linesOf(this.#named(done.report, line)));
  }

  // The records of an archived run are not in the journal, so the row is counted, but no report shows it.
  #noteArchived(row: GivenRow, run: KeyedRun, print: Print): void {
    if (run.outcome !== "passed") return this.#refuse(row, rowIsArchived(run), print);
    this.#end(row.line, EXIT.passed);
    this.#countOutcome(run.outcome);
    this.#counts.before++;
    this.#counts.archived++;
  }

  #countOutcome(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  #linesOf(report: RunReport): readonly string[] {
    const { verbose, quiet } = this.#options;
    const { hint } = this.#shell;
    const isGood = report.run.outcome === "passed";
    if (isGood && quiet === true) return [];
    const shown = verbose === true ? report.steps : report.steps.filter(isConcern);
    return [
      ...shown.flatMap((step) => stepLines(hintedStep(step, hint), verbose === true ? "full" : "short")),
      ...summaryLines(report, hint),
    ];
  }

  #refuse({ line }: GivenRow, failure: Failure, print: Print): void {
    const where = `${this.#options.each}:${line}: `;
    const message = failure.message.startsWith(where) ? failure.message : `${where}${failure.message}`;
    const next = failure.code === "input.invalid" ? "correct the row, and repeat the command" : failure.next;
    const { redact } = this.#prepared.session;
    this.#keep(line, { code: failure.code, message: redact(message), ...present({ next }) });
    this.#end(line, EXIT.failed);
    print([
      `✗ not begun  ${message}`,
      ...(next === undefined ? [] : nextLines(completedAdvice(next, this.#shell.hint)).map((said) => `    ${said}`)),
    ]);
  }

  #keep(line: number, problem: NotBegun["problem"]): void {
    const { file } = this.#prepared.playbook;
    this.#notBegun.push({ playbook: { name: this.#nameOf(line), file }, row: { file: this.#options.each, line }, problem });
  }

  #end(line: number, exit: ExitCode): void {
    this.#exits.add(exit);
    if (++this.#counts.taken % ROWS_PER_COLLECTION === 0) collectGarbage();
    if (this.#options.failFast === true && exit !== EXIT.passed)
      this.#stopper ??= `--fail-fast: ${this.#options.each}:${line} did not pass`;
  }

  #nameOf(line: number): string {
    return `${this.#prepared.playbook.name} [${this.#options.each}:${line}]`;
  }

  #named(report: RunReport, line: number): RunReport {
    const { run } = report;
    const playbook = { ...run.playbook, name: this.#nameOf(line) };
    return { ...report, row: { file: this.#options.each, line }, run: { ...run, playbook } };
  }

  // The runs are in the journal, and each is read only when a report needs it.
  #runs(): Iterable<ReportedRun> {
    const { store, state } = this.#prepared.session;
    const report = (ended: Ended): ReportedRun => {
      const { runId, line } = ended;
      const records = (): readonly RunRecord[] => store.read(runId);
      return { report: this.#named(reportOf(records()), line), records, exchanges: () => keptExchanges(state, runId) };
    };
    const all = this.#ended;
    return {
      *[Symbol.iterator]() {
        for (const [at, ended] of all.entries()) {
          if ((at + 1) % ROWS_PER_COLLECTION === 0) collectGarbage();
          yield report(ended);
        }
      },
    };
  }

  #summary(): string {
    const { taken, before } = this.#counts;
    const counts = Array.from(this.#outcomes, ([outcome, number]) => `${number} ${outcome}`);
    const others = this.#notBegun.length === 0 ? [] : [`${this.#notBegun.length} not begun`];
    const done = before === 0 ? "" : ` (${before} passed before and were not run again)`;
    const all = this.#prepared.rows === taken ? "" : ` of ${this.#prepared.rows}`;
    return `${taken}${all} ${taken === 1 && all === "" ? "row" : "rows"}: ${[...counts, ...others].join(", ") || "none run"}${done}`;
  }

  #noteOfArchived(): void {
    const { archived } = this.#counts;
    if (archived === 0) return;
    const were = archived === 1 ? "passed in a run that was" : "passed in runs that were";
    this.#shell.stderr.write(
      `${count(archived, "row")} ${were} archived since, and no report shows ${archived === 1 ? "it" : "them"}\n`,
    );
  }

  #noteLeft(): void {
    const { left } = this.#counts;
    if (left === 0) return;
    const message = `${this.#stopper ?? "interrupted"}; ${count(left, "row")} not started`;
    if (this.#stopper === undefined) this.#exits.add(EXIT.interrupted);
    this.#shell.stderr.write(`${message}: repeat the command to continue\n`);
    const { name, file } = this.#prepared.playbook;
    const code = this.#stopper === undefined ? INTERRUPTED.code : NOT_STARTED;
    this.#notBegun.push({ playbook: { name, file }, problem: { code, message } });
  }

  // A corrected row is not the same row as the one that failed.
  #noteWithoutRun(): void {
    const { withoutRun } = this.#counts;
    if (this.#options.failed !== true || withoutRun === 0) return;
    const has = withoutRun === 1 ? "has" : "have";
    this.#shell.stderr.write(
      `${count(withoutRun, "row")} ${has} no run yet: repeat the command without --failed to run what is new or corrected\n`,
    );
  }
}

interface ChosenRow {
  readonly row: GivenRow;
  readonly key: string;
  /** The run of the row from before this command. */
  readonly known: KeyedRun | undefined;
}

function rowIsArchived({ id, outcome = "not finished" }: KeyedRun): Failure {
  return new Failure({
    code: RUN_ARCHIVED,
    message: `the run ${id} of this row ended ${outcome}, and was archived since`,
    why: "an archived run cannot be resumed, and another run of the row would repeat its writes",
    next: ["look at what it has written, and do what is missing with another playbook:", command`runs show ${id}`],
  });
}

// The row is printed only when it ends.
const SILENT = { watch: () => ({ event: () => {} }), stopping: () => {}, end: async () => {} };
