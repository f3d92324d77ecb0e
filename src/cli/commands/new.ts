import { existsSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { EXIT } from "../../base/exit.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { quoted } from "../../base/text.ts";
import { createFile } from "../../files/output.ts";
import { operationNamed } from "../../operations/operation.ts";
import { starterPlaybook } from "../starter/playbook.ts";
import { starterProject } from "../starter/project.ts";
import type { Command, Shell } from "../shell.ts";

/** `tokenbook new project`: a folder to begin with. */
export const newProject: Command<{ readonly folder: string }> = async (shell, { folder }) => {
  const root = resolve(shell.cwd, folder);
  create(shell, root, starterProject(basename(root)));
  const enter = relative(shell.cwd, root) === "" ? "" : `cd ${quoted(folder)} && `;
  shell.stderr.write(`next: ${enter}tokenbook run playbooks/first.yaml\n`);
  return EXIT.passed;
};

interface PlaybookOptions {
  readonly file: string;
  readonly uses?: readonly string[];
}

/** `tokenbook new playbook`: a playbook of operations with their example inputs, which passes its check. */
export const newPlaybook: Command<PlaybookOptions> = async (shell, { file, uses = [] }) => {
  if (!/^\.ya?ml$/.test(extname(file))) {
    throw new Failure({
      code: "new.name",
      message: `"${file}" is no name for a playbook: folders of playbooks are searched for .yaml files`,
      next: `tokenbook new playbook ${quoted(`${file}.yaml`)} --uses OPERATION`,
    });
  }
  if (uses.length === 0) {
    throw new Failure({
      code: "new.no-operation",
      message: "no operation is named that the playbook could call",
      why: "`tokenbook operations` lists them",
      next: `tokenbook new playbook ${quoted(file)} --uses ledger.token.create --uses ledger.token.mint`,
    });
  }
  const path = resolve(shell.cwd, file);
  const name = quoted(file);
  create(shell, dirname(path), { [basename(path)]: starterPlaybook(titleOf(file), uses.map(operationNamed)) });
  shell.stderr.write(`next: put in your own values, then tokenbook check ${name} && tokenbook run ${name}\n`);
  return EXIT.passed;
};

function titleOf(file: string): string {
  const words = basename(file, extname(file))
    .replaceAll(/[-_.\s]+/g, " ")
    .trim();
  return words === "" ? "A playbook" : words.charAt(0).toUpperCase() + words.slice(1);
}

// All or nothing: none is written when one of them is there already.
function create(shell: Shell, root: string, files: Readonly<Record<string, string>>): void {
  const shown = (name: string): string => relative(shell.cwd, join(root, name));
  const there = Object.keys(files).filter((name) => existsSync(join(root, name)));
  if (there.length > 0) {
    throw new Failure({
      code: "new.exists",
      message: `${there.map(shown).join(", ")} ${there.length === 1 ? "is" : "are"} there already`,
      why: "nothing is overwritten, and nothing was written",
      next: "choose another name, or move what is there away",
    });
  }
  for (const [name, text] of Object.entries(files)) {
    write(join(root, name), text, shown(name));
    shell.stdout.write(`${shown(name)}\n`);
  }
}

function write(path: string, text: string, shown: string): void {
  try {
    createFile(path, text);
  } catch (error) {
    throw new Failure({
      code: "file.unwritable",
      message: `${shown} cannot be written: ${messageOf(error)}`,
      next: "choose a folder in which you may write",
    });
  }
}
