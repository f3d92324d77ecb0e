import { type Operation, operations } from "../operations/operation.ts";
import { operationAt } from "../operations/route.ts";
import { pathOf } from "../schema/pointer.ts";
import { services } from "../services/services.ts";

/** Returns the operation that `operationPath` names; `undefined` if it has another form, or names none of our operations. */
export function operationAtPath(reference: string): Operation | undefined {
  const pointer = /#(\/paths\/~1.+)$/.exec(reference)?.[1];
  if (pointer === undefined) return undefined;
  const [, path = "", method = ""] = pathOf(pointer);
  // A path in a document may begin at the interface or at the host.
  const found = ["", ...services.map(({ root }) => root)].map((root) => operationAt(method.toUpperCase(), root + path));
  return found.find((operation) => operation !== undefined);
}

/** Returns the operation that `operationId` names in the contract of this package. */
export function operationOfId(reference: string): Operation | undefined {
  const id = /^\$sourceDescriptions\.[\w-]+\.(.+)$/.exec(reference)?.[1] ?? reference;
  return operations.get(id);
}
