import type { Command as Commander } from "commander";
import * as read from "./arguments.ts";
import type { Builder } from "./builder.ts";
import { collected, kind, memory, SENTENCE, typed } from "./option-kinds.ts";
import { WORDS } from "./words.ts";

/** Adds the commands that show drifts and record what people say about them. */
export function driftCommands(program: Commander, builder: Builder): void {
  const drift = builder.command(program, "drift").command;
  builder
    .subcommand(drift, "list", WORDS.drift.list)
    .with(memory)
    .flag("--all", WORDS.drift.all)
    .value("--limit <n>", WORDS.limit, kind(read.countingNumber), { default: 100 })
    .action(async () => (await import("../commands/see/drift.ts")).listDrifts);
  builder
    .subcommand(drift, "show", WORDS.drift.show)
    .with(memory)
    .argument("<drift>", WORDS.drift.id, typed("drifts"))
    .action(async () => (await import("../commands/see/drift.ts")).showDrift);
  builder
    .subcommand(drift, "ack", WORDS.drift.ack)
    .with(memory)
    .argument("<drift>", WORDS.drift.id, typed("drifts"))
    .value("--because <text>", WORDS.drift.because, SENTENCE)
    .value("--until <day>", WORDS.drift.until, typed("nothing"))
    .action(async () => (await import("../commands/see/drift.ts")).acknowledgeDrift);
  builder
    .subcommand(drift, "close", WORDS.drift.close)
    .with(memory)
    .argument("[drifts...]", WORDS.drift.ids, collected(read.collectName, "drifts"))
    .value("--playbook <name>", WORDS.drift.playbook, typed("nothing"))
    .value("--because <text>", WORDS.drift.over, SENTENCE)
    .action(async () => (await import("../commands/see/drift.ts")).closeDrifts);
  builder
    .subcommand(drift, "page", WORDS.drift.page)
    .argument("[comparison...]", WORDS.drift.comparison, collected(read.collectName, "comparisons"))
    .value("--out <file>", WORDS.drift.out, typed("files"))
    .value("--sign <key>", WORDS.drift.sign, typed("files"))
    .value("--state <dir>", WORDS.state, typed("folders"))
    .action(async () => (await import("../commands/see/drift-page.ts")).pageOfDrifts);
}
