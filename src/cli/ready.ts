import type { JsonObject } from "../base/json.ts";
import { resolveFrom } from "../playbook/files.ts";
import { type GivenInputs, resolveInputs } from "../playbook/inputs.ts";
import type { Playbook } from "../playbook/model.ts";
import { filesOf, loadPlaybooks, playbookFiles, readMapFile } from "./project.ts";
import type { Shell } from "./shell.ts";

/** The options that say which playbooks, and with which inputs. */
export interface InputOptions {
  readonly files: readonly string[];
  readonly input: Readonly<Record<string, string>>;
  readonly inputs?: string;
}

/** A checked playbook, with a value for each of its inputs. */
export interface ReadyPlaybook {
  readonly playbook: Playbook;
  readonly inputs: JsonObject;
}

/** Every playbook checked, and every input resolved, before the first request of any of them. Throws a Failure. */
export function readyPlaybooks(shell: Shell, options: InputOptions): readonly ReadyPlaybook[] {
  const playbooks = loadPlaybooks(shell, playbookFiles(shell, options.files));
  const fromFile = options.inputs === undefined ? {} : readMapFile(shell, options.inputs);
  return playbooks.map((playbook) => {
    const given: GivenInputs = { ...pathsFrom(options.inputs ?? "", fromFile, playbook), ...options.input };
    return { playbook, inputs: resolveInputs(playbook, inputsFor(playbook, given, playbooks), filesOf(shell)) };
  });
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
