import { isObject, type Json } from "../base/json/json.ts";
import { didYouMean } from "../base/text/text.ts";
import { contract } from "../contract/contract.ts";
import { DEFAULT_PROFILE } from "../contract/profile.ts";
import { child, type SourceNode, toJson } from "../source/node.ts";
import type { PlacedFinding } from "../source/problems.ts";

// The rules about a profile that a schema cannot check: a word with two meanings would be read as either of them.

/** The settings of which each gives words a meaning, and none gives one word two. */
const VOCABULARIES: readonly (readonly string[])[] = [
  ["ledger", "parameters"],
  ["ledger", "receipt"],
  ["ledger", "requestStatus"],
  ["ledger", "fields", "vaultUpdate"],
  ["ledger", "fields", "vaultAssets"],
  ["investor", "parameters"],
];

/** Writes that are answered at once, among the names of operations. */
const ASYNC = "async";

/** Returns the findings about the words of all profiles of an environment file: one with two meanings, and names that no operation and no condition has. */
export function profileProblems(root: SourceNode): readonly PlacedFinding[] {
  const environments = child(root, "environments");
  const all = environments?.kind === "map" ? [...environments.entries.values()].map(({ value }) => child(value, "profile")) : [];
  return all.flatMap((profile) => (profile === undefined ? [] : problemsOf(profile)));
}

function problemsOf(profile: SourceNode): readonly PlacedFinding[] {
  const operations = Object.values(contract.operations);
  const conditions = operations.flatMap((operation) => [...operation.conditions, ...operation.furtherConditions]);
  return [
    ...VOCABULARIES.flatMap((path) => twoMeanings(profile, path)),
    ...unknownNames(child(profile, "successStatus"), [ASYNC, ...operations.map(({ name }) => name)], "operation"),
    ...unknownNames(child(profile, "conditionStatus"), conditions, "condition of the service description"),
  ];
}

function twoMeanings(profile: SourceNode, path: readonly string[]): readonly PlacedFinding[] {
  const node = path.reduce<SourceNode | undefined>((at, name) => child(at, name), profile);
  if (node === undefined) return [];
  const meant = { ...mapAt(DEFAULT_PROFILE as unknown as Json, path), ...mapAt(toJson(profile), path) };
  const words = Object.entries(meant).flatMap(([name, value]) => wordsOf(value).map((word) => ({ name, word })));
  const double = words.find(({ name, word }) => words.some((other) => other.word === word && other.name !== name));
  if (double === undefined) return [];
  const names = words.filter(({ word }) => word === double.word).map(({ name }) => name);
  const message = `"${path.join(".")}" gives "${double.word}" two meanings: ${names.join(" and ")}`;
  const why = "an answer with this word could be read either way; a setting that is left out has its usual words";
  return [{ finding: { code: "schema.value", message, why, suggestion: "give each its own words" }, range: node.range }];
}

function mapAt(value: Json | undefined, path: readonly string[]): Readonly<Record<string, Json>> {
  const found = path.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), value);
  return isObject(found) ? found : {};
}

function wordsOf(value: Json): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((word) => typeof word === "string");
}

function unknownNames(node: SourceNode | undefined, known: readonly string[], what: string): readonly PlacedFinding[] {
  if (node?.kind !== "map") return [];
  return [...node.entries]
    .filter(([name]) => !known.includes(name))
    .map(([name, { key }]) => {
      const near = didYouMean(name, known);
      const suggestion = near === undefined ? {} : { suggestion: `did you mean "${near}"?` };
      return {
        finding: { code: "schema.unknown-field" as const, message: `"${name}" is no ${what}`, ...suggestion },
        range: key,
      };
    });
}
