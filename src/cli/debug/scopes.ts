import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { present } from "../../base/present.ts";
import { masked, type Redact } from "../../base/secret.ts";
import { sanitise } from "../../base/text/text.ts";
import { headingOf } from "../../environment/target.ts";
import type { HeldMoment } from "../../engine/run/hold.ts";
import { roundItems } from "../../engine/run/scopes.ts";
import { transactionsOf } from "../../protocol/state.ts";
import { cut } from "../../report/formats/foreign-text.ts";
import { roundsAt, type StackStep } from "./stack.ts";

/** A named group of values at one step of a stack. */
export interface ShownScope {
  /** What the editor calls the group, such as `Inputs`. */
  readonly name: string;
  /** The values by their names; secrets are masked. */
  readonly values: JsonObject;
}

/**
 * Returns the values that are visible at a step of the stack. Each step shows the inputs, earlier steps, rounds and environment of its playbook. The innermost
 * step also shows its bound input and its answer. Secrets are masked.
 */
export function scopesAt(moment: HeldMoment, stack: readonly StackStep[], at: number): readonly ShownScope[] {
  const here = stack[at];
  if (here === undefined) return [];
  const { run, input, place } = moment;
  const rounds = roundsAt(stack, here, run.state);
  const scope = run.scopeAt({ frame: here.frame, rounds });
  const secrets = Object.keys(asObject(scope["secrets"])).map((name) => [name, `\${{ secrets.${name} }}`]);
  const environment = {
    ...headingOf(run.target),
    env: scope["env"] ?? {},
    actors: scope["actors"] ?? {},
    run: scope["run"] ?? {},
    secrets: Object.fromEntries(secrets) as JsonObject,
  };
  const sent = input ?? run.state.steps.get(place.address)?.attempts.at(-1)?.intended.input ?? {};
  const own =
    at > 0
      ? []
      : [
          { name: "Input", values: sent },
          { name: "Answer", values: answerAt(moment) },
        ];
  const shared = [
    { name: "Inputs", values: asObject(scope["inputs"]) },
    { name: "Steps", values: doneOf(asObject(scope["steps"]), place.step.id) },
    { name: "Rounds", values: roundItems(rounds, run.state) },
    { name: "Environment", values: environment as JsonObject },
  ];
  const all = [...own, ...shared].filter(({ values }) => Object.keys(values).length > 0);
  return all.map(({ name, values }) => ({ name, values: masked(values, run.secrets.redact) as JsonObject }));
}

// Expressions may ask whether a step in a block was run. For the held step itself, that is of no use.
function doneOf(steps: JsonObject, own: string): JsonObject {
  return Object.fromEntries(Object.entries(steps).filter(([id, value]) => id !== own || Object.keys(asObject(value)).length > 1));
}

// Everything known about the step: the answer to its last attempt, the receipt, what the probe read, and the outcome.
function answerAt({ place, run: { state } }: HeldMoment): JsonObject {
  const step = state.steps.get(place.address);
  const last = step?.attempts.at(-1);
  const { completed, stopped } = step ?? {};
  const { answered, receipt, settled } = last ?? {};
  const transactions = last === undefined ? [] : transactionsOf(last);
  const fields: Readonly<Record<string, unknown>> = {
    attempt: last && last.intended.attempt + 1,
    answer: answered && {
      meaning: answered.meaning,
      status: answered.status,
      message: answered.message,
      payload: answered.payload,
    },
    receipt: receipt?.receipt,
    probe: settled && { verdict: settled.verdict, evidence: settled.evidence },
    transactions: transactions.length === 0 ? undefined : transactions,
    outcome: stopped?.outcome ?? completed?.outcome,
    problem: stopped?.problem,
    value: completed?.value,
  };
  return present(fields) as JsonObject;
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** One line of the editor's list of variables. */
export interface ShownVariable {
  /** The name of a field, or `[0]` for the first item of a list; `…` for the line that counts the rest. */
  readonly name: string;
  /** The value in JSON on one line; a long list or object is cut. */
  readonly value: string;
  /** The kind of the value, such as `list`; empty for the line that counts the rest. */
  readonly type: string;
  /** The content of the value if the editor can expand it. */
  readonly held: JsonObject | readonly Json[] | undefined;
}

/** Returns one line for each field of an object or item of a list: at most `LIMITS.debuggerVariables` lines, beginning at `start`. */
export function variablesIn(values: JsonObject | readonly Json[], start = 0): readonly ShownVariable[] {
  const entries: readonly (readonly [string, Json])[] = isList(values)
    ? values.map((value, at) => [`[${at}]`, value])
    : Object.entries(values);
  const shown = entries.slice(start, start + LIMITS.debuggerVariables);
  const left = entries.length - start - shown.length;
  const lines = shown.map(([name, value]) => variable(name, value));
  return left <= 0 ? lines : [...lines, { name: "…", value: `${left} more`, type: "", held: undefined }];
}

function variable(name: string, value: Json): ShownVariable {
  const isHolder = typeof value === "object" && value !== null && !(value instanceof Decimal);
  const text = sanitise(writeJson(value));
  const { length } = text;
  return {
    name: sanitise(name),
    value: length <= LIMITS.debuggerChars || !isHolder ? text : `${cut(text, LIMITS.debuggerChars)}…`,
    type: typeOf(value),
    held: isHolder && Object.keys(value).length > 0 ? value : undefined,
  };
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (value instanceof Decimal) return "number";
  return isList(value) ? "list" : typeof value;
}

function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns a text on one line, without the secrets of a run and without control characters. */
export function shownText(text: string, redact: Redact): string {
  return sanitise(redact(text));
}
