import { Argument, Command as Commander, CommanderError, Option } from "commander";
import type { ExitCode } from "../base/exit.ts";
import { Failure } from "../base/failure.ts";
import { VERSION } from "../base/version.ts";
import {
  callersKey,
  collectInput,
  collectName,
  collectReport,
  countingNumber,
  listenAddress,
  port,
  tagList,
  wholeNumber,
} from "./arguments.ts";
import { fitted, widthOn } from "./columns.ts";
import { type Hint, hinted, hintFor } from "./hint.ts";
import type { Command, Shell } from "./shell.ts";
import { endOf, refuseEmpty, refuseOfParent } from "./usage.ts";
import { RewrittenTerminal } from "./rewritten-terminal.ts";
import { RunName } from "./run-name.ts";
import { FORMATS } from "../report/format.ts";
import { WORDS } from "./words.ts";

/** Each command is loaded when it is called: start-up is a feature. */
type Load<Options> = () => Promise<Command<Options>>;

/** What is told of the command that was called. */
export interface Calling {
  /** Before it does anything: how it tells people what to type. */
  readonly begin?: (hint: Hint) => void;
  readonly finish?: (code: ExitCode) => void;
}

/** The shells that can complete our commands. */
export const SHELL_NAMES = ["bash", "zsh", "fish", "powershell"] as const;

/** All commands, their options and their help. */
export function buildProgram(shell: Shell, calling: Calling = {}): Commander {
  const builder = new Builder(shell, calling);
  const program = builder.root();
  runCommands(program, builder);
  writeCommands(program, builder);
  scheduleCommands(program, builder);
  testCommands(program, builder);
  lookCommands(program, builder);
  return program;
}

function writeCommands(program: Commander, builder: Builder): void {
  builder
    .command(program, "fmt")
    .argument("<files...>", WORDS.fmt.files)
    .option("--check", WORDS.fmt.check)
    .option("--diff", WORDS.fmt.diff)
    .action(builder.action(async () => (await import("./commands/fmt.ts")).fmt, "files"));
  const created = builder.command(program, "new");
  builder
    .subcommand(created, "project", WORDS.new.project)
    .argument("<folder>", WORDS.new.folder)
    .action(builder.action(async () => (await import("./commands/new.ts")).newProject, "folder"));
  builder
    .subcommand(created, "playbook", WORDS.new.playbook)
    .argument("<file>", WORDS.new.file)
    .option("--uses <operation>", WORDS.new.uses, collectName)
    .action(builder.action(async () => (await import("./commands/new.ts")).newPlaybook, "file"));
}

function runCommands(program: Commander, builder: Builder): void {
  builder
    .debug(builder.where(builder.command(program, "run").argument("<files...>", WORDS.run.files)))
    .option("--input <key=value>", WORDS.input, collectInput, {})
    .option("--inputs <file>", WORDS.inputs)
    .addOption(new Option("--jobs <n>", WORDS.jobs).argParser(wholeNumber).default(4))
    .option("--tags <tags>", WORDS.tags, tagList)
    .option("--report <format=file>", WORDS.report, collectReport, [])
    .option("--plan <file>", WORDS.run.plan)
    .option("--key <key>", WORDS.run.key, callersKey)
    .option("--anyway", WORDS.run.anyway)
    .option("--because <text>", WORDS.run.because)
    .action(builder.action(async () => (await import("./commands/run.ts")).run, "files"));
  builder
    .debug(builder.where(builder.command(program, "plan").argument("<files...>", WORDS.run.files)))
    .option("--input <key=value>", WORDS.input, collectInput, {})
    .option("--inputs <file>", WORDS.inputs)
    .option("--out <file>", WORDS.plan.out)
    .action(builder.action(async () => (await import("./commands/plan.ts")).plan, "files"));
  builder
    .debug(builder.where(builder.command(program, "resume").argument("[run]", WORDS.resume.run, RunName.parse), WORDS.resume.env))
    .option("--report <format=file>", WORDS.report, collectReport, [])
    .action(builder.action(async () => (await import("./commands/resume.ts")).resume, "run"));
  builder
    .memory(builder.command(program, "resolve").argument("<run>", WORDS.resolve.run, RunName.parse))
    .option("--step <address>", WORDS.resolve.step)
    .addOption(new Option("--as <verdict>", WORDS.resolve.as).choices(["applied", "absent"]))
    .option("--because <text>", WORDS.resolve.because)
    .action(builder.action(async () => (await import("./commands/resolve.ts")).resolve, "run"));
  builder
    .command(program, "check")
    .argument("[files...]", WORDS.run.files)
    .addOption(new Option("--format <format>", WORDS.check.format).choices(["text", "json", "github", "sarif"]).conflicts("json"))
    .option("--json", WORDS.check.json)
    .option("--tags <tags>", WORDS.tags, tagList)
    .option("--explain <code>", WORDS.check.explain)
    .action(builder.action(async () => (await import("./commands/check.ts")).check, "files"));
}

