import { serve } from "../../lsp/server.ts";
import type { Command } from "../../shell.ts";

/** Options that editors pass. Stdio is the only transport, and the server ends when stdin ends. */
interface LspOptions {
  readonly stdio?: boolean;
  readonly clientProcessId?: string;
}

/** `tokenbook lsp`: a language server for playbooks, which runs until its editor disconnects. */
export const lsp: Command<LspOptions> = (shell) => serve(shell);
