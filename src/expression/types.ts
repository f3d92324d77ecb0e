import { getOrInsert, ownValue } from "../base/maps.ts";
import { Recent } from "../base/recent.ts";
import { didYouMeanOr } from "../base/text/text.ts";
import { present } from "../base/present.ts";
import { useExactArithmetic } from "./arithmetic.ts";
import { type ASTNode, cel, type Environment } from "./cel.ts";
import { certainIn, type CertainPart } from "./certain/certain.ts";
import { type NoSuchValue, noSuchValueIn, type ValuesOf } from "./certain/enumerated.ts";
import { type MisspeltAttribute, misspeltIn } from "./entity.ts";
import { macroOf, replace } from "./macro.ts";
import { declaration, fieldsNamed, illTyped, macroMeant } from "./slip.ts";
import {
  type DateAsText,
  type IdKind,
  IdReader,
  type KnownId,
  type KnownIds,
  type MixedIds,
  numberAsText,
  type NumberAsText,
} from "./nominal.ts";
import { type MaybeAbsent, maybeAbsentIn, type MayLack } from "./optional-fields.ts";
import type { ExpressionProblem } from "./problem.ts";
import { isAccess, nodesOf, typeOfPart, useDecimalLiterals, useExactLiterals } from "./syntax.ts";

/** The name of a CEL type: `string`, `decimal`, `list<Token>`, `map<string, dyn>`, or a name given to `define`. */
export type TypeName = string;

/** Returns the type of a list's items; `dyn` if the list names none; `undefined` for any other type. */
export function itemType(type: TypeName): TypeName | undefined {
  if (type === "list") return "dyn";
  return /^list<(.+)>$/.exec(type)?.[1];
}

// These types of CEL do not exist in JSON. They may be used inside an expression, but cannot be its result.
const NO_JSON = /\b(?:date|duration|double|uint|bytes|type|optional)\b/;

function noJson(type: TypeName, text: string): ExpressionProblem {
  return {
    code: "expression.no-json",
    message: `this gives ${type}, which is no value of JSON`,
    ...(type === "date" ? { suggestion: "compare it with another date, or give the text itself" } : {}),
    start: text.search(/\S/),
    end: text.trimEnd().length,
  };
}