function scheduleCommands(program: Commander, builder: Builder): void {
  const schedule = builder
    .where(builder.command(program, "schedule").argument("[files...]", WORDS.run.files))
    .option("--once", WORDS.schedule.once)
    .option("--input <key=value>", WORDS.input, collectInput, {})
    .option("--inputs <file>", WORDS.inputs)
    .addOption(new Option("--jobs <n>", WORDS.jobs).argParser(wholeNumber).default(4))
    .option("--tags <tags>", WORDS.tags, tagList)
    .option("--report <format=file>", WORDS.schedule.report, collectReport, [])
    .option("--notify <name>", WORDS.schedule.notify, collectName)
    .option("--listen <[host:]port>", WORDS.schedule.listen, listenAddress)
    .action(builder.action(async () => (await import("./commands/schedule.ts")).schedule, "files"));
  builder
    .where(builder.subcommand(schedule, "list", WORDS.schedule.list))
    .argument("[files...]", WORDS.run.files)
    .option("--input <key=value>", WORDS.input, collectInput, {})
    .option("--inputs <file>", WORDS.inputs)
    .option("--next <n>", WORDS.schedule.next, countingNumber)
    .action(builder.action(async () => (await import("./commands/schedule-list.ts")).listSchedules, "files"));
  builder
    .memory(builder.subcommand(schedule, "history", WORDS.schedule.history))
    .argument("[schedule]", WORDS.schedule.which)
    .option("--limit <n>", WORDS.limit, countingNumber, 20)
    .action(builder.action(async () => (await import("./commands/schedule-list.ts")).history, "schedule"));
  builder
    .memory(builder.subcommand(schedule, "release", WORDS.schedule.release))
    .argument("<schedule>", WORDS.schedule.which)
    .option("--because <text>", WORDS.schedule.because)
    .action(builder.action(async () => (await import("./commands/schedule-list.ts")).releaseSchedule, "schedule"));
}

function testCommands(program: Commander, builder: Builder): void {
  builder
    .dotenv(builder.command(program, "test").argument("<files...>", WORDS.run.files))
    .option("--crash-everywhere", WORDS.test.crashEverywhere)
    .option("--input <key=value>", WORDS.input, collectInput, {})
    .option("--inputs <file>", WORDS.inputs)
    .option("--tags <tags>", WORDS.tags, tagList)
    .option("--seed <file>", WORDS.sandbox.seed)
    .option("--profile <environment>", WORDS.sandbox.profile)
    .option("--jobs <n>", WORDS.test.jobs, wholeNumber)
    .option("--at <boundary>", WORDS.test.at)
    .option("--keep <folder>", WORDS.test.keep)
    .option("--json", WORDS.json)
    .action(builder.action(async () => (await import("./commands/test.ts")).test, "files"));
  // What the test starts and kills; of no use to anybody else.
  builder
    .dotenv(program.command("crash-child", { hidden: true }))
    .action(builder.action(async () => (await import("./commands/crash-child.ts")).crashChild));
}

