import { parseDuration } from "../base/time/duration.ts";
import { LIMITS } from "../base/limits.ts";
import { services } from "../services/services.ts";
import { child, entriesIn, type SourceNode, textOf } from "../source/node.ts";
import type { PlacedFinding } from "../source/problems.ts";

// Rules about the values in an environment file that a schema cannot check.

/** Returns the base URLs of an environment. */
export function addressesOf(environment: SourceNode): readonly { readonly node: SourceNode; readonly text: string }[] {
  return services.flatMap(({ name }) => {
    const node = child(child(environment, name), "baseUrl");
    const text = textOf(node);
    return node === undefined || text === undefined ? [] : [{ node, text }];
  });
}

/**
 * Returns the parts of an address that may be a key, however it is written: everything between the scheme and the last @, and everything
 * after its path.
 */
export function hiddenPartsOf(address: string): readonly string[] {
  const login = /^(?:[A-Za-z][A-Za-z\d+.-]*:(?=\/)|https?:)?\/*(.+)@/s.exec(address)?.[1];
  const behind = /[?#](.+)/s.exec(address)?.[1];
  return [login, behind].flatMap((part) => part ?? []);
}

/** Returns the findings for addresses that are invalid, contain a key that would be printed, or include the path of the service. */
export function addressProblems(root: SourceNode): readonly PlacedFinding[] {
  return valuesOf(root, "environments")
    .flatMap(addressesOf)
    .flatMap(({ node: { range }, text }): readonly PlacedFinding[] => {
      const url = URL.parse(text);
      if (url === null) {
        const message = `"baseUrl" is not an address: its host or port is not valid`;
        return [{ finding: { code: "schema.pattern", message, suggestion: "such as https://ledger.example.com:8443" }, range }];
      }
      if (url.username === "" && url.password === "") return ownPathProblems(url, range);
      const message = `"baseUrl" holds a user or a password`;
      const why = "an address is printed, and appears in reports and in the journal";
      const suggestion = "leave them out, and give the key as apiKey or under credentials: env:NAME or file:PATH";
      return [{ finding: { code: "schema.pattern", message, why, suggestion }, range }];
    });
}

// tokenbook adds the path of the service itself, so the path would be there twice.
function ownPathProblems({ origin, pathname }: URL, range: PlacedFinding["range"]): readonly PlacedFinding[] {
  const before = services.flatMap(({ root }) => {
    const own = root.replaceAll(/[^\w/{}]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, "[^/]+");
    return new RegExp(`^(.*?)${own}(?:/.*)?$`).exec(pathname)?.[1] ?? [];
  });
  const [path] = before;
  if (path === undefined) return [];
  const message = `"baseUrl" includes the service's own path: ${pathname.slice(path.length)}`;
  const why = "tokenbook adds this path to each request itself";
  return [{ finding: { code: "schema.pattern", message, why, suggestion: `baseUrl: "${origin}${path}"` }, range }];
}

const HOUR_MS = 3_600_000;

/** Returns the findings for impossible timeouts: zero, or longer than a timer can wait. */
export function timeoutProblems(root: SourceNode): readonly PlacedFinding[] {
  return [...valuesOf(root, "environments"), ...valuesOf(root, "notifications")].flatMap((node) => {
    const timeout = child(node, "timeout");
    const ms = parseDuration(textOf(timeout) ?? "");
    if (timeout === undefined || ms === undefined || (ms >= 1 && ms <= LIMITS.requestMs)) return [];
    const message = `"timeout" must be from 1ms to ${LIMITS.requestMs / HOUR_MS}h`;
    return [{ finding: { code: "schema.range", message }, range: timeout.range }];
  });
}

/** Returns the values of the map under a name. */
export function valuesOf(root: SourceNode, field: string): readonly SourceNode[] {
  return entriesIn(child(root, field)).map(([, { value }]) => value);
}
