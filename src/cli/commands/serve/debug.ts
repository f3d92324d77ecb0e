import { serveDebugger } from "../../debug/adapter.ts";
import type { Command } from "../../shell.ts";

/** Stdio is the only way. */
interface DebugOptions {
  readonly stdio?: boolean;
}

/** `tokenbook debug`: makes one run for an editor's debugger, until the editor lets go. */
export const debug: Command<DebugOptions> = (shell) => serveDebugger(shell);
