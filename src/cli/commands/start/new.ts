import { basename, dirname, extname, relative, resolve } from "node:path";
import { command } from "../../../base/command-line.ts";
import { EXIT } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { quoted } from "../../../base/text/text.ts";
import { operationNamed } from "../../../operations/operation.ts";
import { createFiles } from "../../starter/create-files.ts";
import { starterPlaybook } from "../../starter/playbook.ts";
import { starterProject } from "../../starter/project.ts";
import type { Command } from "../../shell.ts";

/** `tokenbook new project`: creates a project. */
export const newProject: Command<{ readonly folder: string }> = async (shell, { folder }) => {
  const root = resolve(shell.cwd, folder);
  createFiles(shell, root, starterProject(basename(root)));
  const enter = relative(shell.cwd, root) === "" ? "" : `cd ${quoted(folder)} && `;
  shell.stderr.write(`next: ${enter}tokenbook run playbooks/first.yaml\n`);
  return EXIT.passed;
};

interface PlaybookOptions {
  readonly file: string;
  readonly uses?: readonly string[];
}

/** `tokenbook new playbook`: creates a playbook that calls operations with their example inputs and passes its check. */
export const newPlaybook: Command<PlaybookOptions> = async (shell, { file, uses = [] }) => {
  if (!/^\.ya?ml$/.test(extname(file))) {
    throw new Failure({
      code: "new.name",
      message: `"${file}" cannot name a playbook: tokenbook searches folders of playbooks for .yaml files`,
      next: command`new playbook ${`${file}.yaml`} --uses OPERATION`,
    });
  }
  if (uses.length === 0) {
    throw new Failure({
      code: "new.no-operation",
      message: "no operation is named",
      why: "`tokenbook operations` lists them",
      next: command`new playbook ${file} --uses ledger.token.create --uses ledger.token.mint`,
    });
  }
  const path = resolve(shell.cwd, file);
  const name = quoted(file);
  createFiles(shell, dirname(path), { [basename(path)]: starterPlaybook(titleOf(file), uses.map(operationNamed)) });
  shell.stderr.write(`next: put in your own values, then:\n  tokenbook check ${name} && tokenbook run ${name}\n`);
  return EXIT.passed;
};

function titleOf(file: string): string {
  const words = basename(file, extname(file))
    .replaceAll(/[-_.\s]+/g, " ")
    .trim();
  return words === "" ? "A playbook" : words.charAt(0).toUpperCase() + words.slice(1);
}
