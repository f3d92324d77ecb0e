// Generates the reference pages: commands, exit codes, the environment file with its profile, and limits.
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { EXIT } from "../src/base/exit.ts";
import { LIMITS } from "../src/base/limits.ts";
import { buildProgram } from "../src/cli/program/program.ts";
import { EXITS } from "../src/cli/program/exits.ts";
import { COMMANDS } from "../src/cli/program/command-words.ts";
import { WORDS } from "../src/cli/program/words.ts";
import { DEFAULT_PROFILE } from "../src/contract/profile.ts";
import { environmentSchema } from "../src/environment/schema.ts";

/** Returns `docs/cli.md`: each command with its arguments, options and examples. */
export function cliPage(): string {
  const program = buildProgram({} as never); // none of it is run
  const commands = subcommandsOf(program);
  return page("Commands", [
    WORDS.root.summary,
    "",
    "stdout is for data, and everything else goes to stderr. `--json` moves to stderr whatever is not JSON. Each command takes `--help` and `--no-color`, and",
    "exits with one of the [exit codes](exit-codes.md).",
    "",
    ...table(
      ["command", "what it does"],
      commands.map((command) => [`[${command.name()}](#tokenbook-${command.name()})`, command.description()]),
    ),
    "",
    ...commands.flatMap((command) => commandSection(command, 2)),
  ]);
}

/** Returns the subcommands that a command's help shows. */
export function subcommandsOf(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== "help");
}

function commandSection(command: Command, level: number): readonly string[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== "--help");
  const rows = [
    ...help.visibleArguments(command).map((argument) => [argument.name(), argument.description]),
    ...options.map((option) => [option.flags, help.optionDescription(option)]),
  ].map(([name = "", means = ""]) => [`\`${name}\``, means.replaceAll(/[<>]/g, String.raw`\$&`)]);
  const name = command.name();
  const examples = level === 2 ? COMMANDS[name as keyof typeof COMMANDS].examples : undefined;
  return [
    `${"#".repeat(level)} ${help.commandUsage(command).replace(/ \[.*$| <.*$/, "")}`,
    "",
    command.description(),
    "",
    "```text",
    help.commandUsage(command),
    "```",
    "",
    ...(rows.length === 0 ? [] : [...table(["", "meaning"], rows), ""]),
    ...(examples === undefined ? [] : ["```text", examples, "```", ""]),
    ...subcommandsOf(command).flatMap((inner) => commandSection(inner, level + 1)),
  ];
}

/** Returns `docs/exit-codes.md`. */
export function exitCodesPage(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  const rows = names.map((name) => [`${EXIT[name]}`, name, EXITS[name].means, EXITS[name].next]);
  return page("Exit codes", [
    "Every command exits with one of these. The worst of several runs counts: an unknown write before a drift, a drift before a failure, and",
    "a pending step last. stdout is for data: scripts should read the code and `--json`, never the words.",
    "",
    ...table(["exit", "name", "means", "what to do"], rows),
    "",
    "What a message means and how to fix it is in [troubleshooting.md](troubleshooting.md).",
  ]);
}

/** Returns `docs/limits.md`: each limit with its comment in the code. */
export function limitsPage(root: URL): string {
  const text = readFileSync(new URL("src/base/limits.ts", root), "utf8");
  const blocks = [...text.matchAll(/\/\*\* ([^*]*?) \*\/\n((?: {2}\w+: [\d_]+,\n)+)/g)];
  const rows = blocks.flatMap(([, words = "", keys = ""]) => {
    const names = [...keys.matchAll(/(\w+):/g)].map(([, name = ""]) => name);
    const values = names.map((name) => LIMITS[name as keyof typeof LIMITS].toLocaleString("en-US"));
    return [[words, values.join("<br>"), names.map((name) => `\`${name}\``).join("<br>")]];
  });
  const described = blocks.flatMap(([, , keys = ""]) => [...keys.matchAll(/(\w+):/g)]).length;
  if (described !== Object.keys(LIMITS).length)
    throw new Error(`${described} of ${Object.keys(LIMITS).length} limits have words`);
  return page("Limits", [
    "tokenbook limits every wait, list, loop and text. You cannot set the limits. Each one is far above what a playbook needs, and protects the machine from a",
    "mistake or an endless answer. tokenbook reports what exceeds a limit.",
    "",
    "A row with several limits gives them in the order of its words. Where a name ends in `Ms`, the limit is in milliseconds.",
    "",
    ...table(["what", "limit", "name"], rows),
  ]);
}

