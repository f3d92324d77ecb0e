import { Failure } from "../../base/failure.ts";
import type { Json, JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { EvaluationFailure, type Scope } from "../../expression/expression.ts";
import { inputsOfGroups } from "../../playbook/settings/concurrency.ts";
import { someInputs } from "../../playbook/inputs/given-inputs.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { Env } from "../../playbook/settings/open-secrets.ts";
import { bind, type Template } from "../../playbook/expressions/template.ts";
import { includesOf } from "../../playbook/playbook-walk.ts";

/** A concurrency group that a run must hold. */
export interface GroupWish {
  /** The name of the group. */
  readonly group: string;
  /** How long to wait while another run holds it; `undefined` to fail at once. */
  readonly waitMs: number | undefined;
  /** The place in the playbook that asks for it. */
  readonly at: string;
}

/** The values that a run gets beside its playbook. */
export interface GivenToRun {
  /** The value of every input, given or default. */
  readonly inputs: JsonObject;
  /** The variables, by the file of the playbook that declares them. */
  readonly env: Env;
}

/**
 * Returns the groups of a run and of the playbooks that it includes, by name. If two playbooks name the same group, the longer wait wins. Throws
 * a Failure.
 */
export function groupsOf(playbook: Playbook, given: GivenToRun): readonly GroupWish[] {
  const wishes = new Map<string, GroupWish>();
  for (const wish of allWishes(playbook, given)) {
    const known = wishes.get(wish.group);
    if (known === undefined || (wish.waitMs ?? 0) > (known.waitMs ?? 0)) wishes.set(wish.group, wish);
  }
  return [...wishes.values()].toSorted((one, other) => (one.group < other.group ? -1 : 1));
}

function* allWishes(playbook: Playbook, { inputs, env }: GivenToRun): Generator<GroupWish> {
  const scope = { inputs, env: env[playbook.file] ?? {} };
  const { concurrency } = playbook;
  if (concurrency !== undefined) {
    const at = `${playbook.file}:${concurrency.line} (concurrency)`;
    const group = nameOf(bindAt(at, concurrency.group, scope), at);
    yield { group, waitMs: concurrency.waitMs, at };
  }
  for (const step of includesOf(playbook)) {
    const names = inputsOfGroups(step.playbook);
    const at = `${playbook.file}:${step.line} (${step.id})`;
    const wanted = [...step.inputs].filter(([name]) => names.has(name));
    const given = Object.fromEntries(wanted.map(([name, template]) => [name, bindAt(at, template, scope)]));
    yield* allWishes(step.playbook, { inputs: someInputs(step.playbook, given, names), env });
  }
}

function bindAt(at: string, template: Template, scope: Scope): Json {
  try {
    return bind(template, scope);
  } catch (error) {
    if (error instanceof EvaluationFailure) throw unnamed(at, error.message);
    throw error;
  }
}

function nameOf(value: Json, at: string): string {
  const name = typeof value === "string" ? value.trim() : "";
  if (name !== "" && name.length <= LIMITS.groupChars) return name;
  throw unnamed(at, name === "" ? "it is empty" : `it has ${name.length} characters; the limit is ${LIMITS.groupChars}`);
}

function unnamed(at: string, why: string): Failure {
  return new Failure({ code: "concurrency.no-name", message: `${at}: the group has no name: ${why}`, why: "nothing was sent" });
}
