import { isObject, type Json } from "../base/json/json.ts";
import { field } from "../base/json/parts.ts";
import { didYouMeanOr } from "../base/text/text.ts";
import { contract } from "../contract/contract.ts";
import { DEFAULT_PROFILE } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { child, type SourceNode, toJson } from "../source/node.ts";
import type { PlacedFinding } from "../source/problems.ts";
import { valuesOf } from "./values.ts";

// Rules about a profile that a schema cannot check: a word with two meanings would be ambiguous.

/** A map of settings that gives meanings to words, so the words must differ. */
interface Vocabulary {
  readonly path: readonly string[];
  readonly names: readonly string[];
}

const VOCABULARIES = vocabulariesIn(contract.profile, []);

// The schema decides: the service may choose these words freely, while other settings offer a fixed choice.
function vocabulariesIn(schema: JsonSchema, path: readonly string[]): readonly Vocabulary[] {
  const properties = Object.entries(schema.properties ?? {});
  const names = properties.filter(([, each]) => isOfWords(each)).map(([name]) => name);
  const inner = properties.flatMap(([name, each]) => vocabulariesIn(each, [...path, name]));
  return path.length > 1 && names.length > 1 ? [{ path, names }, ...inner] : inner;
}

function isOfWords({ type, items }: JsonSchema): boolean {
  return type === "string" || (type === "array" && items?.type === "string");
}

/** The name, among those of operations, for writes that are answered at once. */
const ASYNC = "async";

/**
 * Returns the findings about the words in all profiles of an environment file: words with two meanings, and names of unknown operations or conditions.
 */
export function profileProblems(root: SourceNode): readonly PlacedFinding[] {
  const all = valuesOf(root, "environments").map((environment) => child(environment, "profile"));
  return all.flatMap((profile) => (profile === undefined ? [] : problemsOf(profile)));
}

function problemsOf(profile: SourceNode): readonly PlacedFinding[] {
  const operations = Object.values(contract.operations);
  const conditions = operations.flatMap((operation) => [...operation.conditions, ...operation.furtherConditions]);
  return [
    ...VOCABULARIES.flatMap((vocabulary) => twoMeanings(profile, vocabulary)),
    ...unknownNames(child(profile, "successStatus"), [ASYNC, ...operations.map(({ name }) => name)], "operation"),
    ...unknownNames(child(profile, "conditionStatus"), conditions, "condition of the service description"),
  ];
}

function twoMeanings(profile: SourceNode, { path, names: all }: Vocabulary): readonly PlacedFinding[] {
  const node = path.reduce<SourceNode | undefined>((at, name) => child(at, name), profile);
  if (node === undefined) return [];
  const meant = { ...mapAt(DEFAULT_PROFILE as unknown as Json, path), ...mapAt(toJson(profile), path) };
  const words = all.flatMap((name) => wordsOf(meant[name]).map((word) => ({ name, word })));
  const double = words.find(({ name, word }) => words.some((other) => other.word === word && other.name !== name));
  if (double === undefined) return [];
  const names = words.filter(({ word }) => word === double.word).map(({ name }) => name);
  const message = `"${path.join(".")}" gives "${double.word}" two meanings: ${names.join(" and ")}`;
  const why = "an answer with this word could be read either way; if you leave a setting out, it has its usual words";
  return [{ finding: { code: "schema.value", message, why, suggestion: "give each its own words" }, range: node.range }];
}

function mapAt(value: Json | undefined, path: readonly string[]): Readonly<Record<string, Json>> {
  const found = path.reduce<Json | undefined>(field, value);
  return isObject(found) ? found : {};
}

function wordsOf(value: Json | undefined): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((word) => typeof word === "string");
}

function unknownNames(node: SourceNode | undefined, known: readonly string[], what: string): readonly PlacedFinding[] {
  if (node?.kind !== "map") return [];
  return [...node.entries]
    .filter(([name]) => !known.includes(name))
    .map(([name, { key }]) => {
      const suggestion = didYouMeanOr(name, known, undefined);
      return { finding: { code: "schema.unknown-field", message: `"${name}" is no ${what}`, suggestion }, range: key };
    });
}
