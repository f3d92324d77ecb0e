import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the command before the first story, because the stories run it. Skips the build if they run another command. */
export function setup(): void {
  if (process.env["TOKENBOOK_BIN"] !== undefined) return;
  execFileSync(process.execPath, [fileURLToPath(new URL("../scripts/build.ts", import.meta.url)), "--no-types"], {
    stdio: "inherit",
  });
}
