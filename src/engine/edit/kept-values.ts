import { type Json, jsonEquals } from "../../base/json/json.ts";
import { organizationOf } from "../../environment/target.ts";
import type { InputDeclaration, VariableDeclaration } from "../../playbook/declarations.ts";
import { givenProblems, inOrganization } from "../../playbook/inputs/given-inputs.ts";
import type { Playbook } from "../../playbook/model.ts";
import { playbooksIn } from "../../playbook/playbook-walk.ts";
import type { Edited } from "./edited.ts";
import { spellChange } from "./spell-change.ts";

/** Returns the edits of inputs and variables that contradict the values with which the run began. The run keeps those values. */
export function changesOfKeptValues(edited: Edited): readonly string[] {
  const { before, now } = edited;
  const earlier = new Map(playbooksIn(before).map(({ file, env }) => [file, env]));
  return [
    ...now.inputs.flatMap((declaration) => changesOfInput(declaration, edited)),
    ...playbooksIn(now).flatMap((playbook) =>
      playbook.env.flatMap((variable) => changesOfVariable(variable, { playbook, earlier, edited })),
    ),
  ];
}

function changesOfInput(declaration: InputDeclaration, edited: Edited): readonly string[] {
  const { state, now, before } = edited;
  const { name } = declaration;
  const value = state.opened?.inputs[name];
  const where = `${now.file} (inputs.${name})`;
  if (value === undefined) return [`${where} is new, and the run has no value for it`];
  const [was, is] = [before, now].map((playbook) => defaultOf(playbook, name, edited));
  return [
    ...givenProblems(declaration, value).map((problem) => `${where}: the run's value is no longer valid: ${problem}`),
    ...changedDefault({ was, is, value }).map((change) => `${where} ${change}`),
  ];
}

function defaultOf(playbook: Playbook, name: string, { target }: Edited): Json | undefined {
  const value = playbook.inputs.find((each) => each.name === name)?.default;
  return value === undefined ? undefined : inOrganization(playbook, { [name]: value }, organizationOf(target))[name];
}

interface VariableAt {
  readonly playbook: Playbook;
  /** The variables before the edit, by the file that declares them. */
  readonly earlier: ReadonlyMap<string, readonly VariableDeclaration[]>;
  readonly edited: Edited;
}

function changesOfVariable(
  variable: VariableDeclaration,
  { playbook: { file }, earlier, edited }: VariableAt,
): readonly string[] {
  const { name, line, default: is } = variable;
  const value = edited.state.opened?.env?.[file]?.[name];
  const where = `${file}:${line} (env.${name})`;
  if (value === undefined) return [`${where} is new, and the run has no value for it`];
  const was = earlier.get(file)?.find((each) => each.name === name)?.default;
  return changedDefault({ was, is, value }).map((change) => `${where} ${change}`);
}

// A run that was given another value does not use the default. Removing a default changes nothing either.
function changedDefault({ was, is, value }: Readonly<Record<"was" | "is" | "value", Json | undefined>>): readonly string[] {
  if (was === undefined || is === undefined || value === undefined) return [];
  if (!jsonEquals(was, value) || jsonEquals(is, value)) return [];
  const change = spellChange({ sign: "~", path: "default", is: was, wanted: is });
  return [`${change}, and the run keeps the value with which it began`];
}
