import type { Command as Commander } from "commander";
import { RunReference } from "../runs/run-reference.ts";
import * as read from "./arguments.ts";
import type { Builder } from "./builder.ts";
import type { Reader } from "./definition.ts";
import { collected, kind, memory, SENTENCE, typed } from "./option-kinds.ts";
import { WORDS } from "./words.ts";

const RUN: Reader<RunReference> = kind(RunReference.parse, "runs and latest");

/** Adds the commands that list, show, check, archive and release runs. */
export function runsCommands(program: Commander, builder: Builder): void {
  const runs = builder
    .command(program, "runs")
    .with(memory)
    .value("--limit <n>", WORDS.limit, kind(read.countingNumber), { default: 20 })
    .value("--archive <path>", WORDS.runs.inArchives, typed("files"))
    .flag("--queued", WORDS.runs.queued)
    .action(async () => (await import("../commands/see/runs.ts")).listRuns);
  builder
    .subcommand(runs, "show", WORDS.runs.show)
    .with(memory)
    .argument("<run>", WORDS.runs.shown, RUN)
    .value("--archive <path>", WORDS.runs.inArchives, typed("files"))
    .action(async () => (await import("../commands/see/runs.ts")).showRun);
  builder
    .subcommand(runs, "export", WORDS.runs.export)
    .argument("<run>", WORDS.runs.shown, RUN)
    .value("--state <dir>", WORDS.state, typed("folders"))
    .value("--archive <path>", WORDS.runs.inArchives, typed("files"))
    .action(async () => (await import("../commands/see/records.ts")).exportRun);
  builder
    .subcommand(runs, "verify", WORDS.runs.verify)
    .with(memory)
    .argument("[run]", WORDS.runs.verified, RUN)
    .value("--archive <dir>", WORDS.runs.verifiedArchives, typed("folders"))
    .action(async () => (await import("../commands/see/records.ts")).verifyRuns);
  builder
    .subcommand(runs, "archive", WORDS.runs.archive)
    .with(memory)
    .value("--older <age>", WORDS.runs.older, kind(read.age))
    .value("--to <dir>", WORDS.runs.to, typed("folders"))
    .action(async () => (await import("../commands/see/runs-archive.ts")).archive);
  builder
    .subcommand(runs, "drop-exchanges", WORDS.runs.dropExchanges)
    .with(memory)
    .argument("[runs...]", WORDS.reporting.runs, collected(RunReference.collect, "runs and latest"))
    .value("--older <age>", WORDS.runs.olderExchanges, kind(read.age))
    .action(async () => (await import("../commands/see/drop-exchanges.ts")).dropExchanges);
  builder
    .subcommand(runs, "leases", WORDS.runs.leases)
    .with(memory)
    .action(async () => (await import("../commands/see/leases.ts")).listLeases);
  builder
    .subcommand(runs, "release", WORDS.runs.release)
    .with(memory)
    .argument("<run>", WORDS.runs.shown, RUN)
    .value("--because <text>", WORDS.runs.because, SENTENCE)
    .action(async () => (await import("../commands/see/leases.ts")).release);
  builder
    .subcommand(runs, "withdraw", WORDS.runs.withdraw)
    .with(memory)
    .argument("<key>", WORDS.runs.withdrawn, kind(read.callersKey))
    .action(async () => (await import("../commands/see/runs-queued.ts")).withdraw);
  builder
    .subcommand(runs, "accept-loss", WORDS.runs["accept-loss"])
    .with(memory)
    .value("--because <text>", WORDS.runs.looked, SENTENCE)
    .action(async () => (await import("../commands/see/accept-loss.ts")).acceptLosses);
}
