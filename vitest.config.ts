import { existsSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { ClosingLine } from "./test/closing-line.ts";
import { PATIENCE_MS } from "./test/patience.ts";
import { BINARIES } from "./test/postgres/server.ts";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Files that mostly wait: for processes that they start, a browser, or a pause. The others mostly compute. In each list, what takes long begins early.
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

// Each list keeps its order, and both end together.
function evenly<T>(one: readonly T[], other: readonly T[]): T[] {
  const placed = [one, other].flatMap((list) => list.map((item, at) => ({ item, at: (at + 0.5) / list.length })));
  return placed.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

// The folders of the tests are in memory where there is room: there a durable commit takes a tenth of the time, and a kill leaves the same.
const MEMORY = "/dev/shm";
const ROOM_BYTES = 4 * 1024 ** 3;
if (process.env["TMPDIR"] === undefined && existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > ROOM_BYTES) process.env["TMPDIR"] = MEMORY;
}

// These replace a module or the clock, which the files that a process runs after them must not see.
const REPLACING = ["test/unit/schema/built.test.ts", "test/unit/report/view/live.test.ts"];

// One contract for both kinds of state: these run once in folders, and once more on a server.
const OF_STATE = [
  "test/unit/journal/{archives,journal,leases,meanwhile,proofs,starts,together,together-by-chance}.test.ts",
  "test/unit/schedule/{outbox,processes}.test.ts",
  "test/unit/reconcile/drift-book.test.ts",
  "test/unit/reconcile/words-and-clocks.test.ts",
];
if (BINARIES === undefined) console.warn("PostgreSQL is not installed: the tests of state on a server are skipped");

const config: ViteUserConfig = defineConfig({
  test: {
    // A test that hangs ends; how long one takes on a busy machine decides nothing.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    // There are three times as many processes as cores, because stories wait for a service or a pause.
    maxWorkers: availableParallelism() * 3,
    globalSetup: ["test/build.ts", "test/postgres/files.ts"],
    reporters: ["default", new ClosingLine()],
    setupFiles: ["test/cost.ts"],
    // Most of what tests make is garbage at once, and is collected less often in a larger space.
    execArgv: ["--max-semi-space-size=64"],
    sequence: { sequencer: WaitingBesideWork },
    projects: [
      {
        extends: true,
        // Each process loads the sources once for all of its files: loading them for each took a quarter of these tests' time.
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
