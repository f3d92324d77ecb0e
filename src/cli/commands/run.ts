import { setFlagsFromString } from "node:v8";
import type { ExitCode } from "../../base/exit.ts";
import type { JsonObject } from "../../base/json.ts";
import { systemRandom } from "../../base/ports.ts";
import { startRun } from "../../engine/start.ts";
import type { GivenInputs } from "../../playbook/inputs.ts";
import { inOrganization, resolveInputs } from "../../playbook/inputs.ts";
import { resolveFrom } from "../../playbook/files.ts";
import type { Playbook } from "../../playbook/model.ts";
import { performRuns, type ReportOptions } from "../perform.ts";
import { filesOf, loadPlaybooks, playbookFiles, readMapFile, type Where } from "../project.ts";
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
  const ready = playbooks.map((playbook) => {
    const given: GivenInputs = { ...pathsFrom(options.inputs ?? "", fromFile, playbook), ...options.input };
    return { playbook, inputs: resolveInputs(playbook, inputsFor(playbook, given, playbooks), filesOf(shell)) };
  });
  return performRuns(
    shell,
    options,
    ready.map(({ playbook, inputs }) => ({
      label: playbook.file,
      steps: playbook.steps.length,
      work: (session, ports) =>
        startRun(
          { playbook, target: session.target, store: session.store, ports },
          inOrganization(playbook, inputs, session.target.ledger?.orgId),
          systemRandom,
        ),
    })),
  );
};

// A run makes garbage steadily and keeps little: a young generation that may not grow costs no time and saves a third of the
// memory. Set once all code is loaded, for the cached code of modules is bound to the flags it was compiled under.
function keepYoungGenerationSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1 --min-semi-space-size=1");
}

// A path in a file of inputs begins at that file, as everywhere.
function pathsFrom(file: string, values: JsonObject, playbook: Playbook): GivenInputs {
  const files = new Set(playbook.inputs.filter(({ type }) => type === "file").map(({ name }) => name));
  const placed = Object.entries(values).map(([name, value]) => {
    const path = files.has(name) && typeof value === "string" ? resolveFrom(file, value) : value;
    return [name, path] as const;
  });
  return Object.fromEntries(placed);
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
