import { Failure } from "../base/failure.ts";

/** A link in a header: its target, and its parameters by their lower-case names. If a name is repeated, the first one counts. */
interface Link {
  readonly target: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Returns the address of the next page from a `Link` header, as it is written there; `undefined` if the header names none. Throws a Failure
 * if the header cannot be parsed, or does not name exactly one page: ending the list there would lose the remaining rows.
 */
export function nextPageIn(header: string, page: number): string | undefined {
  const links = linksIn(header);
  if (links === undefined) throw unclear(page, "cannot be read");
  const next = links.filter(({ parameters }) => relationsOf(parameters).includes("next"));
  if (next.some(({ parameters }) => parameters.has("anchor"))) throw unclear(page, "names the next page of another address");
  const targets = new Set(next.map(({ target }) => target));
  if (targets.size > 1) throw unclear(page, "names several next pages");
  return next[0]?.target;
}

// Single quotes are not quotes in HTTP, but some services write them.
function relationsOf(parameters: ReadonlyMap<string, string>): readonly string[] {
  const rel = parameters.get("rel") ?? "";
  return rel
    .replace(/^'(.*)'$/, "$1")
    .toLowerCase()
    .split(/\s+/);
}

// These patterns are applied in turn, each where the previous match ended.
const EMPTY = /[\t ,]*/y;
const TARGET = /<([^<>]*)>[\t ]*/y;
const PARAMETER = /;[\t ]*(?:([^\s"'(),/:;<=>?@[\\\]{}]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^\s",;<>]*)))?)?[\t ]*/y;
const END = /(?:,[\t ,]*|$)/y;

/** Returns the links of a header in the format of RFC 8288; `undefined` if it has another format. */
function linksIn(header: string): readonly Link[] | undefined {
  const links: Link[] = [];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  next(EMPTY);
  while (at < header.length) {
    const [, target] = next(TARGET) ?? [];
    if (target === undefined) return undefined;
    const parameters = new Map<string, string>();
    for (let found = next(PARAMETER); found !== null; found = next(PARAMETER)) {
      const [, name = "", quoted, plain = ""] = found;
      const key = name.toLowerCase();
      if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, "$1") ?? plain);
    }
    if (next(END) === null) return undefined;
    links.push({ target, parameters });
  }
  return links;
}

// The header may repeat a key from the address, so it is not shown.
function unclear(page: number, what: string): Failure {
  return new Failure({
    code: "source.unreadable",
    message: `the \`Link\` header of page ${page} of the API ${what}`,
    next: "write an expression for the next page: next: response.next",
  });
}
