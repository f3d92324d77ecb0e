import type { Command as Commander } from "commander";
import type { Thresholds } from "../../coverage/dimensions.ts";
import type { ReportRequest } from "../../report/formats/format.ts";
import { RunReference } from "../runs/run-reference.ts";
import * as read from "./arguments.ts";
import type { Builder } from "./builder.ts";
import type { Definition, OfferedValues, Reader } from "./definition.ts";
import { WORDS } from "./words.ts";

function kind<T>(readValue: Reader<T>["read"], offers: OfferedValues = "nothing"): Reader<T> {
  return { read: readValue, offers };
}

const KIND = {
  runs: kind(RunReference.collect, "runs and latest"),
  reports: kind<readonly ReportRequest[]>((text, before = []) => read.collectReport(text, before), "report formats"),
  thresholds: kind<Thresholds>(read.thresholds),
  environment: kind((text) => text, "environments"),
  file: kind((text) => text, "files"),
  folder: kind((text) => text, "folders"),
  age: kind(read.age),
} as const;

function memory<Options>(definition: Definition<Options>) {
  return definition.value("--state <dir>", WORDS.state, KIND.folder).flag("--json", WORDS.json);
}

/** Adds the commands that look at the exchanges of runs. */
export function coverageCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "coverage")
    .argument("[runs...]", WORDS.coverage.runs, KIND.runs)
    .with(memory)
    .value("--since <age>", WORDS.coverage.since, KIND.age, { default: 30 * 86_400_000 })
    .value("--env <name>", WORDS.coverage.env, KIND.environment)
    .value("--report <format=file>", WORDS.coverage.report, KIND.reports, { default: [] })
    .value("--fail-under <dimension=percent>", WORDS.coverage.failUnder, KIND.thresholds, { default: {} })
    .flag("--verbose", WORDS.coverage.verbose)
    .action(async () => (await import("../commands/coverage.ts")).coverage);
  const contract = builder.command(program, "contract").command;
  builder
    .subcommand(contract, "drift", WORDS.contract.drift)
    .with(memory)
    .value("--har <file>", WORDS.contract.har, KIND.file)
    .value("--env <name>", WORDS.contract.env, KIND.environment)
    .action(async () => (await import("../commands/contract-drift.ts")).contractDrift);
}

/** Adds the command that removes kept exchanges. */
export function dropCommand(runs: Commander, builder: Builder): void {
  builder
    .subcommand(runs, "drop-exchanges", WORDS.runs.dropExchanges)
    .with(memory)
    .argument("[runs...]", WORDS.reporting.runs, KIND.runs)
    .value("--older <age>", WORDS.runs.olderExchanges, KIND.age)
    .action(async () => (await import("../commands/drop-exchanges.ts")).dropExchanges);
}
