import type { Command as Commander } from "commander";
import { RunReference } from "../runs/run-reference.ts";
import * as read from "./arguments.ts";
import type { Builder } from "./builder.ts";
import { collected, kind, memory, typed } from "./option-kinds.ts";
import { WORDS } from "./words.ts";

/** Adds the commands that report on the exchanges of runs. */
export function coverageCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "coverage")
    .argument("[runs...]", WORDS.coverage.runs, collected(RunReference.collect, "runs and latest"))
    .with(memory)
    .value("--since <age>", WORDS.coverage.since, kind(read.age), { default: read.age("30d"), shown: "30d", conflicts: ["runs"] })
    .value("--env <name>", WORDS.coverage.env, typed("environments"), { conflicts: ["runs"] })
    .value("--report <format=file>", WORDS.coverage.report, collected(read.collectCoverageReport, "report formats"), {
      default: [],
    })
    .value("--fail-under <dimension=percent>", WORDS.coverage.failUnder, collected(read.thresholds), { default: {} })
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
