import type { JsonObject } from "../base/json.ts";
import { playbooksIn } from "../playbook/walk.ts";
import { digestOfValue } from "./digest.ts";
import type { PlanParts } from "./plan.ts";

/** What a run takes from outside of its playbooks, as far as it can be told. */
type Given = Omit<PlanParts, "target">;

/**
 * A digest of each value that a run is given from outside: its inputs by their names, variables as `env.NAME`, and what an included
 * playbook has from files of data by itself; those of included playbooks begin with the file.
 */
export function digestsOfGiven(given: Given): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(valuesOf(given)).map(([name, value]) => [name, digestOfValue(value)]));
}

function valuesOf({ playbook, inputs, env }: Given): JsonObject {
  const included = playbooksIn(playbook).flatMap((each) => {
    const whose = each === playbook ? "" : `${each.file}: `;
    const variables = Object.entries(env[each.file] ?? {}).map(([name, value]) => [`${whose}env.${name}`, value] as const);
    const files = each === playbook ? [] : each.inputs.filter(({ file }) => file !== undefined);
    return [...variables, ...files.map(({ name, default: value }) => [`${whose}${name}`, value ?? null] as const)];
  });
  return { ...inputs, ...Object.fromEntries(included) };
}
