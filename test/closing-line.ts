import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with one uncolored line for machines: how many tests passed, failed and were skipped. */
export class ClosingLine implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const file of files) {
      for (const test of file.children.allTests()) {
        const { state } = test.result();
        // A test without a result at the end of the run was interrupted.
        counts[state === "pending" ? "failed" : state] += 1;
      }
    }
    process.on("exit", () => {
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    });
  }
}