// A comparison with a text literal. The check has the same result whatever the text is, unless only some values are possible.
const TEXT_AT_END = /^([^"'\\[({]*[=!]= *)"[^"\\\r\n]*"$/;

const TWO_KINDS = /^these types do not go together: .*\b(?:list|map)<|^the two results of \? : must be of one type|^optional\.or/;

/** Returns the description of a field. It is called only when a person asks for it. */
export type Words = (field: string) => string | undefined;

/** One field of a type. */
export interface Field {
  /** The name by which expressions read it. */
  readonly name: string;
  /** The type of its value. */
  readonly type: TypeName;
  /** What it is for; `undefined` if there is no description. */
  readonly description: string | undefined;
}

interface Defined {
  readonly fields: Readonly<Record<string, TypeName>>;
  readonly words: Words | undefined;
  readonly ids: ReadonlyMap<string, IdKind>;
  readonly optional: ReadonlySet<string>;
  readonly values: FieldValues;
}

/** What is known of a type in addition to its fields. */
export interface AboutType {
  /** The descriptions of its fields. */
  readonly words?: Words;
  /** The fields that are ids, with their kinds. */
  readonly ids?: IdFields;
  /** The fields that may be absent. */
  readonly optional?: ReadonlySet<string>;
  /** The fields that have a text out of a few, with all their values. */
  readonly values?: FieldValues;
}

/** The fields of a type that have a text out of a few, with all their values. */
export type FieldValues = Readonly<Partial<Record<string, readonly string[]>>>;

const NO_FIELDS: ReadonlySet<string> = new Set();

function variableOf(given: TypeName | Variable): Variable {
  return typeof given === "string" ? { type: given } : given;
}

interface LibraryError {
  readonly code?: string;
  readonly node?: ASTNode;
  readonly range?: { readonly start: number; readonly end: number };
}

/** A name that expressions may use: its type and, if known, the kind of its id or of its items' ids. */
export interface Variable {
  /** The type of its value. */
  readonly type: TypeName;
  /** The kind of its id, or of its items' ids; `undefined` if unknown. */
  readonly id?: IdKind | undefined;
}

/** The fields of a type that hold ids of a known kind. */
export type IdFields = Readonly<Record<string, IdKind>>;

/** What is known of an expression before it is evaluated. */
export interface Typed {
  /** The type of its value. */
  readonly type: TypeName;
  /** The id that it gives; `undefined` if it gives none, or one of an unknown kind. */
  readonly id: KnownId | undefined;
  /** The first comparison of ids of two kinds in it, if any. */
  readonly mixed: MixedIds | undefined;
  /** The first comparison of a date as a text in it, if any. */
  readonly dateAsText: DateAsText | undefined;
  /** The first text in it that is compared by size with a number in quotes, if any. */
  readonly numberAsText: NumberAsText | undefined;
  /** The first comparison with a value that cannot be, if any. */
  readonly noSuchValue: NoSuchValue | undefined;
  /** The first part that is always true, or never, if any. */
  readonly certain: CertainPart | undefined;
  /** The misspelt attributes of entities in it. */
  readonly misspelt: readonly MisspeltAttribute[];
  /** The reads of fields that may be absent. */
  readonly maybeAbsent: readonly MaybeAbsent[];
  /** The first field of the values of a map that is read of the map itself, as a key that it may have. */
  readonly fieldOfEach: ExpressionProblem | undefined;
}

/** The types of all names that expressions may use. */
export class TypeEnvironment {
  readonly #environment: Environment;
  readonly #defined: Map<string, Defined>;
  /** The names that expressions may use, with their types. */
  readonly variables: Readonly<Record<string, TypeName>>;
  readonly #ids: ReadonlyMap<string, IdKind | undefined>;
  readonly #known: KnownIds;
  // The steps of a playbook often use the same names and the same expressions.
  readonly #copies = new Map<string, TypeEnvironment>();
  readonly #typed = new Recent((text) => this.#readUncached(text));

  private constructor(
    environment: Environment,
    defined: Map<string, Defined>,
    variables: { readonly types: Readonly<Record<string, TypeName>>; readonly ids: ReadonlyMap<string, IdKind | undefined> },
  ) {
    this.#environment = environment;
    this.#defined = defined;
    this.variables = variables.types;
    this.#ids = variables.ids;
    this.#known = {
      ofField: (type, field) => defined.get(type)?.ids.get(field),
      ofVariable: (name) => variables.ids.get(name),
    };
  }

  /** Returns an environment without names, and without object types. */
  static empty(): TypeEnvironment {
    return new TypeEnvironment(cel.clone(), new Map(), { types: {}, ids: new Map() });
  }

  /** Returns whether an object type is defined. */
  has(type: TypeName): boolean {
    return this.#defined.has(type);
  }

  /** Returns the fields of an object type; none for any other type. */
  fieldsOf(type: TypeName): readonly Field[] {
    const { fields = {}, words } = this.#defined.get(type) ?? {};
    return Object.entries(fields).map(([name, inner]) => ({ name, type: inner, description: words?.(name) }));
  }

  /** Defines an object type. The types of its fields must be defined first. */
  define(name: TypeName, fields: Readonly<Record<string, TypeName>>, about: AboutType = {}): TypeName {
    if (!this.#defined.has(name)) {
      this.#typed.clear();
      // Nothing is evaluated here. Without a class, the library would create one for each type.
      this.#environment.registerType(name, { fields, ctor: Object } as never);
      const { words, ids = {}, optional = NO_FIELDS, values = {} } = about;
      this.#defined.set(name, { fields, words, ids: new Map(Object.entries(ids)), optional, values });
    }
    return name;
  }

  /** Returns a copy that accepts new types of its own. */
  copy(): TypeEnvironment {
    return new TypeEnvironment(this.#environment.clone(), new Map(this.#defined), { types: this.variables, ids: this.#ids });
  }

  /** Returns a copy in which these variables exist too. The same variables give the same copy. */
  with(variables: Readonly<Record<string, TypeName | Variable>>): TypeEnvironment {
    return getOrInsert(this.#copies, JSON.stringify(variables), () =>
      this.#withNames(Object.entries(variables).map(([name, given]) => [name, variableOf(given)])),
    );
  }

  #withNames(named: readonly (readonly [string, Variable])[]): TypeEnvironment {
    const environment = this.#environment.clone();
    for (const [name, { type }] of named) environment.registerVariable(name, type);
    const types = { ...this.variables, ...Object.fromEntries(named.map(([name, { type }]) => [name, type])) };
    const ids = new Map([...this.#ids, ...named.map(([name, { id }]) => [name, id] as const)]);
    return new TypeEnvironment(environment, this.#defined, { types, ids });
  }

  /** Returns the type of an expression, or the problem that prevents it from having one. */
  check(text: string): TypeName | ExpressionProblem {
    const read = this.read(text);
    return "code" in read ? read : (read.fieldOfEach ?? read.type);
  }

  /** Returns what is known of an expression, or the problem that prevents it from having a type. */
  read(text: string): Typed | ExpressionProblem {
    const typed = this.#typed.of(text.replace(TEXT_AT_END, '$1""'));
    return "code" in typed || typed.noSuchValue !== undefined ? this.#typed.of(text) : typed;
  }

  #readUncached(text: string): Typed | ExpressionProblem {
    const read = this.#read(text, useExactLiterals);
    // For the library, 50 is an int in [50, 50], and a list of ints is no list of decimals. The same problem occurs in `a ? 1.5 : 0`.
    if (!("code" in read) || !TWO_KINDS.test(read.message)) return read;
    const again = this.#read(text, useDecimalLiterals);
    return "code" in again ? read : again;
  }

  #read(text: string, prepare: (nodes: readonly ASTNode[]) => void): Typed | ExpressionProblem {
    try {
      const program = this.#environment.parse(text);
      const nodes = nodesOf(program.ast);
      prepare(nodes);
      useExactArithmetic(nodes);
      checkWhatIsAskedFor(nodes);
      const { valid, type, error } = program.check();
      const fieldOfEach = nodes.map((node) => this.#fieldOfEach(node, text)).find((found) => found !== undefined);
      if (!valid || type === undefined) return fieldOfEach ?? this.#problem(error as LibraryError, text);
      if (NO_JSON.test(type)) return noJson(type, text);
      const problems = nodes.map((node) => sumProblem(node) ?? this.#unknownOptional(node, text));
      const problem = problems.find((found) => found !== undefined);
      if (problem !== undefined) return problem;
      const ids = new IdReader(text, this.#known);
      const { ast } = program;
      return {
        type,
        id: ids.idOf(ast),
        mixed: ids.mixedIn(ast),
        dateAsText: ids.dateAsText(ast),
        numberAsText: numberAsText(nodes, text),
        noSuchValue: noSuchValueIn(nodes, text, this.#valuesOf),
        certain: certainIn(nodes, text, this.#valuesOf),
        misspelt: misspeltIn(nodes, typeOfPart),
        maybeAbsent: maybeAbsentIn(ast, text, this.#mayLack),
        fieldOfEach,
      };
    } catch (error) {
      return this.#problem(error as LibraryError, text);
    }
  }

  readonly #mayLack: MayLack = (owner, field) => this.#defined.get(typeOfPart(owner) ?? "")?.optional.has(field) === true;

  readonly #valuesOf: ValuesOf = (type, field) => {
    const { values = {} } = this.#defined.get(type) ?? {};
    return ownValue(values, field);
  };

  /** Returns the syntax tree of an expression with the types of its parts, if they have one; `undefined` if it cannot be parsed. */
  tree(text: string): ASTNode | undefined {
    try {
      const program = this.#environment.parse(text);
      const nodes = nodesOf(program.ast);
      useExactLiterals(nodes);
      useExactArithmetic(nodes);
      program.check();
      return program.ast;
    } catch {
      return undefined;
    }
  }

  #problem(error: LibraryError, text: string): ExpressionProblem {
    const { start, end } = error.range ?? { start: 0, end: text.length };
    const at = { start, end: Math.max(end, start + 1) };
    if (error.code === "unknown_variable" && error.node?.op === "id")
      return { ...at, ...this.#unknownName(error.node.args), ...present({ suggestion: macroMeant(text.slice(0, start)) }) };
    if (error.code === "no_such_key" && error.node !== undefined) {
      const unknown = this.#unknownField(error.node, text);
      if (unknown !== undefined) return unknown;
    }
    return { ...at, code: "expression.ill-typed", ...illTyped(error, text.slice(0, start), text.slice(start)) };
  }

  #unknownName(name: string): Omit<ExpressionProblem, "start" | "end"> {
    const names = Object.keys(this.variables);
    const owner = names.find((each) => Object.hasOwn(this.#defined.get(this.variables[each] ?? "")?.fields ?? {}, name));
    const otherwise = owner === undefined ? `known names: ${names.join(", ")}` : `did you mean "${owner}.${name}"?`;
    return {
      code: "expression.unknown-name",
      message: `nothing here is called "${name}"`,
      suggestion: didYouMeanOr(name, names, otherwise),
    };
  }

  // For the library, a value may have any field that is read with `.?`, or after it. So a misspelt field would never be found.
  #unknownOptional(node: ASTNode, text: string): ExpressionProblem | undefined {
    if (!isAccess(node)) return undefined;
    const [owner, field] = node.args;
    const name = typeof field === "string" ? field : field.op === "value" ? field.args : undefined;
    const fields = this.#fieldsOf(owner);
    return fields === undefined || typeof name !== "string" || Object.hasOwn(fields, name)
      ? undefined
      : this.#unknownField(node, text);
  }

  // A map may have any key. So `steps.f.outcome` of a `foreach` would be the round with the key "outcome", which nobody means.
  #fieldOfEach(node: ASTNode, text: string): ExpressionProblem | undefined {
    const [owner, field] = isAccess(node) ? node.args : [];
    const [, each = ""] = /^(?:map<string, )+(\w+)>+$/.exec((owner && typeOfPart(owner)) ?? "") ?? [];
    if (owner === undefined || typeof field !== "string" || !Object.hasOwn(this.#defined.get(each)?.fields ?? {}, field))
      return undefined;
    const map = text.slice(owner.start, owner.end);
    return {
      code: "expression.unknown-field",
      message: `${map} has one value for each key, and "${field}" is a field of each value`,
      suggestion: `write ${map}[KEY].${field}; if "${field}" is a key, write ${map}["${field}"]`,
      start: node.end - field.length,
      end: node.end,
    };
  }

  #fieldsOf(owner: ASTNode): Defined["fields"] | undefined {
    const type = typeOfPart(owner) ?? "";
    return this.#defined.get(/^optional<(.+)>$/.exec(type)?.[1] ?? type)?.fields;
  }

  #unknownField(node: ASTNode, text: string): ExpressionProblem | undefined {
    if (!isAccess(node)) return undefined;
    const owner = node.args[0];
    const fields = this.#fieldsOf(owner) ?? {};
    const known = Object.keys(fields);
    const [, last] = node.args;
    const field = typeof last === "string" ? last : typeof last.args === "string" ? last.args : text.slice(last.start, last.end);
    const within = known.find((name) => Object.hasOwn(this.#defined.get(fields[name] ?? "")?.fields ?? {}, field));
    const declared = declaration(text.slice(owner.start, owner.end), field);
    const fieldNames = known.length === 0 && declared !== undefined ? undefined : fieldsNamed(known);
    const otherwise = [fieldNames, declared].filter((part) => part !== undefined).join("; or ");
    const word =
      typeof last === "string" ? { start: node.end - field.length, end: node.end } : { start: last.start, end: last.end };
    return {
      code: "expression.unknown-field",
      message: `${text.slice(owner.start, owner.end)} has no field "${field}"`,
      suggestion: didYouMeanOr(field, known, within === undefined ? otherwise : `did you mean "${within}.${field}"?`),
      ...word,
    };
  }
}

// The library has no type for lists of numbers, so `sum` accepts lists of anything.
function sumProblem(node: ASTNode): ExpressionProblem | undefined {
  const [list] = node.op === "call" && node.args[0] === "sum" ? node.args[1] : [];
  const item = itemType((list && typeOfPart(list)) ?? "");
  if (list === undefined || item === undefined || /^(?:int|decimal|dyn|[A-Z])\b/.test(item)) return undefined;
  return {
    code: "expression.ill-typed",
    message: `sum adds numbers, and is given a list of ${item}`,
    suggestion: `make a number of each item: sum(list.map(x, ${item === "string" ? "decimal(x)" : "x.amount"}))`,
    start: list.start,
    end: list.end,
  };
}

// For `has(a.field)` the library checks only `a`, so a field that its type does not have would pass.
function checkWhatIsAskedFor(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    const [field] = node.op === "call" && node.args[0] === "has" ? node.args[1] : [];
    const has = macroOf(node);
    if (field === undefined || has === undefined) continue;
    replace(node, {
      ...has,
      typeCheck: (checker, _macro, context) => {
        const type = has.typeCheck(checker, has, context);
        checker.check(field, context);
        return type;
      },
    });
  }
}

/** Returns whether a check gave a type instead of a problem. */
export function isTypeName(checked: TypeName | ExpressionProblem): checked is TypeName {
  return typeof checked === "string";
}