function lookCommands(program: Commander, builder: Builder): void {
  builder
    .debug(builder.where(builder.command(program, "doctor")))
    .action(builder.action(async () => (await import("./commands/doctor.ts")).doctor));
  runsCommands(program, builder);
  driftCommands(program, builder);
  builder
    .command(program, "report")
    .argument("<runs...>", WORDS.reporting.runs, RunName.collect)
    .option("--report <format=file>", WORDS.report, collectReport, [])
    .addOption(new Option("--format <format>", WORDS.reporting.format).choices(FORMATS))
    .option("--state <dir>", WORDS.state)
    .action(builder.action(async () => (await import("./commands/report.ts")).report, "runs"));
  builder
    .memory(builder.command(program, "view"))
    .addOption(new Option("--port <n>", WORDS.view.port).argParser(port).default(0))
    .action(builder.action(async () => (await import("./commands/view.ts")).view));
  builder
    .command(program, "operations")
    .argument("[name]", WORDS.operations.name)
    .option("--json", WORDS.json)
    .action(builder.action(async () => (await import("./commands/operations.ts")).operations, "name"));
  builder
    .command(program, "library")
    .argument("[name]", WORDS.library.name)
    .option("--json", WORDS.json)
    .action(builder.action(async () => (await import("./commands/library.ts")).library, "name"));
  builder
    .command(program, "sandbox")
    .addOption(new Option("--port <n>", WORDS.sandbox.port).argParser(port).default(4010))
    .option("--db <file>", WORDS.sandbox.db)
    .option("--seed <file>", WORDS.sandbox.seed)
    .option("--faults <file>", WORDS.sandbox.faults)
    .option("--profile <environment>", WORDS.sandbox.profile)
    .addOption(new Option("--commit-delay <ms>", WORDS.sandbox.delay).argParser(wholeNumber).default(20))
    .option("--json", WORDS.json)
    .action(builder.action(async () => (await import("./commands/sandbox.ts")).sandbox));
  builder
    .command(program, "completion")
    .addArgument(new Argument("<shell>", WORDS.completion.shell).choices(SHELL_NAMES))
    .action(builder.action(async () => (await import("./commands/completion.ts")).completion, "shell"));
  // What the scripts of `completion` ask.
  program
    .command("complete", { hidden: true })
    .argument("<line>")
    .action(builder.action(async () => (await import("./commands/completion.ts")).complete, "line"));
  builder
    .command(program, "lsp")
    .option("--stdio", WORDS.lsp.stdio)
    .addOption(new Option("--clientProcessId <pid>", WORDS.lsp.client).hideHelp())
    .action(builder.action(async () => (await import("./commands/lsp.ts")).lsp));
  builder
    .command(program, "schema")
    .argument("[name]", WORDS.schema.name, "playbook")
    .action(builder.action(async () => (await import("./commands/schema.ts")).schema, "name"));
}

function runsCommands(program: Commander, builder: Builder): void {
  const runs = builder.command(program, "runs");
  builder
    .memory(runs)
    .option("--limit <n>", WORDS.limit, countingNumber, 20)
    .action(builder.action(async () => (await import("./commands/runs.ts")).listRuns));
  const about = (name: "show" | "verify" | "leases" | "release" | "accept-loss"): Commander =>
    builder.memory(builder.subcommand(runs, name, WORDS.runs[name]));
  about("show")
    .argument("<run>", WORDS.runs.shown, RunName.parse)
    .action(builder.action(async () => (await import("./commands/runs.ts")).showRun, "run"));
  builder
    .subcommand(runs, "export", WORDS.runs.export)
    .argument("<run>", WORDS.runs.shown, RunName.parse)
    .option("--state <dir>", WORDS.state)
    .action(builder.action(async () => (await import("./commands/records.ts")).exportRun, "run"));
  about("verify")
    .argument("[run]", WORDS.runs.verified, RunName.parse)
    .action(builder.action(async () => (await import("./commands/records.ts")).verifyRuns, "run"));
  about("leases").action(builder.action(async () => (await import("./commands/leases.ts")).listLeases));
  about("release")
    .argument("<run>", WORDS.runs.shown, RunName.parse)
    .option("--because <text>", WORDS.runs.because)
    .action(builder.action(async () => (await import("./commands/leases.ts")).release, "run"));
  about("accept-loss")
    .option("--because <text>", WORDS.runs.looked)
    .action(builder.action(async () => (await import("./commands/accept-loss.ts")).acceptLosses));
}

const NO_COLOUR = new Option("--no-color", WORDS.noColour);

