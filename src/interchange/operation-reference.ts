import { type Operation, operations } from "../operations/operation.ts";
import { pathOf } from "../schema/pointer.ts";

interface Route {
  readonly operation: Operation;
  readonly pattern: RegExp;
}

let known: readonly Route[] | undefined;

// The path of a document may begin at the interface, or at the host.
function routes(): readonly Route[] {
  known ??= [...operations.values()].map((operation) => {
    const { call, service } = operation;
    return { operation, pattern: new RegExp(`^(?:.*${asPattern(service.root)})?${asPattern(call.path)}$`) };
  });
  return known;
}

function asPattern(path: string): string {
  return path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^}]*\}/g, "[^/]+");
}

/** Returns the operations of a method and a path, with or without the root of their interface. */
export function operationsAt(method: string, path: string): readonly Operation[] {
  const found = routes().filter(({ operation, pattern }) => operation.call.method === method.toUpperCase() && pattern.test(path));
  // A fixed path is preferred to one with a parameter in that place.
  const fixed = found.filter(({ operation }) => path.endsWith(operation.call.path));
  return (fixed.length > 0 ? fixed : found).map(({ operation }) => operation);
}

/** Returns the operation that `operationPath` names; `undefined` if it has another form, or names none of ours. */
export function operationAtPath(reference: string): Operation | undefined {
  const pointer = /#(\/paths\/.+)$/.exec(reference)?.[1];
  if (pointer === undefined) return undefined;
  const [, path = "", method = ""] = pathOf(pointer);
  return operationsAt(method, path)[0];
}

/** Returns the operation that `operationId` names, in the written contract of this package. */
export function operationOfId(reference: string): Operation | undefined {
  const id = /^\$sourceDescriptions\.[\w-]+\.(.+)$/.exec(reference)?.[1] ?? reference;
  return operations.get(id);
}
