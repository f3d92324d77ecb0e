import { serveDebugger } from "../../debug/adapter.ts";
import type { Command } from "../../shell.ts";

/** Accepted because editors pass it. Stdio is the only transport. */
interface DebugOptions {
  readonly stdio?: boolean;
}

/** `tokenbook debug`: makes one run for an editor's debugger, until the editor disconnects. */
export const debug: Command<DebugOptions> = (shell) => serveDebugger(shell);
