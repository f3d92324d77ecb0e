import type { Command as Commander } from "commander";
import * as read from "./arguments.ts";
import { Builder, type Calling } from "./builder.ts";
import { coverageCommands } from "./coverage-commands.ts";
import type { Definition } from "./definition.ts";
import { driftCommands } from "./drift-commands.ts";
import { collected, dotenv, kind, memory, oneOf, SENTENCE, typed } from "./option-kinds.ts";
import { editorCommands } from "./editor-commands.ts";
import type { Shell } from "../shell.ts";
import { LIMITS } from "../../base/limits.ts";
import { RunReference } from "../runs/run-reference.ts";
import { runsCommands } from "./runs-commands.ts";
import { FORMATS } from "../../report/formats/format.ts";
import { COMMANDS } from "./command-words.ts";
import { WORDS } from "./words.ts";

const KIND = {
  text: typed("nothing"),
  sentence: SENTENCE,
  file: typed("files"),
  debug: { ...typed("files"), mayBeEmpty: true },
  folder: typed("folders"),
  playbook: typed("playbook files"),
  playbooks: collected(read.collectName, "playbook files"),
  environment: typed("environments"),
  operation: typed("operations"),
  operations: collected(read.collectName, "operations"),
  names: collected(read.collectName),
  shipped: typed("library playbooks"),
  openRun: kind(RunReference.parse, "runs to resume"),
  runs: collected(RunReference.collect, "runs and latest"),
  step: typed("steps to resolve"),
  reports: collected(read.collectReport, "report formats"),
  code: typed("codes"),
  input: collected(read.collectInput, "inputs of the playbooks"),
  tags: kind(read.tagList),
  shard: kind(read.shard),
  label: kind(read.queueLabel),
  labels: kind(read.queueLabels),
  key: kind(read.callersKey),
  address: kind(read.listenAddress),
  port: kind(read.port),
  number: kind(read.wholeNumber),
  count: kind(read.countingNumber),
  age: kind(read.age),
} as const;

/** Adds the environment of a run and the folder that stores the run. */
function where<Options>(definition: Definition<Options>, env: string = WORDS.env) {
  return definition.value("--env <name>", env, KIND.environment).with(dotenv).with(memory);
}

/** Adds the options of a command that sends requests and can show them. */
function sends<Options>(definition: Definition<Options>, env: string = WORDS.env) {
  return where(definition, env).value("--debug [file]", WORDS.debug, KIND.debug);
}

/** Adds the options of a command that makes runs and can keep their exchanges. */
function makesRuns<Options>(definition: Definition<Options>, env: string = WORDS.env) {
  return sends(definition, env).flag("--keep-exchanges", WORDS.keepExchanges);
}

/** Adds the options for how much of a run is printed. */
function detail<Options>(definition: Definition<Options>) {
  return definition.flag("--verbose", WORDS.verbose).flag("--quiet", WORDS.quiet, { conflicts: ["verbose"] });
}

/** Adds the options that set inputs. */
function inputs<Options>(definition: Definition<Options>) {
  return definition
    .value("--input <name=value>", WORDS.input, KIND.input, { default: {} })
    .value("--inputs <file>", WORDS.inputs, KIND.file);
}

/** Returns the program with all commands, their options and their help. */
export function buildProgram(shell: Shell, calling: Calling = {}): Commander {
  const builder = new Builder(shell, calling);
  const program = builder.root();
  runCommands(program, builder);
  writeCommands(program, builder);
  fleetCommands(program, builder);
  scheduleCommands(program, builder);
  testCommands(program, builder);
  lookCommands(program, builder);
  const order = [...Object.keys(COMMANDS), "crash-child", "complete"];
  (program.commands as Commander[]).sort((one, other) => order.indexOf(one.name()) - order.indexOf(other.name()));
  return program;
}

function writeCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "fmt")
    .argument("<files...>", WORDS.fmt.files, KIND.playbooks)
    .flag("--check", WORDS.fmt.check)
    .flag("--diff", WORDS.fmt.diff)
    .action(async () => (await import("../commands/start/fmt.ts")).fmt);
  builder
    .command(program, "convert")
    .argument("<from>", WORDS.convert.from, KIND.playbook)
    .argument("[to]", WORDS.convert.to, KIND.playbook)
    .flag("--accept-loss", WORDS.convert.acceptLoss)
    .flag("--json", WORDS.json)
    .action(async () => (await import("../commands/start/convert.ts")).convert);
  const created = builder.command(program, "new").command;
  builder
    .subcommand(created, "project", WORDS.new.project)
    .argument("<folder>", WORDS.new.folder, KIND.folder)
    .action(async () => (await import("../commands/start/new.ts")).newProject);
  builder
    .subcommand(created, "playbook", WORDS.new.playbook)
    .argument("<file>", WORDS.new.file, KIND.playbook)
    .value("--uses <operation>", WORDS.new.uses, KIND.operations)
    .action(async () => (await import("../commands/start/new.ts")).newPlaybook);
}

function runCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "run")
    .argument("<files...>", WORDS.run.files, KIND.playbooks)
    .with(makesRuns)
    .with(inputs)
    .value("--jobs <n>", WORDS.jobs, KIND.count, { default: 4 })
    .value("--tags <tags>", WORDS.tags, KIND.tags)
    .value("--report <format=file>", WORDS.report, KIND.reports, { default: [] })
    .value("--shard <k/n>", WORDS.run.shard, KIND.shard)
    .flag("--fail-fast", WORDS.run.failFast)
    .value("--each <file>", WORDS.run.each, KIND.file)
    .flag("--failed", WORDS.run.failed, { needs: "each" })
    .flag("--watch", WORDS.run.watch, { conflicts: ["each"] })
    .value("--repeat <n>", WORDS.run.repeat, kind(read.countUpTo(LIMITS.repeats)), { conflicts: ["each"] })
    .value("--plan <file>", WORDS.run.plan, KIND.file, { conflicts: ["each", "repeat", "watch"] })
    .flag("--yes", WORDS.yes)
    .value("--key <key>", WORDS.run.key, KIND.key, { conflicts: ["repeat", "watch"] })
    .with(detail)
    .flag("--anyway", WORDS.run.anyway)
    .value("--because <text>", WORDS.run.because, KIND.sentence)
    .action(async () => (await import("../commands/run/run.ts")).run);
  builder
    .command(program, "plan")
    .argument("<files...>", WORDS.run.files, KIND.playbooks)
    .with(sends)
    .with(inputs)
    .value("--out <file>", WORDS.plan.out, KIND.file)
    .action(async () => (await import("../commands/run/plan.ts")).plan);
  builder
    .command(program, "approve")
    .argument("<plan>", WORDS.approve.plan, KIND.file)
    .with(memory)
    .value("--because <text>", WORDS.approve.because, KIND.sentence)
    .action(async () => (await import("../commands/run/approve.ts")).approve);
  makesRuns(builder.command(program, "resume").argument("[run]", WORDS.resume.run, KIND.openRun), WORDS.resume.env)
    .flag("--yes", WORDS.yes)
    .value("--report <format=file>", WORDS.report, KIND.reports, { default: [] })
    .with(detail)
    .action(async () => (await import("../commands/run/resume.ts")).resume);
  builder
    .command(program, "resolve")
    .argument("<run>", WORDS.resolve.run, KIND.openRun)
    .with(memory)
    .value("--step <address>", WORDS.resolve.step, KIND.step)
    .value("--as <verdict>", WORDS.resolve.as, oneOf(["applied", "absent"]), { needs: "step" })
    .value("--because <text>", WORDS.resolve.because, KIND.sentence, { needs: "step" })
    .action(async () => (await import("../commands/run/resolve.ts")).resolve);
  builder
    .command(program, "check")
    .argument("[files...]", WORDS.run.files, KIND.playbooks)
    .value("--format <format>", WORDS.check.format, oneOf(["text", "json", "github", "sarif"]))
    .flag("--json", WORDS.check.json, { conflicts: ["format"] })
    .value("--tags <tags>", WORDS.tags, KIND.tags)
    .flag("--watch", WORDS.check.watch)
    .value("--explain <code>", WORDS.check.explain, KIND.code, { conflicts: ["files", "tags", "watch"] })
    .action(async () => (await import("../commands/start/check.ts")).check);
}

function fleetCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "submit")
    .argument("<files...>", WORDS.run.files, KIND.playbooks)
    .value("--env <name>", WORDS.env, KIND.environment)
    .with(dotenv)
    .with(inputs)
    .value("--tags <tags>", WORDS.tags, KIND.tags)
    .value("--key <key>", WORDS.run.key, KIND.key)
    .value("--label <label>", WORDS.fleet.label, KIND.label, { default: "default" })
    .flag("--wait", WORDS.fleet.wait)
    .flag("--yes", WORDS.yes)
    .flag("--json", WORDS.json)
    .action(async () => (await import("../commands/run/submit.ts")).submit);
  builder
    .command(program, "worker")
    .with(dotenv)
    .value("--jobs <n>", WORDS.jobs, KIND.count, { default: 4 })
    .value("--labels <labels>", WORDS.fleet.labels, KIND.labels)
    .value("--listen <[host:]port>", WORDS.schedule.listen, KIND.address)
    .flag("--json", WORDS.json)
    .action(async () => (await import("../commands/serve/worker.ts")).worker);
}

function scheduleCommands(program: Commander, builder: Builder): void {
  const schedule = builder
    .command(program, "schedule")
    .argument("[files...]", WORDS.run.files, KIND.playbooks)
    .with(where)
    .flag("--once", WORDS.schedule.once)
    .flag("--keep-exchanges", WORDS.keepExchanges)
    .flag("--yes", WORDS.yes)
    .with(inputs)
    .value("--jobs <n>", WORDS.jobs, KIND.count, { default: 4 })
    .value("--tags <tags>", WORDS.tags, KIND.tags)
    .value("--report <format=file>", WORDS.schedule.report, KIND.reports, { default: [] })
    .value("--notify <name>", WORDS.schedule.notify, KIND.names)
    .value("--listen <[host:]port>", WORDS.schedule.listen, KIND.address, { conflicts: ["once"] })
    .action(async () => (await import("../commands/serve/schedule.ts")).schedule);
  builder
    .subcommand(schedule, "list", WORDS.schedule.list)
    .argument("[files...]", WORDS.run.files, KIND.playbooks)
    .value("--env <name>", WORDS.env, KIND.environment, { needs: "files" })
    .with(dotenv)
    .with(memory)
    .value("--input <name=value>", WORDS.input, KIND.input, { default: {}, needs: "files" })
    .value("--inputs <file>", WORDS.inputs, KIND.file, { needs: "files" })
    .value("--next <n>", WORDS.schedule.next, kind(read.countUpTo(LIMITS.firingsListed)))
    .action(async () => (await import("../commands/serve/schedule-list.ts")).listSchedules);
  builder
    .subcommand(schedule, "history", WORDS.schedule.history)
    .with(memory)
    .argument("[schedule]", WORDS.schedule.which, KIND.playbook)
    .value("--limit <n>", WORDS.limit, KIND.count, { default: 20 })
    .action(async () => (await import("../commands/serve/schedule-list.ts")).history);
  builder
    .subcommand(schedule, "release", WORDS.schedule.release)
    .with(memory)
    .argument("<schedule>", WORDS.schedule.which, KIND.playbook)
    .value("--because <text>", WORDS.schedule.because, KIND.sentence)
    .action(async () => (await import("../commands/serve/schedule-list.ts")).releaseSchedule);
}

function testCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "test")
    .argument("<files...>", WORDS.run.files, KIND.playbooks)
    .with(dotenv)
    .flag("--crash-everywhere", WORDS.test.crashEverywhere)
    .with(inputs)
    .value("--tags <tags>", WORDS.tags, KIND.tags)
    .value("--seed <file>", WORDS.sandbox.seed, KIND.file)
    .value("--profile <environment>", WORDS.sandbox.profile, KIND.environment)
    .value("--jobs <n>", WORDS.test.jobs, KIND.count)
    .value("--at <boundary>", WORDS.test.at, KIND.text)
    .value("--keep <folder>", WORDS.test.keep, KIND.folder)
    .flag("--on-server", WORDS.test.onServer, { conflicts: ["keep"] })
    .flag("--json", WORDS.json)
    .action(async () => (await import("../commands/run/test.ts")).test);
  builder
    .command(program, "explore")
    .value("--env <name>", WORDS.env, KIND.environment)
    .with(dotenv)
    .value("--seed <n>", WORDS.explore.seed, KIND.number)
    .value("--sequences <n>", WORDS.explore.sequences, KIND.count)
    .value("--time <duration>", WORDS.explore.time, KIND.age)
    .value("--output <folder>", WORDS.explore.output, KIND.folder, { default: "explored" })
    .flag("--json", WORDS.json)
    .action(async () => (await import("../commands/run/explore.ts")).explore);
  // `test` starts this command and kills it.
  builder
    .hidden(program, "crash-child")
    .with(dotenv)
    .action(async () => (await import("../commands/run/crash-child.ts")).crashChild);
}

function lookCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "doctor")
    .with(sends)
    .action(async () => (await import("../commands/start/doctor.ts")).doctor);
  builder
    .command(program, "calibrate")
    .with(sends)
    .flag("--may-write", WORDS.calibrate.mayWrite)
    .flag("--write", WORDS.calibrate.write)
    .value("--as <entity>", WORDS.calibrate.as, KIND.text, { needs: "mayWrite" })
    .action(async () => (await import("../commands/start/calibrate.ts")).calibrate);
  runsCommands(program, builder);
  driftCommands(program, builder);
  stateCommands(program, builder);
  builder
    .command(program, "report")
    .argument("<runs...>", WORDS.reporting.runs, KIND.runs)
    .value("--report <format=file>", WORDS.report, KIND.reports, { default: [] })
    .value("--format <format>", WORDS.reporting.format, oneOf(FORMATS))
    .value("--state <dir>", WORDS.state, KIND.folder)
    .value("--archive <path>", WORDS.runs.inArchives, KIND.file)
    .action(async () => (await import("../commands/see/report.ts")).report);
  coverageCommands(program, builder);
  builder
    .command(program, "view")
    .with(memory)
    .value("--port <n>", WORDS.view.port, KIND.port, { default: 0 })
    .action(async () => (await import("../commands/see/view.ts")).view);
  builder
    .command(program, "operations")
    .argument("[name...]", WORDS.operations.name, KIND.operations)
    .flag("--json", WORDS.json)
    .action(async () => (await import("../commands/reference/operations.ts")).operations);
  builder
    .command(program, "call")
    .argument("<operation>", WORDS.call.operation, KIND.operation)
    .argument("[values...]", WORDS.call.values, KIND.input)
    .value("--as <who>", WORDS.call.as, KIND.text)
    .value("--pages <n>", WORDS.call.pages, KIND.count)
    .value("--env <name>", WORDS.env, KIND.environment)
    .with(dotenv)
    .value("--state <dir>", WORDS.state, KIND.folder)
    .value("--debug [file]", WORDS.debug, KIND.debug)
    .action(async () => (await import("../commands/see/call.ts")).call);
  builder
    .command(program, "library")
    .argument("[name]", WORDS.library.name, KIND.shipped)
    .flag("--text", WORDS.library.text, { needs: "name" })
    .flag("--json", WORDS.json, { conflicts: ["text"] })
    .action(async () => (await import("../commands/reference/library.ts")).library);
  builder
    .command(program, "sandbox")
    .value("--port <n>", WORDS.sandbox.port, KIND.port, { default: 4010 })
    .value("--db <file>", WORDS.sandbox.db, KIND.file)
    .value("--seed <file>", WORDS.sandbox.seed, KIND.file)
    .value("--faults <file>", WORDS.sandbox.faults, KIND.file)
    .value("--profile <environment>", WORDS.sandbox.profile, KIND.environment)
    .value("--dialect <file>", WORDS.sandbox.dialect, KIND.file)
    .value("--commit-delay <ms>", WORDS.sandbox.delay, KIND.number, { default: 20 })
    .flag("--write-env", WORDS.sandbox.writeEnv)
    .flag("--json", WORDS.json)
    .action(async () => (await import("../commands/serve/sandbox.ts")).sandbox);
  editorCommands(program, builder);
}

function stateCommands(program: Commander, builder: Builder): void {
  const state = builder.command(program, "state").command;
  builder
    .subcommand(state, "move", WORDS.moving.move)
    .argument("<from>", WORDS.moving.from, KIND.folder)
    .argument("<to>", WORDS.moving.to, KIND.folder)
    .with(dotenv)
    .flag("--json", WORDS.json)
    .action(async () => (await import("../commands/see/state-move.ts")).moveState);
}
