import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { command } from "../../../base/command-line.ts";
import { patchBetween } from "../../../base/text/difference.ts";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure, messageOf } from "../../../base/failure.ts";
import { count, onOneLine } from "../../../base/text/text.ts";
import { replaceFile } from "../../../files/replace.ts";
import { isPlaybook, shownOf } from "../../../playbook/is-playbook.ts";
import { playbookOrder } from "../../../playbook/keywords/key-order.ts";
import { formatDiagnostic } from "../../../source/diagnostic.ts";
import { type Formatted, formatYaml } from "../../../source/format.ts";
import { parseUnshown } from "../../../source/unshown.ts";
import { formatFailure } from "../../print/failure.ts";
import { decode, readText } from "../../project/read-file.ts";
import { yamlFiles } from "../../project/load-playbooks.ts";
import { noteSkipped } from "../../project/folder-files.ts";
import { placementIn } from "../../project/project-files.ts";
import type { Command, Shell } from "../../shell.ts";

interface FmtOptions {
  readonly files: readonly string[];
  readonly check?: boolean;
  readonly diff?: boolean;
}

const STDIN = "-";
const STDIN_NAME = "stdin";

/** `tokenbook fmt`: formats playbooks in the standard layout without changing their meaning. */
export const fmt: Command<FmtOptions> = async (shell, { files, check = false, diff = false }) => {
  if (files.includes(STDIN)) return fromStdin(shell, files, { check, diff });
  const only = check || diff;
  const formatted = filesToFormat(shell, files).map((file) => format(shell, file, readText(resolve(shell.cwd, file), file)));
  const changed = formatted.filter(({ before, after }) => after !== undefined && after !== before);
  const wrong = formatted.filter(({ after }) => after === undefined);
  for (const each of changed) {
    if (!only) replace(shell, each);
    shell.stdout.write(diff ? patch(each) : `${onOneLine(each.file)}\n`);
  }
  shell.stderr.write(`${summary({ changed, wrong, formatted }, only)}\n`);
  return exitOf(wrong, changed, only);
};

/** A file with its text and its formatted text; `undefined` if it cannot be formatted and the reason was shown. */
interface FormattedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string | undefined;
}

// A file in a folder may be of any kind, and a link in it may lead anywhere, so only ours are formatted. A file that was named is always formatted.
function filesToFormat(shell: Shell, named: readonly string[]): readonly string[] {
  const isFile = (name: string): boolean => {
    const path = resolve(shell.cwd, name);
    return existsSync(path) && statSync(path).isFile();
  };
  const found = yamlFiles(
    shell,
    named.filter((name) => !isFile(name)),
  );
  const away = found.filter((file) => placementIn(shell.cwd, file, file) === "outside");
  noteSkipped(
    shell,
    away.map((file) => ({ file, why: "it leads to a file outside of the project" })),
  );
  const ours = found.filter((file) => !away.includes(file) && isOurs(readText(resolve(shell.cwd, file), file)));
  return [...new Set([...yamlFiles(shell, named.filter(isFile)), ...ours])].toSorted();
}

function isOurs(text: string): boolean {
  return isPlaybook(text) || /^environments[ \t]*:/m.test(text);
}

const IS_JSON: Formatted = { refused: "it is a file of JSON, and would become one of YAML" };

const LEADS_AWAY: Formatted = { refused: "it is a link to a file outside of the project that is not a playbook" };

// A link may lead to a file outside the project, which `--diff` would show.
function refusalOf({ cwd }: Shell, file: string, before: string): Formatted | undefined {
  if (/\.json$/i.test(file)) return IS_JSON;
  const placement = isOurs(before) || file === STDIN_NAME ? "project" : placementIn(cwd, file, file);
  return placement === "outside" || placement === "settings" ? LEADS_AWAY : undefined;
}

function format(shell: Shell, file: string, before: string): FormattedFile {
  const formatted = refusalOf(shell, file, before) ?? formatYaml(file, before, playbookOrder);
  if ("text" in formatted) return { file, before, after: formatted.text };
  const { diagnostics: found } = parseUnshown(file, before);
  const diagnostics = isOurs(before) ? found : shownOf(before, found);
  for (const diagnostic of diagnostics) shell.stderr.write(`${formatDiagnostic(diagnostic)}\n\n`);
  if (diagnostics.length === 0) {
    const message = `${file}: ${formatted.refused}`;
    shell.stderr.write(formatFailure(new Failure({ code: "fmt.refused", message, why: "the file is left as it was" })));
  }
  return { file, before, after: undefined };
}

function replace(shell: Shell, { file, after = "" }: FormattedFile): void {
  try {
    replaceFile(resolve(shell.cwd, file), after);
  } catch (error) {
    throw new Failure({
      code: "file.unwritable",
      message: `${file} cannot be written: ${messageOf(error)}`,
      why: "the file is left as it was",
      next: "give yourself the right to write the file and its folder",
    });
  }
}

function patch({ file, before, after = "" }: FormattedFile): string {
  return patchBetween(file, [before, after], ["as it is", "formatted"]);
}

function exitOf(wrong: readonly unknown[], changed: readonly unknown[], only: boolean): ExitCode {
  if (wrong.length > 0) return EXIT.cannotStart;
  return only && changed.length > 0 ? EXIT.failed : EXIT.passed;
}

function summary(
  { changed, wrong, formatted }: Readonly<Record<"changed" | "wrong" | "formatted", readonly FormattedFile[]>>,
  only: boolean,
): string {
  const done = only ? "would be changed" : "changed";
  const left = wrong.length === 0 ? "" : `; ${wrong.length} cannot be formatted`;
  return `${changed.length} of ${count(formatted.length, "file")} ${done}${left}`;
}

async function fromStdin(
  shell: Shell,
  files: readonly string[],
  { check, diff }: Readonly<Record<"check" | "diff", boolean>>,
): Promise<ExitCode> {
  if (files.length > 1)
    throw new Failure({
      code: "fmt.stdin",
      message: "- means stdin, and cannot be combined with a file",
      next: command`fmt -`,
    });
  const each = format(shell, STDIN_NAME, decode(STDIN_NAME, await shell.stdin()));
  const changed = each.after === undefined || each.after === each.before ? [] : [each];
  if (diff) shell.stdout.write(changed.map(patch).join(""));
  else if (!check && each.after !== undefined) shell.stdout.write(each.after, "exact");
  return exitOf(each.after === undefined ? [each] : [], changed, check || diff);
}
