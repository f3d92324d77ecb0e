import { Failure } from "../../base/failure.ts";
import type { Beginning } from "../../engine/run/start-run.ts";
import { reasonOf } from "../reason.ts";
import { type Shell, userOf } from "../shell.ts";

/** The options by which a person begins a run beside writes that earlier runs left open. */
export interface AnywayOptions {
  /** Begins although an earlier run left a write open. */
  readonly anyway?: boolean;
  /** Why that is safe, in the words of the person; the journal keeps it. */
  readonly because?: string;
}

/** Returns who began the run anyway, and why; nothing without both options. Throws a Failure when one of them is missing. */
export function anywayOf(shell: Shell, { anyway, because }: AnywayOptions): Beginning["anyway"] {
  if (anyway === undefined && because === undefined) return undefined;
  const asking = { code: "run.anyway-incomplete", next: "repeat the command with: --anyway --because TEXT" };
  if (anyway === true)
    return { who: userOf(shell), because: reasonOf(because, { ...asking, message: "say why an open write does no harm" }) };
  throw new Failure({ ...asking, message: "--because says why a run begins with --anyway, which is missing" });
}
