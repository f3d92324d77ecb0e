import { expect, test } from "vitest";
import { BINARIES } from "./server.ts";

// The same test files run a second time on a server, in the project "server". If they do not run, the summary shows that this test was skipped.
test.skipIf(BINARIES === undefined)("PostgreSQL is installed, so the tests of state run on a server too", () => {
  expect(BINARIES).toBeDefined();
});
