import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// A file that takes a minute by itself must not begin last.
const LONG_FIRST = ["/test/simulation/", "/test/crash/", "/test/stories/", ""];

function rank({ moduleId }: TestSpecification): number {
  return LONG_FIRST.findIndex((folder) => moduleId.includes(folder));
}

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files); // oxlint-disable-line unicorn/no-array-sort -- no array's
    return usual.toSorted((a, b) => rank(a) - rank(b));
  }
}

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores, and one more process that has them while the stories wait for a service or a pause.
    maxWorkers: 3,
    globalSetup: ["test/build.ts"],
    sequence: { sequencer: LongFirst },
  },
});

export default config;
