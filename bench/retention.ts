// npm run bench:retention [-- --years N]: simulates ten years of a nightly run. Every 30 nights, it archives the runs that are older than 90 days.
// Prints what the journal holds at the end of each year. Exits with 1 if `runs` has to read more than those of 120 nights, or an archive is not intact.
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { verifyArchives } from "../src/journal/archives/archive-chain.ts";
import { nightlyRuns, type YearOfRuns } from "../test/nightly-runs.ts";
import { align } from "./show.ts";

const { values: options } = parseArgs({ options: { years: { type: "string", default: "10" } } });
const KILOBYTE = 1_024;
/** Runs of 90 days, and of the 30 nights until the next archive. */
const MOST_RUNS = 120;
const HEADING = ["year", "runs begun", "runs in the journal", "records", "facts kept of archived runs", "journal KB"];

/** Runs for years, prints a table of them, and returns whether the journal kept only the latest runs and all archives are intact. */
async function measure(folder: string, writes: number): Promise<boolean> {
  mkdirSync(folder);
  const [file, archives] = [join(folder, "journal.db"), join(folder, "archives")];
  const years: YearOfRuns[] = [];
  const rows: (readonly string[])[] = [];
  for await (const year of nightlyRuns({ file, archives, years: Number(options.years), writes })) {
    years.push(year);
    const { begun, runs, records, facts } = year;
    rows.push([years.length, begun, runs, records, facts, Math.round(statSync(file).size / KILOBYTE)].map(String));
  }
  process.stdout.write(`${writes} writes each night\n${align([HEADING, ...rows])}\n`);
  const verified = verifyArchives(archives, []);
  const archived = verified.reduce((sum, { runs }) => sum + runs, 0);
  const intact = verified.filter(({ problem }) => problem === null).length;
  process.stdout.write(`${archived} runs in ${verified.length} archives; ${intact} archives are intact and in order\n\n`);
  return intact === verified.length && years.every(({ runs }) => runs <= MOST_RUNS);
}

const folder = mkdtempSync(join(tmpdir(), "tokenbook-retention-"));
try {
  const same = [await measure(join(folder, "reading"), 0), await measure(join(folder, "writing"), 3)];
  process.exitCode = same.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
