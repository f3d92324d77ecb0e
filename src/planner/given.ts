import { hash } from "node:crypto";
import { canonicalJson, type Json, type JsonObject } from "../base/json/json.ts";
import { mapValues } from "../base/maps.ts";
import type { GivenToRun } from "../engine/run/concurrency-groups.ts";
import type { FileData } from "../playbook/playbook-files.ts";
import type { Playbook } from "../playbook/model.ts";
import type { Env } from "../playbook/settings/open-secrets.ts";
import { includedData } from "../playbook/playbook-walk.ts";

/** A checked playbook with all values that a run gets from outside. */
export interface ReadyPlaybook extends GivenToRun {
  /** The checked playbook. */
  readonly playbook: Playbook;
}

/**
 * Returns a digest of each value that a run gets from outside: its inputs by name, variables as `env.NAME`, and values that an included playbook reads from
 * data files. Names of included playbooks begin with the file.
 */
export function digestsOfGiven(given: ReadyPlaybook): Readonly<Record<string, string>> {
  return mapValues(valuesOf(given), digestOfValue);
}

/** Returns a digest of a value. It does not depend on the order of fields or the spelling of numbers. */
export function digestOfValue(value: Json): string {
  return hash("sha256", canonicalJson(value));
}

function valuesOf({ playbook, inputs, env }: ReadyPlaybook): JsonObject {
  const whose = (file: string): string => (file === playbook.file ? "" : `${file}: `);
  const named = (values: Env | FileData, what: string): readonly (readonly [string, Json])[] =>
    Object.entries(values).flatMap(([file, own]) =>
      Object.entries(own).map(([name, value]) => [`${whose(file)}${what}${name}`, value] as const),
    );
  return { ...inputs, ...Object.fromEntries([...named(env, "env."), ...named(includedData(playbook), "")]) };
}
