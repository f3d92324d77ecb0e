import { EXIT, type ExitCode } from "../../base/exit.ts";
import type { Failure } from "../../base/failure.ts";
import { formatFailure } from "../print/failure.ts";
import { hinted } from "../print/hint.ts";
import type { Shell } from "../shell.ts";

/** Shows which reports are missing, and returns the exit code. It is not 0, because a CI job must not take yesterday's report for today's. */
export function showMissing({ stderr, hint }: Shell, missing: readonly Failure[]): ExitCode {
  for (const failure of missing) stderr.write(formatFailure(hinted(failure, hint)));
  return missing.length === 0 ? EXIT.passed : EXIT.cannotStart;
}