function driftCommands(program: Commander, builder: Builder): void {
  const drift = builder.command(program, "drift");
  builder
    .memory(builder.subcommand(drift, "list", WORDS.drift.list))
    .option("--all", WORDS.drift.all)
    .option("--limit <n>", WORDS.limit, countingNumber, 100)
    .action(builder.action(async () => (await import("./commands/drift.ts")).listDrifts));
  builder
    .memory(builder.subcommand(drift, "show", WORDS.drift.show))
    .argument("<drift>", WORDS.drift.id)
    .action(builder.action(async () => (await import("./commands/drift.ts")).showDrift, "drift"));
  builder
    .memory(builder.subcommand(drift, "ack", WORDS.drift.ack))
    .argument("<drift>", WORDS.drift.id)
    .option("--because <text>", WORDS.drift.because)
    .option("--until <day>", WORDS.drift.until)
    .action(builder.action(async () => (await import("./commands/drift.ts")).acknowledgeDrift, "drift"));
}

class Builder {
  readonly #shell: Shell;
  readonly #calling: Calling;

  constructor(shell: Shell, calling: Calling) {
    this.#shell = shell;
    this.#calling = calling;
  }

  root(): Commander {
    const program = this.#prepare(new Commander("tokenbook"));
    return program
      .description(WORDS.root.summary)
      .version(VERSION, "-V, --version", WORDS.version)
      .addOption(NO_COLOUR)
      .addHelpText("after", this.#words(WORDS.root.examples));
  }

  command(parent: Commander, name: keyof typeof WORDS.commands): Commander {
    const { summary, examples } = WORDS.commands[name];
    return this.#prepare(parent.command(name)).description(summary).addHelpText("after", this.#words(examples));
  }

  subcommand(parent: Commander, name: string, summary: string): Commander {
    return this.#prepare(parent.command(name)).description(summary);
  }

  /** The options that say where a run acts and what it remembers. */
  where(command: Commander, env: string = WORDS.env): Commander {
    return this.memory(this.dotenv(command.option("--env <name>", env)));
  }

  /** The options that say where variables come from that the process does not set. */
  dotenv(command: Commander): Commander {
    return command.option("--dotenv <file>", WORDS.dotenv).option("--no-dotenv", WORDS.noDotenv);
  }

  /** The options of whatever sends requests, and can show them. */
  debug(command: Commander): Commander {
    return command.option("--debug [file]", WORDS.debug);
  }

  /** The options of whatever looks at what runs have left. */
  memory(command: Commander): Commander {
    return command.option("--state <dir>", WORDS.state).option("--json", WORDS.json);
  }

  /** Hands positional arguments and options to a command that is loaded now. */
  action<Options>(load: Load<Options>, argument?: string): (...given: unknown[]) => Promise<void> {
    return async (...given) => {
      const command = given.at(-1) as Commander;
      const { color, ...named } = command.optsWithGlobals();
      const options = { ...named, ...(argument === undefined ? {} : { [argument]: given[0] }) };
      refuseOfParent(command);
      refuseEmpty(options, command, argument);
      let current = hintFor(named);
      const hint: Hint = (text, spell) => current(text, spell);
      const hintState = (state: string): void => {
        current = hintFor({ state, ...named });
      };
      this.#calling.begin?.(hint);
      const { variables } = this.#shell;
      const stderr = new RewrittenTerminal(this.#shell.stderr, hint);
      const shell = {
        ...this.#shell,
        stderr,
        hint,
        hintState,
        variables: color === false ? { ...variables, NO_COLOR: "1" } : variables,
      };
      try {
        const code = await (await load())(shell, options as Options);
        this.#calling.finish?.(code);
      } catch (error) {
        throw error instanceof Failure ? hinted(error, hint) : error;
      }
    };
  }

  #words(text: string): () => string {
    return () => `\n${fitted(text, widthOn(this.#shell.stdout))}`;
  }

  #prepare(command: Commander): Commander {
    return command
      .exitOverride((error: CommanderError) => {
        throw endOf(error, command);
      })
      .configureOutput({
        writeOut: (text) => this.#shell.stdout.write(text),
        writeErr: (text) => this.#shell.stderr.write(text),
        outputError: () => undefined, // it is told as every failure is
      })
      .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: ({ parent }) => (parent === null ? [] : [NO_COLOUR]) })
      .showSuggestionAfterError(false);
  }
}
