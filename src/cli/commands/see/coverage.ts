import { getOrInsert } from "../../../base/maps.ts";
import { command } from "../../../base/command-line.ts";
import { EXIT } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { count } from "../../../base/text/text.ts";
import { DEFAULT_PROFILE, type Profile } from "../../../contract/profile.ts";
import { type Coverage, CoverageFold } from "../../../coverage/coverage.ts";
import { belowThresholds, coverageHtml, coverageJson, coverageJunit } from "../../../coverage/documents.ts";
import { COVERAGE_FORMATS, type Thresholds } from "../../../coverage/dimensions.ts";
import { coverageLines } from "../../../coverage/text.ts";
import { ExchangeStore } from "../../../exchanges/exchange-store.ts";
import { unlessArchived } from "../../../journal/archives/archives.ts";
import type { JournalStore } from "../../../journal/store.ts";
import type { ReportRequest } from "../../../report/formats/format.ts";
import { reportOf } from "../../../report/model.ts";
import { printLines } from "../../print/result.ts";
import { inProjectHere, type ProjectShell } from "../../project/chosen-project.ts";
import { knownStatePlace, type MemoryOptions } from "../../project/state-place.ts";
import { profileOf } from "../../project/open-target.ts";
import { showMissing } from "../../reporting/missing.ts";
import { prepareFiles, STDOUT, writeDocument } from "../../reporting/reporting.ts";
import { lookIntoJournal } from "../../runs/open-journal.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import type { Command, TextKind } from "../../shell.ts";

interface CoverageOptions extends MemoryOptions {
  readonly runs?: readonly RunReference[];
  readonly since: number;
  readonly env?: string;
  readonly report: readonly ReportRequest[];
  readonly verbose?: boolean;
  readonly failUnder: Thresholds;
}

/** `tokenbook coverage`: shows how much of the service runs have covered. Exits with 1 below a threshold. */
export const coverage: Command<CoverageOptions> = async (plainShell, options) => {
  const shell = inProjectHere(plainShell);
  const documents = options.report.map((request) => ({ request, ...documentIn(request) }));
  prepareFiles(shell, options.report, options.json === true);
  const covered = coverageFrom(shell, options);
  const { runs } = covered;
  const without = runs.filter(({ exchanges }) => exchanges === 0).length;
  if (without > 0)
    shell.stderr.write(
      `${count(without, "run")} of ${runs.length} kept no exchanges: without --keep-exchanges, parameters, fields and status codes do not count\n`,
    );
  const missing: Failure[] = [];
  for (const { request, write, kind } of documents) {
    const again = command`coverage --report ${`${request.format}=${request.file}`}`;
    const pieces = (): Iterable<string> => write(covered, options.failUnder);
    const failure = await writeDocument(shell, request, { kind, again, pieces });
    if (failure !== undefined) missing.push(failure);
  }
  if (options.json === true) shell.stdout.write(coverageJson(covered), "json");
  else if (options.report.every(({ file }) => file !== STDOUT))
    printLines(shell, coverageLines(covered, options.verbose === true));
  const below = belowThresholds(covered, options.failUnder);
  for (const line of below) shell.stderr.write(`${line}\n`);
  const written = showMissing(shell, missing);
  return below.length === 0 ? written : EXIT.failed;
};

interface Document {
  readonly kind: TextKind;
  readonly write: (coverage: Coverage, thresholds: Thresholds) => Iterable<string>;
}

const DOCUMENTS: Readonly<Record<(typeof COVERAGE_FORMATS)[number], Document>> = {
  json: { kind: "json", write: (covered) => [coverageJson(covered)] },
  html: { kind: "words", write: coverageHtml },
  junit: { kind: "words", write: (covered, thresholds) => [coverageJunit(covered, thresholds)] },
};

function documentIn({ format }: ReportRequest): Document {
  const known = COVERAGE_FORMATS.find((each) => each === format);
  if (known !== undefined) return DOCUMENTS[known];
  throw new Failure({
    code: "coverage.format",
    message: `coverage is not written as ${format}`,
    next: `name one of ${COVERAGE_FORMATS.join(", ")}, as in --report html=coverage.html`,
  });
}

function coverageFrom(shell: ProjectShell, options: CoverageOptions): Coverage {
  const place = knownStatePlace(shell, options);
  const fold = new CoverageFold();
  const profiles = new Map<string, Profile>();
  using exchanges = ExchangeStore.existing(place);
  lookIntoJournal(shell, options, (journal) => {
    for (const id of chosenRuns(journal, options)) {
      const records = unlessArchived(() => journal.read(id));
      if (records === undefined) continue;
      const report = reportOf(records);
      const { environment } = report.run.target;
      const profile = getOrInsert(profiles, environment, () => profileHere(shell, environment));
      fold.take(report, exchanges.of(id), profile);
    }
  });
  return fold.coverage();
}

function chosenRuns(journal: JournalStore, { runs = [], since, env }: CoverageOptions): readonly string[] {
  if (runs.length > 0) return runs.map((run) => run.in(journal));
  const from = journal.clock.now() - since;
  const found = journal.runs
    .latest(journal.runs.total())
    .filter(({ openedAt, environment }) => openedAt >= from && (env === undefined || env === environment));
  if (found.length > 0) return found.map(({ id }) => id).toReversed();
  throw new Failure({
    code: "coverage.no-runs",
    message: `no run began in that time${env === undefined ? "" : ` in the environment ${env}`}`,
    next: ["keep the exchanges of a run:", command`run PLAYBOOK --keep-exchanges`, "or look at a longer time: --since 90d"],
  });
}

/** Returns the profile of an environment, or the default one if `tokenbook.yaml` no longer has the environment. */
export function profileHere(shell: ProjectShell, environment: string): Profile {
  if (shell.project.environmentFile === undefined) return DEFAULT_PROFILE;
  try {
    return profileOf(shell, environment);
  } catch (error) {
    if (error instanceof Failure && error.code === "environment.unknown") return DEFAULT_PROFILE;
    throw error;
  }
}
