import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Advice, type AdviceLines, command } from "../../../base/command-line.ts";
import { Failure, messageOf } from "../../../base/failure.ts";
import { LIMITS } from "../../../base/limits.ts";
import { didYouMean, quoted } from "../../../base/text/text.ts";
import { assertWritable, writeWhole } from "../../../files/output.ts";
import { isOpenToOthers } from "../../../files/private.ts";
import { readRegular } from "../../../files/regular.ts";
import { unlessArchived } from "../../../journal/archives/archives.ts";
import type { JournalStore } from "../../../journal/store.ts";
import type { ComparisonName } from "../../../protocol/comparison.ts";
import type { KnownComparison } from "../../../protocol/drift.ts";
import { DriftBook } from "../../../reconcile/drift-book.ts";
import { auditPage, type AuditedRun } from "../../../report/html/pages/audit.ts";
import { reportOf } from "../../../report/model.ts";
import { readSigner, type Signer } from "../../../signing/signer.ts";
import { printLines } from "../../print/result.ts";
import { knownStatePlace } from "../../project/state-place.ts";
import { lookIntoJournal } from "../../runs/open-journal.ts";
import type { Command, Shell } from "../../shell.ts";
import { withHints } from "../../../report/html/parts/copy.ts";

interface PageOptions {
  readonly comparison: readonly string[];
  readonly out?: string;
  readonly sign?: string;
  readonly state?: string;
}

/** `tokenbook drift page [COMPARISON] --out FILE [--sign KEY]`: writes a page with everything about one comparison, for an auditor. */
export const pageOfDrifts: Command<PageOptions> = async (shell, options) => {
  const { out, sign } = options;
  if (out === undefined)
    throw new Failure({
      code: "drift.page-incomplete",
      message: "name the file of the page",
      next: command`drift page ${options.comparison.length === 0 ? "holders" : options.comparison} --out page.html`,
    });
  const signer = sign === undefined ? undefined : signerIn(shell, sign);
  const page = Buffer.from(withHints(pageFor(shell, options), shell.hint));
  write(shell, out, page);
  if (signer === undefined) return printLines(shell, [`the page is in ${out}`]);
  const signature = `${out}.sig`;
  write(shell, signature, signer.sign(page));
  return printLines(shell, [
    `the page is in ${out}, its signature by the key ${signer.words} in ${signature}; to verify it:`,
    ...signer.verifying(out, signature).map((verifying) => `  ${verifying}`),
  ]);
};

function pageFor(shell: Shell, options: PageOptions): string {
  using book = DriftBook.existing(knownStatePlace(shell, options));
  const { of, title, isUnfinished } = chosen(book.known(), options.comparison);
  const runs = lookIntoJournal(shell, options, (store) => runsOf(store, of));
  const latest = runs.at(-1);
  if (latest === undefined) throw noRun(of);
  const now = book.clock.now();
  const { drifts, total } = book.driftsOf(of, { run: latest.run.id, limit: LIMITS.htmlRows, now });
  const { gaps, counts } = latest.comparison;
  const isOutdated = isUnfinished && gaps.length === 0 && counts.moving === 0; // otherwise the latest run itself left something open
  return [...auditPage({ of, title, latest, isOutdated, runs, drifts, driftCount: total, now })].join("");
}

// Returns the comparison that the words name. If there are several, it is the one whose parts are all named.
function chosen(all: readonly KnownComparison[], words: readonly string[]): KnownComparison {
  if (all.length === 0) throw notOne("nothing has been compared here yet", "run a playbook with a `reconcile:`");
  const found = all.filter(({ of }) => words.every((word) => partsOf(of).includes(word)));
  const [only, ...others] = found;
  const named = found.find(({ of }) => partsOf(of).every((part) => words.includes(part)));
  const meant = named ?? (others.length === 0 ? only : undefined);
  if (meant !== undefined) return meant;
  if (only !== undefined) throw notOne("several comparisons fit", listed(found));
  const near = didYouMean(
    words[0] ?? "",
    all.map(({ of }) => of.comparison),
  );
  throw notOne("no run has made that comparison", [...(near === undefined ? [] : [`did you mean ${near}?`]), ...listed(all)]);
}

function partsOf({ comparison, playbook, environment, scope }: ComparisonName): readonly string[] {
  return [comparison, playbook, environment, ...(scope === "" ? [] : [scope])];
}

function listed(known: readonly KnownComparison[]): AdviceLines {
  return known.slice(0, SOME).map(({ of }) => command`drift page ${partsOf(of)} --out page.html`);
}

const SOME = 10;

function notOne(message: string, next: Advice): Failure {
  return new Failure({ code: "drift.comparison", message, next });
}

function noRun({ comparison, playbook }: ComparisonName): Failure {
  return new Failure({
    code: "drift.no-run",
    message: `the journal holds no run that made the comparison ${comparison} of ${playbook}`,
    why: `the page shows what its latest run recorded, and that run is archived, of an earlier version, or before the last ${LIMITS.auditSearched} runs`,
    next: "run its playbook again, then make the page",
  });
}

// Returns the latest runs, ordered from the earliest to the last.
function runsOf(store: JournalStore, of: ComparisonName): readonly AuditedRun[] {
  const found: AuditedRun[] = [];
  for (const { id, environment } of store.runs.latest(LIMITS.auditSearched)) {
    if (found.length === LIMITS.auditedRuns) break;
    if (environment !== of.environment) continue;
    const history = unlessArchived(() => store.history(id));
    if (history === undefined) continue;
    const { records, end } = history;
    const { run, steps } = reportOf(records);
    for (const { comparison, outcome } of steps) {
      const made = comparison?.of;
      if (comparison === null || made === undefined || !isDeepStrictEqual(made, of)) continue;
      found.push({ run, outcome, comparison, records: records.length, digest: end.hash });
    }
  }
  return found.toReversed();
}

// The key is read first, because a page without the requested signature is useless.
function signerIn({ cwd }: Shell, name: string): Signer {
  try {
    const file = { path: resolve(cwd, name), name: `the key ${name}`, ifTooLarge: { next: "name the file of a private key" } };
    let isExposed = false;
    const bytes = readRegular(file, LIMITS.keyBytes, (found) => {
      isExposed = isOpenToOthers(found);
    });
    const signer = readSigner(bytes.toString("latin1"), name);
    if (isExposed) throw exposed(name);
    return signer;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure({
      code: "sign.key",
      message: `the key ${name} cannot be read: ${messageOf(error)}`,
      why: "nothing was written",
      next: "name the file of a private key that you may read",
    });
  }
}

function exposed(name: string): Failure {
  return new Failure({
    code: "sign.key",
    message: `others than its owner may read or write the key ${name}`,
    why: "whoever reads it can sign as you, so nothing was written",
    next: `chmod 600 ${quoted(name)}`,
  });
}

function write({ cwd }: Shell, file: string, content: Buffer): void {
  try {
    const path = resolve(cwd, file);
    assertWritable(path);
    writeWhole(path, content);
  } catch (error) {
    throw new Failure({
      code: "drift.cannot-write",
      message: `${file} cannot be written: ${messageOf(error)}`,
      next: "name a file in a folder that exists and that you may write to",
    });
  }
}
