import { expect, test } from "vitest";
import { BINARIES } from "./server.ts";

// The same test files run a second time on a server, in the project "server"; this one shows in the summary when they do not.
test.skipIf(BINARIES === undefined)("PostgreSQL is installed, so the tests of state run on a server too", () => {
  expect(BINARIES).toBeDefined();
});
