import { Expression } from "../../expression/expression.ts";
import { type Operation, operations } from "../../operations/operation.ts";

/** Returns whether two parts of playbooks are written alike with all that they hold, wherever in their files they are. */
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
