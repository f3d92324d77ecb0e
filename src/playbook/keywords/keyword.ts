import { DURATION_PATTERN, parseDuration } from "../../base/time/duration.ts";
import { child, type MapNode, type SourceNode, textOf } from "../../source/node.ts";
import type { InputType } from "../declarations.ts";

// A keyword is one row of a table. The frame, the editor's schema, the formatter, the rules and the reference are made from it.

/** The value of a keyword; `undefined` if the keyword is missing. */
export type Value = SourceNode | undefined;

/** The values of several keywords. */
export type Values<Names extends string> = Readonly<Record<Names, Value>>;

/** A rule that a keyword needs another one beside it, or excludes it. `Name` is any keyword of the same table. */
export interface CompanionRule<Name = string> {
  /** The other keyword. */
  readonly keyword: Name;
  /** The value that the other keyword must have, if only one value counts. */
  readonly is?: string;
  /** The calls to which the rule applies; by default all. */
  readonly of?: "reads";
  /** What is wrong when the rule is broken, in one sentence. */
  readonly message: string;
  /** What to write instead. */
  readonly suggestion?: string;
}

/** What a row says in addition to its schema and reader. */
export interface KeywordColumns {
  /** Whether the map must have it. */
  readonly required?: true;
  /** Its default, as a user would write it. */
  readonly default?: string;
  /** The calls that may have it; by default every call. */
  readonly only?: "reads" | "writes" | "paged lists";
  /** What to do in a call that must not have it. */
  readonly instead?: string;
  /** The keyword that must be beside it. */
  readonly needs?: CompanionRule;
  /** The keyword that must not be beside it. */
  readonly excludedBy?: CompanionRule;
  /** For an input: the types to which it applies. */
  readonly types?: readonly (InputType | "any")[];
  /** What the value names, for editors. */
  readonly names?: "uses" | "read" | "actor" | "condition";
  /** What an edit means for a run that has done this step: either the run cannot resume, or the finished part stays as it is. */
  readonly edit?: "conflict" | "none";
  /** The keywords of its value. */
  readonly inside?: () => Table;
  /** The keywords of each item of its list, or of each entry of its map. */
  readonly each?: () => Table;
}

/** A row that says nothing but its schema, and how its value is read. */
export interface PlainKeyword<T> {
  /** The JSON Schema of its value, with its description. */
  readonly schema: object;
  /** Returns what a reader gets from the value, even if it is missing. */
  readonly read: (value: Value) => T;
}

/** One keyword. */
export interface Keyword<T = unknown> extends PlainKeyword<T>, KeywordColumns {}

/** Keywords by name, in the order of the formatter. */
export type Table = Readonly<Record<string, Keyword>>;

/** The rules of a row, which name other keywords of its table. */
interface Companions<Fields> {
  readonly needs?: CompanionRule<keyof Fields>;
  readonly excludedBy?: CompanionRule<keyof Fields>;
}

/** A row for each keyword that a reader receives, and for no other. */
export type Keywords<Fields> = { readonly [Name in keyof Fields]-?: Keyword<Fields[Name]> & Companions<Fields> };

/**
 * Keywords of something that a run does. Each row says what an edit of it means: edits of the keywords in `Fixed` contradict a run that has
 * done it.
 */
export type EditedKeywords<Fields, Fixed extends keyof Fields> = {
  readonly [Name in keyof Fields]-?: Keywords<Fields>[Name] & { readonly edit: Name extends Fixed ? "conflict" : "none" };
};

/** The values of the keywords of a map. */
export function fieldsOf<Fields>(map: Value, keywords: Keywords<Fields>): Fields {
  const fields: Partial<Fields> = {};
  for (const name in keywords) fields[name] = keywords[name].read(child(map, name));
  return fields as Fields;
}

/** Does nothing. The compiler rejects a call whose argument still holds a keyword, so that a reader cannot forget one. */
export function allRead(_rest: Readonly<Record<string, never>>): void {}

/** A JSON Schema of an object. */
export interface Frame {
  readonly type: "object";
  /** What the object is, for people. */
  readonly description?: string;
  /** The schema of each field, by name. */
  readonly properties: Readonly<Record<string, object>>;
  /** The names of the fields that the object must have. */
  readonly required: readonly string[];
  /** Whether the object may have other fields. */
  readonly additionalProperties: boolean;
}

/** The schema of a map that has these keywords; `more` may replace any part of it. */
export function frameOf(table: Table, more: object = {}): Frame {
  const rows = Object.entries(table);
  return {
    type: "object",
    properties: Object.fromEntries(rows.map(([name, { schema }]) => [name, schema])),
    required: rows.flatMap(([name, { required }]) => (required === true ? [name] : [])),
    additionalProperties: false,
    ...more,
  };
}

