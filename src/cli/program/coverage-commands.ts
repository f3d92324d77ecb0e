import type { Command as Commander } from "commander";
import type { Thresholds } from "../../coverage/dimensions.ts";
import type { ReportRequest } from "../../report/formats/format.ts";
import { RunReference } from "../runs/run-reference.ts";
import * as read from "./arguments.ts";
import type { Builder } from "./builder.ts";
import { collected, kind, memory, typed } from "./option-kinds.ts";
import { WORDS } from "./words.ts";

/** Adds the commands that look at the exchanges of runs. */
export function coverageCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "coverage")
    .argument("[runs...]", WORDS.coverage.runs, collected(RunReference.collect, "runs and latest"))
    .with(memory)
    .value("--since <age>", WORDS.coverage.since, kind(read.age), { default: read.age("30d"), shown: "30d" })
    .value("--env <name>", WORDS.coverage.env, typed("environments"))
    .value(
      "--report <format=file>",
      WORDS.coverage.report,
      collected<readonly ReportRequest[]>((text, before = []) => read.collectReport(text, before), "report formats"),
      { default: [] },
    )
    .value("--fail-under <dimension=percent>", WORDS.coverage.failUnder, collected<Thresholds>(read.thresholds), { default: {} })
    .flag("--verbose", WORDS.coverage.verbose)
    .action(async () => (await import("../commands/see/coverage.ts")).coverage);
  const contract = builder.command(program, "contract").command;
  builder
    .subcommand(contract, "drift", WORDS.contract.drift)
    .with(memory)
    .value("--har <file>", WORDS.contract.har, typed("files"))
    .value("--env <name>", WORDS.contract.env, typed("environments"))
    .action(async () => (await import("../commands/see/contract-drift.ts")).contractDrift);
}

/** Adds the command that removes kept exchanges. */
export function dropCommand(runs: Commander, builder: Builder): void {
  builder
    .subcommand(runs, "drop-exchanges", WORDS.runs.dropExchanges)
    .with(memory)
    .argument("[runs...]", WORDS.reporting.runs, collected(RunReference.collect, "runs and latest"))
    .value("--older <age>", WORDS.runs.olderExchanges, kind(read.age))
    .action(async () => (await import("../commands/see/drop-exchanges.ts")).dropExchanges);
}
