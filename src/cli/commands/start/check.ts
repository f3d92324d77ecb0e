import { isAbsolute, relative } from "node:path";
import { command } from "../../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { count, onOneLine, quoted } from "../../../base/text/text.ts";
import type { Playbook } from "../../../playbook/model.ts";
import type { Places } from "../../../report/check/checked.ts";
import { formatDiagnostic, withinLimit } from "../../../source/diagnostic.ts";
import { countSkipped, noteSkipped } from "../../project/folder-files.ts";
import type { SkippedFile } from "../../../report/shape.ts";
import { checkFile, type CheckedPlaybookFile, playbookFiles } from "../../project/load-playbooks.ts";
import type { Command, Shell } from "../../shell.ts";
import { markedOn } from "../../view/colour.ts";
import { chosenByTags } from "../../project/tags.ts";

interface CheckOptions {
  readonly files: readonly string[];
  readonly format?: "text" | "json" | "github" | "sarif";
  readonly json?: boolean;
  readonly explain?: string;
  readonly tags?: readonly string[];
  readonly watch?: boolean;
}

/** `tokenbook check`: finds every mistake that can be found without a network. */
export const check: Command<CheckOptions> = async (shell, options) => {
  const { files, json = false, format, explain, watch } = options;
  if (explain !== undefined)
    return (await import("../../print/explain-code.ts")).explain(shell, explain, json || format === "json");
  if (files.length === 0) {
    throw new Failure({
      code: "check.no-files",
      message: "no playbook is named",
      next: ["name files or folders of playbooks:", command`check FILE…`],
    });
  }
  const checkOnce = (seen: Shell): Promise<ExitCode> => checkAll(seen, options);
  if (watch !== true) return checkOnce(shell);
  const { whenChanged } = await import("../../project/watch.ts");
  return whenChanged(shell, files, checkOnce);
};

async function checkAll(shell: Shell, { files, json = false, format, tags }: CheckOptions): Promise<ExitCode> {
  const named = playbookFiles(shell, files);
  const all = named.files.map((file) => checkFile(shell, file));
  const checked = tags === undefined ? all : chosenByTags(all, tags);
  noteSkipped(shell, named.skipped);
  await PRINTERS[json ? "json" : (format ?? "text")](shell, checked, { files, skipped: named.skipped });
  return checked.every(({ ok }) => ok) ? EXIT.passed : EXIT.cannotStart;
}

/** The files that were named, and those that were skipped. */
interface CheckArguments {
  readonly files: readonly string[];
  readonly skipped: readonly SkippedFile[];
}

type CheckPrinter = (shell: Shell, checked: readonly CheckedPlaybookFile[], named: CheckArguments) => Promise<void> | void;

const PRINTERS: Readonly<Record<NonNullable<CheckOptions["format"]>, CheckPrinter>> = {
  text(shell, checked, { files, skipped }) {
    const write = (line: string): void => shell.stdout.write(line, markedOn(shell.stdout, shell.variables));
    const { checks, more } = withinLimit(checked, `tokenbook check --json ${files.map(quoted).join(" ")}`);
    for (const { file, playbook, diagnostics } of checks) {
      for (const diagnostic of diagnostics) shell.stdout.write(`${formatDiagnostic(diagnostic)}\n\n`);
      if (playbook !== undefined) write(`✓ ${onOneLine(file)}: ${aboutOf(playbook)}\n`);
    }
    if (more !== undefined) shell.stdout.write(`${more}\n`);
    const summary = summaryOf(checked);
    if (summary !== undefined) write(`✗ ${summary}\n`);
    if (skipped.length > 0) write(`${countSkipped(skipped)}\n`);
  },
  async json(shell, checked, { skipped }) {
    const { checkJson } = await import("../../../report/check/checked.ts");
    const files = checked.map(({ file, ok, diagnostics }) => ({ file, ok, diagnostics }));
    shell.stdout.write(checkJson(files, skipped), "json");
  },
  async github(shell, checked, { skipped }) {
    const { annotations } = await import("../../../report/check/github.ts");
    shell.stdout.write(annotations(checked, placesOf(shell)), "exact");
    const summary = [summaryOf(checked) ?? `${count(checked.length, "playbook")} checked`, countSkipped(skipped)];
    shell.stderr.write(`${summary.filter((part) => part !== "").join("; ")}\n`);
  },
  async sarif(shell, checked) {
    const { sarif } = await import("../../../report/check/sarif.ts");
    shell.stdout.write(sarif(checked, placesOf(shell)), "json");
  },
};

function aboutOf({ steps, checks, readOnly, tags }: Playbook): string {
  const compared = checks.filter(({ looks }) => looks.kind === "compare").length;
  const tagged = tags.length === 0 ? [] : [`tags ${tags.join(" ")}`];
  const counts: readonly (readonly [number, string])[] = [
    [steps.length, "step"],
    [compared, "comparison"],
    [checks.length - compared, "check"],
  ];
  return [
    ...counts.flatMap(([number, what]) => (number === 0 ? [] : [count(number, what)])),
    ...(readOnly ? ["read-only"] : []),
    ...tagged,
  ].join(", ");
}

function summaryOf(checked: readonly CheckedPlaybookFile[]): string | undefined {
  const wrong = checked.filter(({ ok }) => !ok);
  if (wrong.length === 0) return undefined;
  const code = wrong[0]?.diagnostics.find(({ severity }) => severity === "error")?.code;
  return `${count(wrong.length, "playbook")} of ${checked.length} cannot be run; to learn more: tokenbook check --explain ${code}`;
}

// A CI job that works in a subfolder of its checkout reports paths relative to the checkout's root.
function placesOf({ cwd, variables }: Shell): Places {
  const workspace = variables["GITHUB_WORKSPACE"] ?? "";
  const within = isAbsolute(workspace) && !relative(workspace, cwd).startsWith("..");
  return { cwd, root: within ? workspace : cwd };
}
