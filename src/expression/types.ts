import { didYouMean } from "../base/text.ts";
import { type ASTNode, cel, type Environment } from "./cel.ts";
import { summaryOf } from "./expression.ts";
import type { ExpressionProblem } from "./problem.ts";
import { useExactLiterals } from "./syntax.ts";

/** The name of a CEL type: `string`, `decimal`, `list<Token>`, `map<string, dyn>`, or a name given to `define`. */
export type TypeName = string;

// What CEL has beside the values of JSON serves inside an expression, and is no result of one.
const NO_JSON = /\b(?:double|uint|bytes|type|optional|google\.protobuf)\b/;

const MOMENT: TypeName = "google.protobuf.Timestamp";

function noJson(type: TypeName, text: string): ExpressionProblem {
  return {
    code: "expression.no-json",
    message: `this gives ${type}, which is no value of JSON`,
    ...(type === MOMENT ? { suggestion: "compare it with another date, or give the text itself" } : {}),
    start: text.search(/\S/),
    end: text.trimEnd().length,
  };
}

// What a message of the library most likely comes from.
const SUGGESTIONS: readonly { readonly pattern: RegExp; readonly suggestion: string }[] = [
  {
    pattern: /^no such overload: (?:(?:decimal|int) \S+ string|string \S+ (?:decimal|int))$/,
    suggestion: "a text is never taken for a number: drop its quotes, or write decimal(…) around it",
  },
  {
    pattern: /^no such overload: (?:string \S+ google\.protobuf\.Timestamp|google\.protobuf\.Timestamp \S+ string)$/,
    suggestion: "a text is never taken for a date: write date(…) around it",
  },
  { pattern: /^found no matching overload for 'date\(/, suggestion: 'date takes one text, as in date("2026-01-31")' },
];

/** What a field is for, in words: asked for only where a person wants to know. */
export type Words = (field: string) => string | undefined;

/** One field of a type. */
export interface Field {
  readonly name: string;
  readonly type: TypeName;
  readonly description: string | undefined;
}

interface Defined {
  readonly fields: Readonly<Record<string, TypeName>>;
  readonly words: Words | undefined;
}

interface LibraryError {
  readonly code?: string;
  readonly node?: ASTNode;
  readonly range?: { readonly start: number; readonly end: number };
}

/** The types of all names that expressions may use. Copies share what was defined before. */
export class TypeEnvironment {
  readonly #environment: Environment;
  readonly #defined: Map<string, Defined>;
  /** The names that expressions may use, with their types. */
  readonly variables: Readonly<Record<string, TypeName>>;

  private constructor(environment: Environment, defined: Map<string, Defined>, variables: Readonly<Record<string, TypeName>>) {
    this.#environment = environment;
    this.#defined = defined;
    this.variables = variables;
  }

  static empty(): TypeEnvironment {
    return new TypeEnvironment(cel.clone(), new Map(), {});
  }

  has(type: TypeName): boolean {
    return this.#defined.has(type);
  }

  /** The fields of an object type; none of any other. */
  fieldsOf(type: TypeName): readonly Field[] {
    const { fields = {}, words } = this.#defined.get(type) ?? {};
    return Object.entries(fields).map(([name, inner]) => ({ name, type: inner, description: words?.(name) }));
  }

  /** Defines an object type. Types that its fields name must be defined before. */
  define(name: TypeName, fields: Readonly<Record<string, TypeName>>, words?: Words): TypeName {
    if (!this.#defined.has(name)) {
      this.#environment.registerType(name, { fields } as never);
      this.#defined.set(name, { fields, words });
    }
    return name;
  }

  /** A copy in which these variables exist too. */
  with(variables: Readonly<Record<string, TypeName>>): TypeEnvironment {
    const environment = this.#environment.clone();
    for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type);
    return new TypeEnvironment(environment, this.#defined, { ...this.variables, ...variables });
  }

  /** The type of an expression, or the one problem that keeps it from having one. */
  check(text: string): TypeName | ExpressionProblem {
    try {
      const program = this.#environment.parse(text);
      useExactLiterals(program.ast);
      const result = program.check();
      if (result.valid && result.type !== undefined) return NO_JSON.test(result.type) ? noJson(result.type, text) : result.type;
      return this.#problem(result.error as LibraryError, text);
    } catch (error) {
      return this.#problem(error as LibraryError, text);
    }
  }

  /** The syntax tree of an expression, whose parts know their types as far as they have one; `undefined` when it cannot be parsed. */
  tree(text: string): ASTNode | undefined {
    try {
      const program = this.#environment.parse(text);
      useExactLiterals(program.ast);
      program.check();
      return program.ast;
    } catch {
      return undefined;
    }
  }

  #problem(error: LibraryError, text: string): ExpressionProblem {
    const { start, end } = error.range ?? { start: 0, end: text.length };
    const at = { start, end: Math.max(end, start + 1) };
    if (error.code === "unknown_variable" && error.node?.op === "id") return { ...at, ...this.#unknownName(error.node.args) };
    if (error.code === "no_such_key" && error.node !== undefined) {
      const unknown = this.#unknownField(error.node, text);
      if (unknown !== undefined) return unknown;
    }
    const message = summaryOf(error);
    const suggestion = SUGGESTIONS.find(({ pattern }) => pattern.test(message))?.suggestion;
    return { ...at, code: "expression.ill-typed", message, ...(suggestion === undefined ? {} : { suggestion }) };
  }

  #unknownName(name: string): Omit<ExpressionProblem, "start" | "end"> {
    const names = Object.keys(this.variables);
    const near = didYouMean(name, names);
    return {
      code: "expression.unknown-name",
      message: `nothing here is called "${name}"`,
      suggestion: near === undefined ? `known names: ${names.join(", ")}` : `did you mean "${near}"?`,
    };
  }

  #unknownField(node: ASTNode, text: string): ExpressionProblem | undefined {
    if (node.op !== "." && node.op !== ".?" && node.op !== "[]") return undefined;
    const owner = node.args[0];
    const known = Object.keys(this.#defined.get(typeOfPart(owner) ?? "")?.fields ?? {});
    const [, last] = node.args;
    const field = typeof last === "string" ? last : typeof last.args === "string" ? last.args : text.slice(last.start, last.end);
    const near = didYouMean(field, known);
    const word =
      typeof last === "string" ? { start: node.end - field.length, end: node.end } : { start: last.start, end: last.end };
    return {
      code: "expression.unknown-field",
      message: `${text.slice(owner.start, owner.end)} has no field "${field}"`,
      suggestion: near === undefined ? `it has: ${known.join(", ") || "no fields"}` : `did you mean "${near}"?`,
      ...word,
    };
  }
}

/** The type of a part of a tree that was checked. */
export function typeOfPart(node: ASTNode): TypeName | undefined {
  return (node as { readonly checkedType?: { readonly name: string } }).checkedType?.name;
}

export function isTypeName(checked: TypeName | ExpressionProblem): checked is TypeName {
  return typeof checked === "string";
}
