import { sharingSteps } from "../../base/budget.ts";
import { invariant } from "../../base/failure.ts";
import type { Json } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import { EvaluationFailure, type Scope } from "../../expression/expression.ts";
import { KEY_RULE, spellKey } from "../../playbook/steps/foreach-keys.ts";
import type { Foreach } from "../../playbook/model.ts";
import { mustCompare } from "../../playbook/playbook-walk.ts";
import { bind } from "../../playbook/expressions/template.ts";
import type { StepExpanded, StepProblem } from "../../protocol/record.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import type { Place } from "../run/plan-steps.ts";
import { NO_ROUND } from "./nothing-compared.ts";
import { skipIfFalse } from "./skip-if-false.ts";

/** Evaluates the list of a `foreach` once and records its rounds, so that a resumed run has the same rounds. */
export function expand(context: ReadingContext, place: Place): void {
  const { address, step } = place;
  invariant(step.foreach !== undefined, "only a foreach is expanded");
  const startedAt = context.ports.clock.now();
  if (skipIfFalse(context, place, startedAt)) return;
  const rounds = roundsOf(context.scopeAt(place), step.foreach);
  if ("code" in rounds) return context.stop(place, { startedAt, outcome: "failed", problem: rounds });
  const isCheck = step.kind === "check";
  if (rounds.length === 0 && mustCompare(step))
    return context.stop(place, { startedAt, outcome: "failed", problem: isCheck ? NOTHING_CHECKED : NO_ROUND });
  context.note({ kind: "step.expanded", step: address, rounds });
  if (rounds.length > 0) return;
  const warned = isCheck ? { warning: { ...NOTHING_CHECKED, next: "look at the list, if it must have an item" } } : {};
  context.complete(place, { outcome: "ok", value: {}, startedAt, requests: 0, ...warned });
}

const NOTHING_CHECKED: StepProblem = {
  code: "check.empty",
  message: "nothing was checked: the list of `foreach` is empty",
  next: "look at the list; if it may be empty, write `severity: warn` in the check",
};

/** Returns the rounds of a `foreach`, or its problem. Throws an EvaluationFailure. */
export function roundsOf(scope: Scope, { variable, list, key }: Foreach): StepExpanded["rounds"] | StepProblem {
  const items = bind(list, scope);
  if (!Array.isArray(items)) throw new EvaluationFailure(`foreach: ${variable} is not a list`);
  const tooMany = tooManyRounds(items);
  if (tooMany !== undefined) return tooMany;
  const rounds = sharingSteps("expressionSteps", () =>
    items.map((item, at) => ({ key: keyOf(key.evaluate({ ...scope, [variable]: item }), key.text, at), item })),
  );
  const keys = new Set<string>();
  const twice = rounds.find((round) => keys.size === keys.add(round.key).size);
  return twice === undefined
    ? rounds
    : {
        code: "foreach.same-key",
        message: `two rounds of foreach have the key ${JSON.stringify(twice.key)}`,
        why: "results are kept by key, so one would hide the other",
        next: `make key: ${key.text} different for each item`,
      };
}

/** Returns the problem of a list with more items than a `foreach` may have rounds. */
export function tooManyRounds({ length }: readonly Json[]): StepProblem | undefined {
  if (length <= LIMITS.foreachItems) return undefined;
  return { code: "foreach.limit", message: `foreach over ${count(length, "item")}; the limit is ${LIMITS.foreachItems}` };
}

function keyOf(value: Json, text: string, at: number): string {
  const key = spellKey(value);
  if (key !== undefined) return key;
  throw new EvaluationFailure(`key: ${text} ${KEY_RULE}; it does not for item ${at + 1} of the list`);
}
