import { isObject, type Json, type JsonObject, textOrJson } from "../base/json/json.ts";
import type { OperationName } from "../contract/contract.ts";

/** The operations of the ledger. The explorer does not use the investor interface, where every write spends other people's money. */
export type LedgerOperation = Extract<OperationName, `ledger.${string}`>;

/** The actors of a sequence. */
export const ACTORS = ["ana", "bob", "cyd"] as const;
/** One of {@link ACTORS}. */
export type ExploringActor = (typeof ACTORS)[number];

/** One call of a sequence, written as a step of a playbook. Its `with` refers to earlier steps, actors and the run by expressions. */
export interface ExploredStep {
  /** The id of the step: a word from its operation and its number, such as `mint3`. */
  readonly id: string;
  readonly as: ExploringActor;
  readonly uses: LedgerOperation;
  /** The input of the operation, with expressions. */
  readonly with: JsonObject;
}

/** Returns a text of the service as a step writes it. If a part would begin an expression, it becomes an expression that yields the same text. */
export function asWritten(text: string): string {
  return text.replaceAll("${{", `\${{ ${DOLLAR} }}{{`);
}

const DOLLAR = '"$"';

/** A text that is different in each run of a sequence, as a playbook writes it. */
export const RUN_KEY = "${{ run.key }}";

/** The names that one side of an exploration uses to evaluate a call. */
interface BoundNames {
  /** Letters and digits that are different in each run of a sequence. */
  readonly key: string;
  /** The organization of the entities that act. */
  readonly orgId: string;
  /** The values from earlier steps, by step and name, such as `mint3.transactionId`. */
  readonly yields: ReadonlyMap<string, Json>;
}

const WHOLE = /^\$\{\{ ([^}]+) \}\}$/;
const EACH = /\$\{\{ ([^}]+) \}\}/g;

/** Returns a value with its expressions evaluated; `undefined` if it uses a value that an earlier step did not give. */
export function bound(value: Json, names: BoundNames): Json | undefined {
  if (typeof value === "string") return boundText(value, names);
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => bound(item, names));
    return items.includes(undefined) ? undefined : (items as readonly Json[]);
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, bound(field, names)] as const);
  return fields.some(([, field]) => field === undefined) ? undefined : (Object.fromEntries(fields) as JsonObject);
}

function boundText(text: string, names: BoundNames): Json | undefined {
  const [, whole] = WHOLE.exec(text) ?? [];
  if (whole !== undefined) return evaluated(whole, names);
  const parts = [...text.matchAll(EACH)].map(([, expression = ""]) => evaluated(expression, names));
  return parts.includes(undefined) ? undefined : text.replaceAll(EACH, () => textOrJson(parts.shift()));
}

function evaluated(expression: string, { key, orgId, yields }: BoundNames): Json | undefined {
  if (expression === "run.key") return key;
  if (expression === DOLLAR) return "$";
  const [root, name = "", ...rest] = expression.split(".");
  if (root === "steps") return yields.get([name, ...rest].join("."));
  return rest[0] === "orgId" ? orgId : { orgId, userId: userOf(name, key) };
}

/** Returns the user for an actor, which is different in each run of a sequence. */
export function userOf(actor: string, key: string): string {
  return `${actor}${key}`;
}

/** Returns the steps that a value refers to. */
export function stepsNamed(value: Json): readonly string[] {
  if (typeof value === "string") return [...value.matchAll(/steps\.(\w+)/g)].map(([, id = ""]) => id);
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(stepsNamed);
  return isObject(value) ? Object.values(value).flatMap(stepsNamed) : [];
}
