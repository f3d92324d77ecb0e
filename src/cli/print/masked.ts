import type { Redact } from "../../base/secret.ts";
import { RewrittenTerminal } from "./rewritten-terminal.ts";
import type { Shell } from "../shell.ts";

// The last step before printing: records are masked when they are made, and all other output is masked here.

/** Returns the same shell, which masks secrets in all output. */
export function maskedShell<S extends Shell>(shell: S, redact: Redact): S {
  return { ...shell, stdout: new RewrittenTerminal(shell.stdout, redact), stderr: new RewrittenTerminal(shell.stderr, redact) };
}

/** Masks the secrets in the texts of an unexpected error. */
export function maskedError(error: unknown, redact: Redact): unknown {
  if (!(error instanceof Error)) return error;
  error.message = redact(error.message);
  // The stack of an error from another thread can only be replaced in this way.
  if (error.stack !== undefined) Object.defineProperty(error, "stack", { value: redact(error.stack), configurable: true });
  return error;
}
