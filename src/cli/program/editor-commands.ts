import type { Command as Commander } from "commander";
import type { Builder } from "./builder.ts";
import { dotenv, oneOf, typed } from "./option-kinds.ts";
import { WORDS } from "./words.ts";

/** The shells that can complete our commands. */
export const SHELL_NAMES = ["bash", "zsh", "fish", "powershell"] as const;

/** Adds the commands that shells, editors and assistants start. */
export function editorCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "completion")
    .argument("<shell>", WORDS.completion.shell, oneOf(SHELL_NAMES))
    .action(async () => (await import("../commands/reference/completion.ts")).completion);
  // The scripts of `completion` call this command.
  builder
    .hidden(program, "complete")
    .argument("<line>", "", typed("nothing"))
    .action(async () => (await import("../commands/reference/completion.ts")).complete);
  builder
    .command(program, "lsp")
    .flag("--stdio", WORDS.lsp.stdio)
    .value("--clientProcessId <pid>", WORDS.lsp.client, typed("nothing"), { hidden: true })
    .action(async () => (await import("../commands/serve/lsp.ts")).lsp);
  builder
    .command(program, "debug")
    .flag("--stdio", WORDS.lsp.stdio)
    .action(async () => (await import("../commands/serve/debug.ts")).debug);
  builder
    .command(program, "mcp")
    .with(dotenv)
    .value("--state <dir>", WORDS.state, typed("folders"))
    .value("--allow-writes <env>", WORDS.mcp.allowWrites, typed("environments"))
    .action(async () => (await import("../commands/serve/mcp.ts")).mcp);
  builder
    .command(program, "schema")
    .argument("[name]", WORDS.schema.name, typed("schemas"), { default: "playbook" })
    .action(async () => (await import("../commands/reference/schema.ts")).schema);
}
