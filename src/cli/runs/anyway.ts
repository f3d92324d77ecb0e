import { Failure } from "../../base/failure.ts";
import type { Beginning } from "../../engine/run/start-run.ts";
import { reasonOf } from "../reason.ts";
import { type Shell, userOf } from "../shell.ts";

/** The options with which a person starts a run although earlier runs left writes open. */
export interface AnywayOptions {
  /** Starts the run although an earlier run left a write open. */
  readonly anyway?: boolean;
  /** Why that is safe, in the person's own words. The journal records it. */
  readonly because?: string;
}

/** Returns who started the run anyway, and why; nothing if neither option is given. Throws a Failure if only one of them is given. */
export function anywayOf(shell: Shell, { anyway, because }: AnywayOptions): Beginning["anyway"] {
  if (anyway === undefined && because === undefined) return undefined;
  const asking = { code: "run.anyway-incomplete", next: "repeat the command with: --anyway --because TEXT" };
  if (anyway === true)
    return { who: userOf(shell), because: reasonOf(because, { ...asking, message: "say why an open write does no harm" }) };
  throw new Failure({ ...asking, message: "--because says why a run begins with --anyway, which is missing" });
}
