import { setFlagsFromString } from "node:v8";
import type { ExitCode } from "../../base/exit.ts";
import { systemRandom } from "../../base/ports.ts";
import { startRun } from "../../engine/start.ts";
import type { GivenInputs } from "../../playbook/inputs.ts";
import { resolveInputs } from "../../playbook/inputs.ts";
import type { Playbook } from "../../playbook/model.ts";
import { performRuns, type ReportOptions } from "../perform.ts";
import { loadPlaybooks, playbookFiles, readMapFile, type Where } from "../project.ts";
import type { Command } from "../shell.ts";

interface RunOptions extends Where, ReportOptions {
  readonly files: readonly string[];
  readonly input: Readonly<Record<string, string>>;
  readonly inputs?: string;
  readonly jobs: number;
}

/** `tokenbook run`: every playbook is checked, and every input resolved, before the first request of any of them. */
export const run: Command<RunOptions> = async (shell, options): Promise<ExitCode> => {
  keepYoungGenerationSmall();
  const playbooks = loadPlaybooks(shell, playbookFiles(shell, options.files));
  const fromFile = options.inputs === undefined ? {} : readMapFile(shell, options.inputs);
  const given: GivenInputs = { ...fromFile, ...options.input };
  const ready = playbooks.map((playbook) => ({
    playbook,
    inputs: resolveInputs(playbook, inputsFor(playbook, given, playbooks)),
  }));
  return performRuns(
    shell,
    options,
    ready.map(({ playbook, inputs }) => ({
      label: playbook.file,
      steps: playbook.steps.length,
      work: (session, ports) => startRun({ playbook, target: session.target, store: session.store, ports }, inputs, systemRandom),
    })),
  );
};

// A run makes garbage steadily and keeps little: a young generation that may not grow costs no time and saves a third of the
// memory. Set once all code is loaded, for the cached code of modules is bound to the flags it was compiled under.
function keepYoungGenerationSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1 --min-semi-space-size=1");
}

// Several playbooks share the inputs: each takes those that it declares, and one that nobody declares is a mistake.
function inputsFor(playbook: Playbook, given: GivenInputs, all: readonly Playbook[]): GivenInputs {
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => declares(playbook, name) || !all.some((each) => declares(each, name))),
  );
}

function declares(playbook: Playbook, name: string): boolean {
  return playbook.inputs.some((input) => input.name === name);
}
