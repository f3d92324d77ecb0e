import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The stories run the built command, so it is built before the first of them, unless they run another. */
export function setup(): void {
  if (process.env["TOKENBOOK_BIN"] !== undefined) return;
  execFileSync(process.execPath, [fileURLToPath(new URL("../scripts/build.ts", import.meta.url)), "--no-types"], {
    stdio: "inherit",
  });
}