/** Returns `docs/environment.md`. */
export function environmentPage(): string {
  const rows = rowsOf(environmentSchema, "");
  const of = (wanted: (row: Row) => boolean): readonly string[][] => rows.filter(wanted).map(({ cells }) => cells);
  return page("`tokenbook.yaml`: environments and profiles", [
    "`tokenbook.yaml` says where playbooks run. `tokenbook new project` writes one.",
    "",
    "```yaml",
    ...EXAMPLE,
    "```",
    "",
    "The first environment is the default; `--env NAME` chooses another. Keys are references, never values: `env:NAME` names a variable, and `file:PATH` a file,",
    "from the folder of `tokenbook.yaml`. `tokenbook schema environment` prints the JSON Schema of the file, and `tokenbook doctor` checks an environment.",
    "",
    "## Where the file is",
    "",
    "tokenbook takes the nearest `tokenbook.yaml`: beside the playbook, or in a folder above it. Your working directory does not matter. If the playbook is a link,",
    "tokenbook starts at the file that it leads to. The state directory `.tokenbook` and `.env` are beside `tokenbook.yaml` too.",
    "",
    "tokenbook searches from your working directory instead for:",
    "",
    "- a playbook that has no such file,",
    "- a playbook that comes with tokenbook,",
    "- a command that names no playbook.",
    "",
    "If your playbooks belong to two projects, use one command for each project.",
    "",
    "Without any `tokenbook.yaml`, runs use the embedded sandbox. Their first line, last line and reports show this. If the variable `CI` is set, and not to `false`, they are refused:",
    "ask for the sandbox with `--env sandbox`, or write `sandbox: embedded` into a `tokenbook.yaml`.",
    "",
    "## When the file is trusted",
    "",
    "The search ends at your home folder, and where another file system is mounted. `tokenbook.yaml` decides where keys are sent and which commands run, so trust it",
    "like a script. tokenbook uses it, and a `.env` beside it, only if no one but you and root can change them:",
    "",
    "| what | must hold |",
    "|---|---|",
    "| the file | It belongs to you or root. Others cannot write it. |",
    "| its folder | It belongs to you or root. Others cannot write it, or it is sticky (like `/tmp`), or it is mounted read-only. |",
    "| a link to the file | It belongs to you or root. The folder of the file that it leads to meets the same conditions. |",
    "",
    '"Others" includes the group, except for group 0 and for your own group. Linux gives each user such a group, and lets it write the user\'s files.',
    'In a container, the process often runs as another user than the one that owns the files. Use `docker run --user "$(id -u):$(id -g)"`, or `chown` the files.',
    "",
    "## Variables from a file",
    "",
    "A `.env` file beside `tokenbook.yaml` sets variables. Variables that are already set win. `.env` files in parent folders are ignored.",
    "`--dotenv FILE` names another file, and `--no-dotenv` reads none.",
    "",
    "## Environments",
    "",
    ...table(
      ["setting", "value", "meaning"],
      of(({ isProfile }) => !isProfile).map(([setting = "", value = "", , meaning = ""]) => [setting, value, meaning]),
    ),
    "",
    "## Profile",
    "",
    "A profile says what the service's description leaves open: names of parameters and fields, status words, codes. Write only what differs from the defaults.",
    "Each setting begins with `environments.NAME.profile`.",
    "",
    ...table(
      ["setting", "value", "default", "meaning"],
      of(({ isProfile }) => isProfile),
    ),
  ]);
}

const EXAMPLE = [
  "environments:",
  "  sandbox: embedded                # the sandbox inside tokenbook",
  "  staging:",
  '    ledger:   { baseUrl: "https://ledger.example.com", appId: app1, orgId: org1, apiKey: env:LEDGER_KEY }',
  '    investor: { baseUrl: "https://store.example.com", credentials: { BUYER_KEY: file:keys/buyer } }',
  "    exclusive: true                # no one else acts as these entities",
  "    timeout: 20s",
  "    profile:",
  "      ledger: { onBehalfOf: { in: header, name: X-Act-As }, receipt: { committed: [COMMITTED, DONE] } }",
  "      refusals: [400, 403, 404, 409, 422]",
];

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly required?: readonly string[];
}

interface Row {
  readonly isProfile: boolean;
  readonly cells: string[];
}

const PROFILE = "environments.NAME.profile";

function rowsOf(node: Node, path: string, required = false): readonly Row[] {
  const { anyOf = [], properties = {}, additionalProperties, description = "" } = node;
  const inner = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const below = [
    ...anyOf.flatMap((each) => (each.properties === undefined ? [] : rowsOf({ ...each, description: "" }, path))),
    ...Object.entries(properties).flatMap(([name, each]) =>
      rowsOf(each, path === "" ? name : `${path}.${name}`, node.required?.includes(name) === true),
    ),
    ...(inner === undefined ? [] : rowsOf(inner, `${path}.NAME`)),
  ];
  const isLeaf = below.length === 0;
  if (!isLeaf && description === "") return below;
  const isProfile = path.startsWith(`${PROFILE}.`);
  const setting = `\`${isProfile ? path.slice(PROFILE.length + 1) : path}\`${required ? " *" : ""}`;
  const cells = [
    setting,
    isLeaf ? valueOf(node) : "",
    isLeaf && isProfile ? defaultAt(path.slice(PROFILE.length + 1)) : "",
    description,
  ];
  return path === "" ? below : [{ isProfile, cells }, ...below];
}

function valueOf({ type, enum: choices, items, pattern, minimum, maximum }: Node): string {
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(" or ");
  const bounds = [minimum === undefined ? "" : `from ${minimum}`, maximum === undefined ? "" : `to ${maximum}`]
    .filter(Boolean)
    .join(" ");
  if (type === "array") return `list of ${items === undefined ? "values" : valueOf(items)}`;
  if (pattern?.includes("ms|s|m|h|d") === true) return "duration, such as `30s`";
  return [type === "string" ? "text" : (type ?? "value"), bounds].filter(Boolean).join(" ");
}

function defaultAt(path: string): string {
  const value = path
    .split(".")
    .reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], DEFAULT_PROFILE);
  return value === undefined ? "" : `\`${JSON.stringify(value)}\``;
}

/** Returns a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [rowLine(head), `|${head.map(() => "---|").join("")}`, ...rows.map(rowLine)];
}

function rowLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function page(title: string, lines: readonly string[]): string {
  return `${[`# ${title}`, "", ...lines, "", "This page is made by `npm run generate`."].join("\n")}\n`;
}