/** A row whose value is never `undefined` if it has a default. */
type RowOf<T, C> = PlainKeyword<C extends { readonly default: string } ? T : T | undefined> & NoInfer<C>;

function row<T, C extends KeywordColumns>(
  schema: object,
  description: string,
  read: (value: Value) => T | undefined,
  columns: C,
): RowOf<T, C> {
  const { default: otherwise } = columns;
  const described = otherwise === undefined ? description : description.replace(/\.$|$/, `; ${otherwise}, when left out.`);
  return { schema: { ...schema, description: described }, read, ...columns } as RowOf<T, C>;
}

/** Makes the row of a value that is read later, together with what is around it. */
export function node<const C extends KeywordColumns = object>(
  schema: object,
  description: string,
  columns: C = {} as C,
): PlainKeyword<Value> & NoInfer<C> {
  return row(schema, description, (value) => value, columns);
}

/** Makes the row of an expression without `${{ }}`. */
export function expression<const C extends KeywordColumns = object>(
  description: string,
  columns: C = {} as C,
): PlainKeyword<Value> & NoInfer<C> {
  return node({ type: "string" }, description, columns);
}

/** Makes the row of a text. */
export function text<const C extends KeywordColumns = object>(
  description: string,
  columns: C = {} as C,
  schema: object = {},
): RowOf<string, C> {
  return row({ type: "string", ...schema }, description, (value) => textOf(value) ?? columns.default, columns);
}

/** Makes the row of a choice between several words. */
export function choice<Word extends string, const C extends KeywordColumns & { readonly default?: Word } = object>(
  words: readonly Word[],
  description: string,
  columns: C,
): RowOf<Word, C> {
  return row({ enum: words }, description, (value) => words.find((word) => word === textOf(value)) ?? columns.default, columns);
}

/** Makes the row of a duration, which is read as milliseconds. */
export function duration<const C extends KeywordColumns = object>(description: string, columns: C = {} as C): RowOf<number, C> {
  const read = (value: Value): number | undefined => parseDuration(textOf(value) ?? columns.default ?? "");
  const { schema, ...rest } = row({ type: "string", pattern: DURATION_PATTERN }, description, read, columns);
  const { description: words } = schema as { readonly description: string };
  return { ...rest, schema: { ...schema, description: `${words} A number and a unit: 500ms, 30s, 10m, 2h, 1d.` } } as RowOf<
    number,
    C
  >;
}

/** Makes the row of a number within the bounds of its schema. */
export function number<const C extends KeywordColumns = object>(
  schema: object,
  description: string,
  columns: C,
): RowOf<number, C> {
  const otherwise = columns.default === undefined ? undefined : Number(columns.default);
  return row(schema, description, (value) => (value?.kind === "scalar" ? Number(value.value) : otherwise), columns);
}

/** Makes the row of a map that has its own keywords. */
export function element<Fields, const C extends KeywordColumns = object>(
  keywords: Keywords<Fields>,
  description: string,
  columns: C = {} as C,
  schema: object = {},
): PlainKeyword<Fields | undefined> & NoInfer<C> {
  const read = (value: Value): Fields | undefined => (value?.kind === "map" ? fieldsOf(value, keywords) : undefined);
  return { ...elementNode(keywords as Table, description, columns, schema), read };
}

/** Makes the row of a map that has its own keywords and is read later. */
export function elementNode<const C extends KeywordColumns = object>(
  keywords: Table,
  description: string,
  columns: C = {} as C,
  schema: object = {},
): PlainKeyword<Value> & NoInfer<C> {
  return node(frameOf(keywords, schema), description, { inside: () => keywords, ...columns });
}

/** A keyword that is not allowed in its place. */
export interface Misplaced extends Pick<CompanionRule, "message" | "suggestion"> {
  /** The name of the keyword. */
  readonly name: string;
}

/** Returns the keywords of a map that are excluded by another keyword, or lack one that they need. */
export function misplacedIn(map: MapNode, table: Table, calls?: "reads" | "writes"): readonly Misplaced[] {
  const has = ({ keyword, is }: CompanionRule): boolean =>
    map.entries.has(keyword) && (is === undefined || textOf(child(map, keyword)) === is);
  return [...map.entries.keys()].flatMap((name) => {
    const { needs, excludedBy } = table[name] ?? {};
    if (excludedBy !== undefined && has(excludedBy)) return [{ name, ...excludedBy }];
    return needs === undefined || has(needs) || (needs.of ?? calls) !== calls ? [] : [{ name, ...needs }];
  });
}
