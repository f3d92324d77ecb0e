import { Expression, isProblem } from "../expression/expression.ts";
import { type Field, isTypeName } from "../expression/types.ts";
import type { ExpressionScope } from "../playbook/check-context.ts";
import type { Word } from "./cursor.ts";

const NAMES: Readonly<Record<string, string>> = {
  inputs: "What the playbook is given.",
  steps: "The steps that have run by here.",
  actors: "Who acts in this playbook.",
  run: "The run itself.",
  secrets: "The playbook's secrets, which are masked wherever they would be shown.",
  env: "What the playbook takes from the environment of the process.",
  response: "What the call answered.",
  one: "The one record that was found.",
};

/** Returns the names that can be used at a place: those of the language, of loops, and of comprehensions. */
export function namesAt(word: Word, { types }: ExpressionScope): readonly Field[] {
  const around = Object.entries(types.variables).map(([name, type]) => ({ name, type, description: NAMES[name] ?? ITEM }));
  const bound = Object.entries(word.bound).map(([name, type]) => ({ name, type, description: ITEM }));
  return [...bound, ...around];
}

const ITEM = "The item of the loop around.";

/** Returns the fields that a word may name. Of `steps`, these are only the steps that have run before. */
export function fieldsAt({ owner }: Word, scope: ExpressionScope): readonly Field[] {
  if (owner === undefined) return [];
  const fields = scope.types.fieldsOf(owner.type);
  const { steps } = scope.types.variables;
  return owner.type === steps ? fields.filter(({ name }) => canBeNamed(name, scope)) : fields;
}

function canBeNamed(id: string, scope: ExpressionScope): boolean {
  const parsed = Expression.parse(`steps.${id}`);
  return !isProblem(parsed) && scope.names(parsed) === undefined;
}

/** Returns why a field may have no value, and what the expression should test first. */
export function doubtOf(chain: readonly string[], scope: ExpressionScope): string | undefined {
  const [root, id, field] = chain;
  if (root !== "steps" || id === undefined || field === undefined || chain.length > 3) return undefined;
  const parsed = Expression.parse(`steps.${id}.${field}`);
  const finding = isProblem(parsed) ? undefined : scope.names(parsed)?.finding;
  return finding === undefined ? undefined : `${finding.message}; ${finding.suggestion ?? ""}`;
}

/** Returns the meaning of a word: a variable or a field. */
export function meaningOf(word: Word, scope: ExpressionScope): Field | undefined {
  const { owner, text } = word;
  if (owner === undefined) return namesAt(word, scope).find(({ name }) => name === text);
  const field = scope.types.fieldsOf(owner.type).find(({ name }) => name === text);
  if (field !== undefined) return field;
  const type = owner.type.startsWith("map<") ? scope.types.check(word.chain.join(".")) : undefined;
  return type === undefined || !isTypeName(type) ? undefined : { name: text, type, description: undefined };
}
