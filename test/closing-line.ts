import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with one line that any machine can read, without colours: how many tests passed, failed and were skipped. */
export class ClosingLine implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const file of files) {
      for (const test of file.children.allTests()) {
        const { state } = test.result();
        // A test that has no result when the run ends was interrupted.
        counts[state === "pending" ? "failed" : state] += 1;
      }
    }
    process.on("exit", () => {
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    });
  }
}
