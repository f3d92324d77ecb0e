import { getOrInsert } from "../base/maps.ts";
import { percentDecoded } from "../base/text/percent.ts";
import { serviceNamed } from "../services/services.ts";
import { type Operation, operations } from "./operation.ts";

/** Returns the operation that a request calls, whatever the service's address; `undefined` if it calls none. */
export function operationAt(method: string, url: string): Operation | undefined {
  const path = URL.parse(url, "http://service.invalid")?.pathname ?? "";
  return routesOf(method).find(({ pattern }) => pattern.test(path))?.operation;
}

/** Returns the values of the parameters in the path of a request. */
export function pathValues(operation: Operation, url: string): Readonly<Record<string, string>> {
  const path = URL.parse(url, "http://service.invalid")?.pathname ?? "";
  const found = Object.entries(patternOf(operation).exec(path)?.groups ?? {});
  return Object.fromEntries(found.map(([name, value]) => [name, percentDecoded(value)]));
}

/** Returns the address of the interface that a request calls: its URL without the path of the operation. */
export function addressIn(operation: Operation, url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + (patternOf(operation).exec(pathname)?.[1] ?? "");
}

interface OperationRoute {
  readonly operation: Operation;
  readonly pattern: RegExp;
}

const routes = new Map<string, readonly OperationRoute[]>();

// If two routes match, the one with fewer parameters in its path is meant.
function routesOf(method: string): readonly OperationRoute[] {
  return getOrInsert(routes, method, () =>
    [...operations.values()]
      .filter(({ call }) => call.method === method)
      .toSorted((one, other) => one.call.path.split("{").length - other.call.path.split("{").length)
      .map((operation) => ({ operation, pattern: patternOf(operation) })),
  );
}

function patternOf({ call }: Operation): RegExp {
  const root = serviceNamed(call.interface).root.replaceAll(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^((?:/.*)?${root})${call.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}
