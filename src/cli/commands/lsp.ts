import { serve } from "../lsp/server.ts";
import type { Command } from "../shell.ts";

/** `tokenbook lsp`: a language server for playbooks, until its editor lets go. */
export const lsp: Command<object> = (shell) => serve(shell);
