import { setFlagsFromString } from "node:v8";
import type { ExitCode } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { type JsonObject, writeJson } from "../../base/json.ts";
import { systemRandom } from "../../base/ports.ts";
import { startRun } from "../../engine/start.ts";
import type { GivenInputs } from "../../playbook/inputs.ts";
import { inOrganization, resolveInputs } from "../../playbook/inputs.ts";
import { resolveFrom } from "../../playbook/files.ts";
import type { Playbook } from "../../playbook/model.ts";
import { type Env, openEnv, openSecrets, type Secrets } from "../../playbook/open.ts";
import { performRuns, type ReportOptions } from "../perform.ts";
import { filesOf, loadPlaybooks, playbookFiles, readMapFile, type Where } from "../project.ts";
import type { Command } from "../shell.ts";

interface RunOptions extends Where, ReportOptions {
  readonly files: readonly string[];
  readonly input: Readonly<Record<string, string>>;
  readonly inputs?: string;
  readonly jobs: number;
  readonly tags?: readonly string[];
}

/** `tokenbook run`: every playbook is checked, and every input resolved, before the first request of any of them. */
export const run: Command<RunOptions> = async (shell, options): Promise<ExitCode> => {
  keepYoungGenerationSmall();
  const playbooks = loadPlaybooks(shell, playbookFiles(shell, options.files), { tags: options.tags });
  const fromFile = options.inputs === undefined ? {} : readMapFile(shell, options.inputs);
  const ready = playbooks.map((playbook) => {
    const given: GivenInputs = { ...pathsFrom(options.inputs ?? "", fromFile, playbook), ...options.input };
    const inputs = resolveInputs(playbook, inputsFor(playbook, given, playbooks), filesOf(shell));
    return { playbook, inputs, env: openEnv(playbook, shell.variables) };
  });
  const secrets = openSecrets(playbooks, { variables: shell.variables, files: filesOf(shell) });
  for (const { playbook, inputs, env } of ready) refuseSecrets({ inputs, env }, playbook, secrets);
  return performRuns(
    shell,
    { ...options, secrets },
    ready.map(({ playbook, inputs, env }) => ({
      label: playbook.file,
      steps: playbook.steps.length,
      work: (session, ports) =>
        startRun(
          { playbook, target: session.target, store: session.store, ports },
          { inputs: inOrganization(playbook, inputs, session.target.ledger?.orgId), env },
          systemRandom,
        ),
    })),
  );
};

// Inputs and variables are kept with secrets masked: a step that used one would have the mask instead of the value.
function refuseSecrets(given: { readonly inputs: JsonObject; readonly env: Env }, playbook: Playbook, secrets: Secrets): void {
  if (secrets.all.length === 0) return;
  const mask = secrets.maskIn(secrets.redact(writeJson(given)));
  if (mask === undefined) return;
  throw new Failure({
    code: "secret.given-twice",
    message: `${playbook.file}: an input or a variable holds the value of ${mask}`,
    why: "inputs and variables are shown and kept, a secret is neither; nothing was sent",
    next: `use ${mask} in the playbook instead of the input, or give another value`,
  });
}

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
