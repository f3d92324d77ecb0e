import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { SCHEMA_NAMES } from "../../src/cli/commands/reference/schema.ts";
import { buildProgram } from "../../src/cli/program/program.ts";
import { COMMANDS } from "../../src/cli/program/command-words.ts";
import { WORDS } from "../../src/cli/program/words.ts";
import { silentShell } from "../unit/cli/shell.ts";
import { plainWords } from "./inside.ts";
import { COMPILED, delivered, launch, MINT_ONCE, newProject, type Project, IN_SHELL } from "./world.ts";
import { documentOfPage } from "../interchange/lost-answer.ts";

/** The examples of all help pages, in the form in which a user pastes them. */
const EXAMPLES: readonly string[] = [WORDS.root, ...Object.values(COMMANDS)].flatMap(({ examples }) =>
  [...examples.matchAll(/^ {2,4}(?:\$|then, .*?:) (.*?)(?: {2,}\S.*)?$/gm)].map(([, command = ""]) => command),
);

const TOKENBOOK = EXAMPLES.filter((command) => command.startsWith("tokenbook "));

test("every command has examples, except those that editors and assistants start", () => {
  const without = Object.entries(COMMANDS).filter(([, { examples }]) => !examples.includes("$ tokenbook"));
  expect(without.map(([name]) => name)).toEqual(["lsp", "debug", "mcp"]);
  expect(TOKENBOOK.length).toBeGreaterThan(40);
});

test("help shows no default value in the form of code, and none twice", () => {
  const ours = allCommands(buildProgram(silentShell()));
  expect(ours.length).toBeGreaterThan(40);
  const pages = ours.map((command) => command.helpInformation().replaceAll(/\s+/g, " "));
  expect(pages.filter((page) => /\(default: (?:\{\}|\[\]|\d{6,})\)|\(default: [^)]*\) \(default/.test(page))).toEqual([]);
});

function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

test("the help of schema names every schema", () => {
  expect(WORDS.schema.name.split(/, | or /).toSorted()).toEqual(SCHEMA_NAMES.toSorted());
});

function words(command: string): string[] {
  const line = command.replace(/ (?:[<>|]|>>|&&) .*$/, "");
  return [...line.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word.replaceAll(/^['"]|['"]$/g, "")).slice(1);
}

function understandsOnly(command: Command): Command {
  command.action(() => undefined);
  command.commands.forEach(understandsOnly);
  return command;
}

test.for(TOKENBOOK)("the parser understands the example: %s", async (command) => {
  const program = understandsOnly(buildProgram(silentShell()));
  await program.parseAsync(
    words(command).map((word) => (word === "--debug" ? "--debug=" : word)),
    { from: "user" },
  );
});

// These examples need a database, or a run or drift of yesterday, serve until they are stopped, or take a minute.
const NOT_RUN =
  /tokenbook (?:submit|worker|state move)|20261121|3fa91c02bd47|tokenbook sandbox|--listen|tokenbook view|schedule release|tokenbook test|tokenbook explore|PROFILE/;
const CODES: Readonly<Record<string, number>> = {
  "tokenbook resume": 2, // there is none
  "tokenbook runs --queued": 2, // the state is in a folder, which has no queue
  "tokenbook runs withdraw order-17": 2,
  "tokenbook calibrate --env staging --write": 2, // the embedded sandbox has no profile to edit
  [`tokenbook runs accept-loss --because "compared the ledger with last night's backup"`]: 2, // nothing is lost
  'tokenbook drift close --playbook old-name.yaml --because "renamed"': 2, // there is no drift
  "tokenbook drift page holders --out holders.html --sign signing-key": 2, // there is no key
  "tokenbook runs verify --archive archives": 2, // there is no archive
  "tokenbook coverage --since 1d --fail-under operations=100,refusals=80 --report junit=coverage.xml": 1,
  "tokenbook contract drift --env staging": 2, // no run kept its exchanges
  "tokenbook contract drift --har session.har": 2, // there is no such file
  "tokenbook convert session.har session.yaml": 2, // there is no such file
  "tokenbook fmt --check .": 1,
  "tokenbook fmt --diff onboarding.yaml": 1,
};

function workplace(): Project {
  const project = newProject({});
  const onboarding = delivered("onboarding/property-sale.yaml");
  project.write("tokenbook.yaml", "environments:\n  staging: embedded\n  production: embedded\n");
  project.write("onboarding.yaml", onboarding.replace("\nsteps:", "\n\n\n\nsteps:"));
  project.write("my-playbook.yaml", MINT_ONCE);
  project.write("purchase.arazzo.yaml", documentOfPage());
  project.write("pay.yaml", "playbook: 1\ninputs: { holder: { type: entity } }\nsteps: [{ uses: ledger.asset.stats }]\n");
  project.write("holders.csv", "holder\nuserId:alice\nuserId:bob\n");
  project.write("supply.yaml", "playbook: 1\nmode: read-only\nsteps: [{ uses: ledger.asset.stats }]\n");
  project.write("playbooks/scenarios/mint.yaml", MINT_ONCE.replace("playbook: 1", "playbook: 1\ntags: [smoke]"));
  project.write("playbooks/scenarios/slow.yaml", MINT_ONCE.replace("playbook: 1", "playbook: 1\ntags: [slow]"));
  mkdirSync(join(project.folder, ".config/fish/completions"), { recursive: true });
  mkdirSync(join(project.folder, "crashed/1"), { recursive: true });
  project.write("bin/tokenbook", `#!/bin/sh\nexec ${IN_SHELL} "$@"\n`);
  return project;
}

describe("the examples of the help that can run", () => {
  test.for(TOKENBOOK.filter((command) => !NOT_RUN.test(command)))("%s", async (command) => {
    const project = workplace();
    const PATH = `${project.folder}/bin:${process.env["PATH"]}`;
    const shell = async (line: string): Promise<number | null> => {
      const plain = plainWords(line);
      if (plain !== undefined) return (await project.run(...plain)).code;
      const prepared = `chmod +x bin/tokenbook; shopt -s globstar; ${line}`;
      const ended = await launch(["-c", prepared], {
        cwd: project.folder,
        program: "bash",
        variables: { PATH, HOME: project.folder, ...COMPILED },
      }).ended;
      expect(ended.stderr, ended.transcript).not.toMatch(/error usage\.|command not found/);
      return ended.code;
    };
    if (/(?:report|show) latest|tokenbook coverage|runs verify$/.test(command))
      expect(await shell("tokenbook run supply.yaml")).toBe(0);
    if (command.includes("schedule history")) expect(await shell("tokenbook schedule --once supply.yaml")).toBe(0);
    if (/--plan|approve/.test(command)) expect(await shell("tokenbook plan onboarding.yaml --out onboarding.plan")).toBe(0);
    expect(await shell(command)).toBe(CODES[command] ?? 0);
  });
});
