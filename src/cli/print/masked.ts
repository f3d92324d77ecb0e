import type { Redact } from "../../base/secret.ts";
import { RewrittenTerminal } from "./rewritten-terminal.ts";
import type { Shell } from "../shell.ts";

// The last door: records are masked as they are made, and whatever is printed beside them passes here.

/** The same shell, which prints no secret. */
export function maskedShell<S extends Shell>(shell: S, redact: Redact): S {
  return { ...shell, stdout: new RewrittenTerminal(shell.stdout, redact), stderr: new RewrittenTerminal(shell.stderr, redact) };
}

/** An unexpected error whose words hold no secret. */
export function maskedError(error: unknown, redact: Redact): unknown {
  if (!(error instanceof Error)) return error;
  error.message = redact(error.message);
  if (error.stack !== undefined) error.stack = redact(error.stack);
  return error;
}
