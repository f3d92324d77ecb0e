// Makes the commits of two runs comparable.
import { isObject, type Json, writeJson } from "../../src/base/json/json.ts";
import { Decimal } from "../../src/base/numbers/decimal.ts";

/** One write that took effect, as the sandbox lists it. */
export interface Committed {
  readonly operation: string;
  readonly actor: Json;
  readonly body: Json;
  readonly transactionId: string;
}

/**
 * Returns the commits without the values that each run chooses for itself: ids become numbers in the order of their creation, the key
 * of the run becomes a word, and tokenbook's marks are left out.
 */
export function comparable(commits: readonly Committed[], runKey: string): readonly string[] {
  const ids = new Map<string, string>();
  for (const { operation, body } of commits)
    if (MAKES.test(operation)) for (const id of idsIn(body)) ids.set(id, `#${ids.size + 1}`);
  const chosen = (text: string): string => ids.get(text) ?? text.replaceAll(runKey, "KEY").replace(/^[\da-f]{24,64}$/, "HASH");
  return commits.map(({ operation, actor, body }) =>
    writeJson({ operation, actor: plain(actor, chosen), body: plain(body, chosen) }),
  );
}

const MAKES = /\.(?:token|vault)\.(?:create|addToken)$/;

function idsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => idsIn(item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => (name === "id" && typeof field === "string" ? [field] : idsIn(field)));
}

function plain(value: Json, chosen: (text: string) => string): Json {
  if (typeof value === "string") return chosen(value.replace(/\s*\[tokenbook:.*\]$/, ""));
  if (value instanceof Decimal) return Decimal.parse(value.canonical()) ?? value;
  if (Array.isArray(value)) return value.map((item: Json) => plain(item, chosen));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([name, field]) => name !== "tokenbook" && !isOnlyMark(field));
  const kept = fields
    .map(([name, field]) => [name, plain(field, chosen)] as const)
    .filter(([name, field]) => name !== "comment" || field !== "");
  return Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function isOnlyMark(value: Json): boolean {
  return isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every((name) => name === "tokenbook");
}

/** A `tokenbook.yaml` for a sandbox at this address. */
export function environmentAt(url: string, keys: readonly string[]): string {
  const credentials = keys.filter((key) => key !== "LEDGER_API_KEY").map((key) => `${key}: env:${key}`);
  return `environments:
  here:
    exclusive: true
    readLag: 0s
    ledger: { baseUrl: "${url}", appId: app1, orgId: org1, apiKey: env:LEDGER_API_KEY }
    investor: { baseUrl: "${url}", credentials: { ${credentials.join(", ")} } }
`;
}
