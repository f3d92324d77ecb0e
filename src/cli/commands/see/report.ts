import { command } from "../../../base/command-line.ts";
import { Failure } from "../../../base/failure.ts";
import { keptExchanges } from "../../../exchanges/exchange-store.ts";
import type { JournalStore } from "../../../journal/store.ts";
import type { Format, ReportRequest } from "../../../report/formats/format.ts";
import { reportOf } from "../../../report/model.ts";
import type { ReportedRun } from "../../../report/reported-run.ts";
import type { StatePlace } from "../../../sql/place.ts";
import { knownStatePlace } from "../../project/state-place.ts";
import { lookForRuns, type RunsOptions } from "../../runs/open-journal.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import { showMissing } from "../../reporting/missing.ts";
import { prepareFiles, STDOUT, writeReport } from "../../reporting/reporting.ts";
import type { Command } from "../../shell.ts";

interface ReportCommandOptions extends RunsOptions {
  readonly runs: readonly RunReference[];
  readonly report: readonly ReportRequest[];
  readonly format?: Format;
}

/** `tokenbook report RUN…`: writes the reports of past runs from the journal. Exits with 2 if a report could not be written. */
export const report: Command<ReportCommandOptions> = async (shell, options) => {
  const printed = options.format === undefined ? [] : [{ format: options.format, file: STDOUT }];
  const requests = [...options.report, ...printed];
  if (requests.length === 0) {
    throw new Failure({
      code: "report.no-format",
      message: "no report is named",
      next: [command`report latest --report html=report.html`, "or:", command`report latest --format md`],
    });
  }
  prepareFiles(shell, requests, false);
  const place = knownStatePlace(shell, options);
  const runs = await lookForRuns(shell, options, options.runs, (store) =>
    options.runs.map((run) => reportedRun(store, place, run)),
  );
  if (requests.some(({ format }) => format === "har")) for (const run of runs) assertKept(run);
  const missing: Failure[] = [];
  for (const request of requests) {
    const failure = await writeReport(shell, request, runs);
    if (failure !== undefined) missing.push(failure);
    else if (request.file !== STDOUT) shell.stderr.write(`the ${request.format} report is in ${request.file}\n`);
  }
  return showMissing(shell, missing);
};

function reportedRun(store: JournalStore, place: StatePlace, named: RunReference): ReportedRun {
  const id = named.in(store);
  const records = store.read(id);
  return { report: reportOf(records), records: () => records, exchanges: () => keptExchanges(place, id) };
}

function assertKept({ report: { run }, exchanges = () => [] }: ReportedRun): void {
  for (const _ of exchanges()) return;
  throw new Failure({
    code: "report.no-exchanges",
    message: `no exchanges of the run ${run.id} are kept`,
    why: "they are kept only on request, and removed with their run or after some time",
    next: command`run ${run.playbook.file} --keep-exchanges`,
  });
}
