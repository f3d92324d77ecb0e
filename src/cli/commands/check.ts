import { EXIT } from "../../base/exit.ts";
import { count, sanitise } from "../../base/text.ts";
import { formatDiagnostic } from "../../source/diagnostic.ts";
import { harmless } from "../failure.ts";
import { checkFile, playbookFiles } from "../project.ts";
import type { Command } from "../shell.ts";

interface CheckOptions {
  readonly files: readonly string[];
  readonly json?: boolean;
}

/** `tokenbook check`: every mistake that can be found without a network. */
export const check: Command<CheckOptions> = async (shell, { files, json }) => {
  const checked = playbookFiles(shell, files).map((file) => checkFile(shell, file));
  const wrong = checked.filter(({ playbook }) => playbook === undefined);
  if (json === true) {
    const report = checked.map(({ file, playbook, diagnostics }) => ({ file, ok: playbook !== undefined, diagnostics }));
    shell.stdout.write(`${sanitise(JSON.stringify({ format: 1, ok: wrong.length === 0, files: report }, undefined, 2))}\n`);
  } else {
    for (const { file, playbook, diagnostics } of checked) {
      for (const diagnostic of diagnostics) shell.stdout.write(`${harmless(formatDiagnostic(diagnostic))}\n\n`);
      if (playbook !== undefined)
        shell.stdout.write(`✓ ${file}: ${count(playbook.steps.length, "step")}${playbook.readOnly ? ", read-only" : ""}\n`);
    }
    if (wrong.length > 0) shell.stdout.write(`✗ ${count(wrong.length, "playbook")} of ${checked.length} cannot be run\n`);
  }
  return wrong.length === 0 ? EXIT.passed : EXIT.cannotStart;
};
