import { serve } from "../../lsp/server.ts";
import type { Command } from "../../shell.ts";

/** What editors say of themselves; stdio is the only way, and the end of stdin is what ends the server. */
interface LspOptions {
  readonly stdio?: boolean;
  readonly clientProcessId?: string;
}

/** `tokenbook lsp`: a language server for playbooks, until its editor lets go. */
export const lsp: Command<LspOptions> = (shell) => serve(shell);
