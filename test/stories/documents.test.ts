import { chmodSync, cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { launch, newProject, type Project, ROOT } from "./world.ts";

// Whatever is shown in the README and in docs/ works: commands run, in order, in one fresh folder for each page on the embedded sandbox; playbooks and
// environments pass their check. A block says behind its language what it is otherwise: `no-run`, `fragment` (a part of a playbook), `file=NAME`
// (written there for the commands below it). Pages that are made from the code have tests of their own.
const MADE = new Set(["docs/errors.md", "docs/operations.md"]);
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/*.md").toSorted()].filter(
  (page) => !MADE.has(page),
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

/** A folder as the pages suppose it: the playbooks that come with the repository, and a command called tokenbook. */
function workplace(): Project {
  const project = newProject({});
  cpSync(join(ROOT, "playbooks"), join(project.folder, "playbooks"), { recursive: true });
  cpSync(join(ROOT, "playbooks/onboarding/property-sale.yaml"), join(project.folder, "onboarding.yaml"));
  project.write("../bin/tokenbook", `#!/bin/sh\nexec '${process.execPath}' '${ROOT}bin/tokenbook.js' "$@"\n`);
  chmodSync(join(project.folder, "../bin/tokenbook"), 0o755);
  return project;
}

async function run(project: Project, command: string): Promise<void> {
  const PATH = `${project.folder}/../bin:${process.env["PATH"]}`;
  const how = { cwd: project.folder, program: "bash", variables: { PATH, HOME: project.folder } };
  const { code, told } = await launch(["-c", command], how).ended;
  expect(code, told).toBe(0);
}

/** Checks what a YAML block says, as what it is. */
async function check({ marks, text }: Block): Promise<void> {
  expect(parse(text) as unknown).toBeTypeOf("object");
  if (marks.includes("fragment")) return;
  const project = newProject({});
  const isEnvironment = text.startsWith("environments:");
  project.write(isEnvironment ? "tokenbook.yaml" : "playbook.yaml", text);
  const ended = await project.run(...(isEnvironment ? ["doctor", "--json"] : ["check", "playbook.yaml"]));
  // Its keys are not here, and its service does not exist: it is read, and that is what counts.
  if (isEnvironment) expect(ended.stdout, ended.told).toContain('"code": "project.file"');
  else expect(ended.code, ended.told).toBe(0);
}

describe.for(PAGES)("%s", (page) => {
  const blocks = blocksOf(page);

  test.skipIf(blocks.length === 0)("each block is of a kind that is known, and each YAML and JSON block is right", async () => {
    for (const block of blocks) {
      expect(["sh", "console", "yaml", "json", "lua", "toml", "text"], `${page}:${block.line}`).toContain(block.language);
      for (const mark of block.marks) expect(mark, `${page}:${block.line}`).toMatch(/^(?:no-run|fragment|file=[\w.-]+)$/);
      if (block.language === "json") JSON.parse(block.text);
      if (block.language === "yaml") await check(block);
    }
  });

  const runs = blocks.filter(({ language, marks }) => (language === "sh" || language === "console") && !marks.includes("no-run"));

  test.skipIf(runs.length === 0)("each command runs, in order, in one folder", { timeout: 180_000 }, async () => {
    const project = workplace();
    for (const block of blocks) {
      const file = block.marks.find((mark) => mark.startsWith("file="))?.slice("file=".length);
      if (file !== undefined) project.write(file, block.text);
      if (runs.includes(block)) for (const command of commandsIn(block)) await run(project, command);
    }
  });
});
