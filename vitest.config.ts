import { existsSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { ClosingLine } from "./test/closing-line.ts";
import { PATIENCE_MS } from "./test/patience.ts";
import { BINARIES } from "./test/postgres/server.ts";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// A file that takes a minute by itself must not begin last.
const LONG_FIRST = ["/test/simulation/", "/test/fleet/", "/test/crash/", "/test/stories/", ""];

function rank({ moduleId }: TestSpecification): number {
  return LONG_FIRST.findIndex((folder) => moduleId.includes(folder));
}

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files); // oxlint-disable-line unicorn/no-array-sort -- no array's
    return usual.toSorted((a, b) => rank(a) - rank(b));
  }
}

// The folders of the tests are in memory where there is room: there a durable commit takes a tenth of the time, and a kill leaves the same.
const MEMORY = "/dev/shm";
const ROOM_BYTES = 4 * 1024 ** 3;
if (process.env["TMPDIR"] === undefined && existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > ROOM_BYTES) process.env["TMPDIR"] = MEMORY;
}

const PURE = ["test/unit/**/*.test.ts", "test/probes/**/*.test.ts", "test/editor/**/*.test.ts"];
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
    // There are twice as many processes as cores, because stories wait for a service or a pause.
    maxWorkers: availableParallelism() * 2,
    globalSetup: ["test/build.ts", "test/postgres/files.ts"],
    reporters: ["default", new ClosingLine()],
    setupFiles: ["test/cost.ts"],
    // Most of what tests make is garbage at once, and is collected less often in a larger space.
    execArgv: ["--max-semi-space-size=64"],
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        // Each process loads the sources once for all of its files: loading them for each took a quarter of these tests' time.
        test: { name: "pure", include: PURE, exclude: REPLACING, isolate: false },
      },
      {
        extends: true,
        test: { name: "whole", include: ["test/**/*.test.ts"], exclude: [...PURE, "node_modules/**"], isolate: false },
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
