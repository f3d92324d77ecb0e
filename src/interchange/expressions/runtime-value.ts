import { Expr, isMap, Joined, type WrittenValue } from "../value.ts";

/** Returns a value as Arazzo writes it. */
export function runtimeOf(value: WrittenValue): unknown {
  if (value instanceof Expr) return value.text;
  if (value instanceof Joined) return value.parts.map((part) => (typeof part === "string" ? part : `{${part.text}}`)).join("");
  if (Array.isArray(value)) return value.map((item: WrittenValue) => runtimeOf(item));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, runtimeOf(field)]));
}
