import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { verifyArchives } from "../../../src/journal/archives/archive-chain.ts";
import { nightlyRuns, type YearOfRuns } from "../../nightly-runs.ts";

test("the journal of a nightly run stays the same size over the years", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-years-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const years: YearOfRuns[] = [];
  for await (const year of nightlyRuns({ archives: folder, years: 3, writes: 1 })) years.push(year);
  expect(years.map(({ begun }) => begun)).toEqual([365, 730, 1095]);
  // The years differ only in the runs that have ended since the last monthly archive.
  for (const { runs, records } of years) {
    expect(runs).toBeGreaterThanOrEqual(90);
    expect(runs).toBeLessThan(90 + 30);
    expect(records).toBe(runs * 15);
  }
  const archives = verifyArchives(folder, []);
  expect(archives.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(archives.reduce((sum, { runs }) => sum + runs, 0)).toBe(1095 - (years.at(-1)?.runs ?? 0));
  // Each archived run has one row, and one more for each transaction that proved a write of the run.
  expect(years.at(-1)?.facts).toBe(1095 + archives.reduce((sum, { runs }) => sum + runs, archives.length));
});
