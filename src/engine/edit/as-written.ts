import { Expression } from "../../expression/expression.ts";
import { type Operation, operations } from "../../operations/operation.ts";
import type { TracedStep } from "./earlier-values.ts";

/** Returns whether a step, all that it holds and its actors are written as before, wherever in its file the step is. */
export function isWrittenAsBefore(was: TracedStep, is: TracedStep): boolean {
  return isWrittenAlike(was.step, is.step) && isWrittenAlike(was.playbook.actors, is.playbook.actors);
}

/** Returns whether two parts of a playbook are written alike, apart from their lines. */
export function isWrittenAlike(one: unknown, other: unknown): boolean {
  return one === other || spellingOf(one) === spellingOf(other);
}

function spellingOf(part: unknown): string {
  return JSON.stringify(part, (key, value: unknown) => {
    if (value instanceof Expression) return value.text.trim();
    if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)];
    if (isOperation(value)) return value.name;
    return key === "line" && typeof value === "number" ? undefined : value;
  });
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "name" in value && operations.get(String(value.name)) === value;
}
