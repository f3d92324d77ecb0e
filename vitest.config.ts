import { existsSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { ClosingLine } from "./test/closing-line.ts";
import { PATIENCE_MS } from "./test/patience.ts";
import { BINARIES } from "./test/postgres/server.ts";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Files that mostly wait: for processes that they start, for a browser, or for a pause. All other files mostly compute. In each list, files that take long
// start early.
const WAITING = ["/test/stories/", "/test/browser/", "/test/fleet/", "/crash/stopped", "/transport/exchange"];
const LONG_WAITS = [
  "/fleet-later.",
  "/schedule-frozen.",
  "/database-goes.",
  "/test/browser/",
  "/stories/fleet.",
  "/test/fleet/",
  "/crash/",
  "",
];
const LONG_WORK = [
  "/test/simulation/",
  "/test/crash/",
  "/test/probes/",
  "/test/explore/",
  "/test/sandbox/",
  "/test/calibrate/",
  "",
];

class WaitingBesideWork extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files); // oxlint-disable-line unicorn/no-array-sort -- no array's
    const [waiting = [], working = []] = [true, false].map((is) => usual.filter((file) => waits(file) === is));
    return evenly(byRank(waiting, LONG_WAITS), byRank(working, LONG_WORK));
  }
}

function waits({ moduleId }: TestSpecification): boolean {
  return WAITING.some((part) => moduleId.includes(part));
}

function byRank(files: readonly TestSpecification[], first: readonly string[]): readonly TestSpecification[] {
  const rank = ({ moduleId }: TestSpecification): number => first.findIndex((part) => moduleId.includes(part));
  return files.toSorted((a, b) => rank(a) - rank(b));
}

// Merges two lists so that each keeps its order and both end together.
function evenly<T>(one: readonly T[], other: readonly T[]): T[] {
  const placed = [one, other].flatMap((list) => list.map((item, at) => ({ item, at: (at + 0.5) / list.length })));
  return placed.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

// The tests' folders are in memory if there is room. A durable commit then takes a tenth of the time, and a kill has the same effect as with a disk.
const MEMORY = "/dev/shm";
const ROOM_BYTES = 4 * 1024 ** 3;
if (process.env["TMPDIR"] === undefined && existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > ROOM_BYTES) process.env["TMPDIR"] = MEMORY;
}

// These files replace a module or the clock, which later files in the same process must not see.
const REPLACING = ["test/unit/schema/built.test.ts", "test/unit/report/view/live.test.ts"];

// Both kinds of state have the same contract, so these tests run once with folders and once with a server.
const OF_STATE = [
  "test/unit/journal/{archives,journal,leases,meanwhile,proofs,starts,together,together-by-chance}.test.ts",
  "test/unit/schedule/{outbox,processes}.test.ts",
  "test/unit/reconcile/drift-book.test.ts",
  "test/unit/reconcile/words-and-clocks.test.ts",
];
if (BINARIES === undefined) console.warn("PostgreSQL is not installed: the tests of state on a server are skipped");

const config: ViteUserConfig = defineConfig({
  test: {
    // A test that hangs ends after this time. It is so long that a busy machine never decides a result.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    // There are three times as many processes as cores, because stories wait for a service or a pause.
    maxWorkers: availableParallelism() * 3,
    globalSetup: ["test/build.ts", "test/postgres/files.ts"],
    reporters: ["default", new ClosingLine()],
    setupFiles: ["test/cost.ts"],
    // Most objects of tests become garbage at once, and a larger young generation is collected less often.
    execArgv: ["--max-semi-space-size=64"],
    sequence: { sequencer: WaitingBesideWork },
    projects: [
      {
        extends: true,
        // Each process loads the sources once for all its files. Loading them for each file took a quarter of the tests' time.
        test: { name: "whole", include: ["test/**/*.test.ts"], exclude: [...REPLACING, "node_modules/**"], isolate: false },
      },
      { extends: true, test: { name: "replacing", include: REPLACING } },
      ...(BINARIES === undefined
        ? []
        : [
            {
              extends: true as const,
              test: { name: "server", include: OF_STATE, isolate: false, globalSetup: ["test/postgres/global.ts"] },
            },
          ]),
    ],
  },
});

export default config;
