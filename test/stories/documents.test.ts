import { chmodSync, cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { plainWords } from "./inside.ts";
import { COMPILED, type Ended, launch, newProject, type Project, ROOT, IN_SHELL } from "./world.ts";

// Everything that the README and docs/ show works. The commands run in order, in one fresh folder for each page, on the embedded sandbox. Playbooks
// and environments pass their check. Marks after the language of a block say more about it: `no-run`, `fragment` (a part of a playbook), `file=NAME`
// (written there for the commands below it), `exit=N` (the exit code of its last command), `printed` (the lines below a command are its output,
// except for times and ids; `npm run printed` updates them). Pages that are generated from the code have their own tests.
const MADE = new Set(["docs/cli.md", "docs/errors.md", "docs/operations.md"]);
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/**/*.md").toSorted()].filter(
  (page) => !MADE.has(page) && readFileSync(page, "utf8").includes("```"),
);

interface Block {
  readonly language: string;
  readonly marks: readonly string[];
  readonly text: string;
  readonly line: number;
}

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^( *)```(.+)\n([\s\S]*?)^\1```$/gm)].map(({ index, 1: indent = "", 2: info = "", 3: body = "" }) => {
    const [language = "", ...marks] = info.split(" ");
    const line = text.slice(0, index).split("\n").length;
    return { language, marks, line, text: body.replaceAll(new RegExp(`^${indent}`, "gm"), "") };
  });
}

function commandsIn({ language, text }: Block): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (language === "sh") return lines.filter((line) => !line.startsWith("#"));
  return lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
}

/** A folder as the pages expect it, with the playbooks of the repository and a command called tokenbook. */
function workplace(): Project {
  const project = newProject({});
  cpSync(join(ROOT, "playbooks"), join(project.folder, "playbooks"), { recursive: true });
  cpSync(join(ROOT, "playbooks/onboarding/property-sale.yaml"), join(project.folder, "onboarding.yaml"));
  project.write("../bin/tokenbook", `#!/bin/sh\nexec ${IN_SHELL} "$@"\n`);
  chmodSync(join(project.folder, "../bin/tokenbook"), 0o755);
  return project;
}

async function run(project: Project, command: string, expected: number): Promise<Ended> {
  const PATH = `${project.folder}/../bin:${process.env["PATH"]}`;
  const how = { cwd: project.folder, program: "bash", variables: { PATH, HOME: project.folder, USER: "olga", ...COMPILED } };
  const plain = plainWords(command);
  const ended =
    plain === undefined
      ? await launch(["-c", `${command}\nexit $?`], how).ended
      : await project.as({ USER: "olga" }).run(...plain);
  expect(ended.code, ended.transcript).toBe(expected);
  return ended;
}

/** Runs the commands of a block, and returns the block with what the commands print now. */
async function play(project: Project, block: Block): Promise<string> {
  const commands = commandsIn(block);
  const exit = Number(block.marks.find((mark) => mark.startsWith("exit="))?.slice("exit=".length) ?? 0);
  let printed = "";
  for (const [at, command] of commands.entries()) {
    const { stdout, stderr } = await run(project, command, at === commands.length - 1 ? exit : 0);
    printed += `$ ${command}\n${shortened(stdout + stderr)}`;
  }
  return printed;
}

// The pages show only the beginning of ids of 64 digits.
function shortened(text: string): string {
  return text.replaceAll(/\b([0-9a-f]{8})[0-9a-f]{56}\b/g, "$1…").replaceAll(/^bash: .*\n/gm, "");
}

/** Returns the output without what differs between two runs of the same command. */
function alike(text: string): string {
  return text
    .replaceAll(/\b\d{8}T\d{6}-[0-9a-z]{8}\b/g, "RUN")
    .replaceAll(/\b[0-9a-f]{8}…/g, "ID")
    .replaceAll(/\btoken[0-9a-z]{10,}\b/g, "ID")
    .replaceAll(/\b[0-9a-f]{24}\b/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, "TIME")
    .replaceAll(/ {2}waited TIME/g, "") // the receipt may or may not be there at once
    .replaceAll(/process \d+ on \S+/g, "PROCESS");
}

const UPDATES_PAGES = process.env["PRINTED"] === "write";

/** Compares a block with what its commands print now, or updates it. */
function compare(page: string, block: Block, printed: string): void {
  if (UPDATES_PAGES)
    return writeFileSync(
      page,
      readFileSync(page, "utf8").replace(block.text, () => printed),
    );
  expect(alike(printed), `${page}:${block.line}; \`npm run printed\` updates it`).toBe(alike(block.text));
}

/** Writes the file that a block shows. */
function lay(project: Project, { marks, text }: Block): void {
  const file = marks.find((mark) => mark.startsWith("file="))?.slice("file=".length);
  if (file !== undefined) project.write(file, text);
}

/** Checks a YAML block as the kind of file that it is, among the files of its page. */
async function check({ marks, text }: Block, page: readonly Block[]): Promise<void> {
  expect(parse(text) as unknown).toBeTypeOf("object");
  if (marks.includes("fragment")) return;
  const project = newProject({});
  for (const block of page) lay(project, block);
  const isEnvironment = text.startsWith("environments:");
  project.write(isEnvironment ? "tokenbook.yaml" : "playbook.yaml", text);
  const ended = await project.run(...(isEnvironment ? ["doctor", "--json"] : ["check", "playbook.yaml"]));
  // Its keys are not set and its service does not exist, so the test only checks that tokenbook reads the file.
  if (isEnvironment) expect(ended.stdout, ended.transcript).toContain('"code": "project.file"');
  else expect(ended.code, ended.transcript).toBe(0);
}

describe.for(PAGES)("%s", (page) => {
  const blocks = blocksOf(page);

  test("each block has a known kind, and each YAML and JSON block is valid", async () => {
    for (const block of blocks) {
      expect(["sh", "console", "yaml", "json", "csv", "js", "lua", "sql", "toml", "text"], `${page}:${block.line}`).toContain(
        block.language,
      );
      for (const mark of block.marks)
        expect(mark, `${page}:${block.line}`).toMatch(/^(?:no-run|fragment|printed|exit=\d+|file=[\w./-]+)$/);
      if (block.language === "json") JSON.parse(block.text);
      if (block.language === "yaml") await check(block, blocks);
    }
  });

  const runs = blocks.filter(({ language, marks }) => (language === "sh" || language === "console") && !marks.includes("no-run"));

  if (runs.length === 0) return;
  test("the commands of the page run in order, in one folder", async () => {
    const project = workplace();
    for (const block of blocks) {
      lay(project, block);
      if (!runs.includes(block)) continue;
      const printed = await play(project, block);
      if (block.marks.includes("printed")) compare(page, block, printed);
    }
  });
});
