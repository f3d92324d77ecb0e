import { didYouMean } from "../base/text/text.ts";
import { contract, type ContractOperation } from "../contract/contract.ts";
import { patternOf } from "../expression/pattern.ts";

/** The refusal that a playbook expects: every given field must match. */
export interface ExpectedRefusal {
  /** The condition in the words of the service. */
  readonly condition: string | undefined;
  /** The allowed HTTP status codes; any if the list is empty. */
  readonly statuses: readonly number[];
  /** The exact text of a part of the message. */
  readonly contains: string | undefined;
  /** An RE2 pattern that must be found in the message. */
  readonly matches: string | undefined;
}

/** The service's refusal. */
export interface GivenRefusal {
  /** The HTTP status; `undefined` for a receipt, which has none. */
  readonly status: number | undefined;
  /** The service's own `condition` field. */
  readonly condition: string | undefined;
  /** The message of the service; `no message` if there is none. */
  readonly message: string;
}

/** Returns whether a refusal is the one that a playbook expects. */
export function refusalMeets({ condition, statuses, contains, matches }: ExpectedRefusal, given: GivenRefusal): boolean {
  if (condition !== undefined && !hasCondition(condition, given)) return false;
  if (statuses.length > 0 && (given.status === undefined || !statuses.includes(given.status))) return false;
  if (contains !== undefined && !given.message.includes(contains)) return false;
  return matches === undefined || patternOf(matches).foundIn(given.message);
}

// A service without a `condition` field may use an unlisted condition. Then its whole message must be equal.
function hasCondition(wanted: string, given: GivenRefusal): boolean {
  const condition = conditionIn(given) ?? given.message;
  return plainWords(condition) === plainWords(wanted);
}

/**
 * Returns the condition of a refusal: the service's own field or, without it, the listed condition with which the message begins, or the
 * only listed one that it contains as whole words.
 */
export function conditionIn({ condition, message }: Pick<GivenRefusal, "condition" | "message">): string | undefined {
  if (condition !== undefined && condition.trim() !== "") return condition;
  const words = plainWords(message);
  const found = [...words.matchAll(listedConditions())];
  const named = new Set(found.map(([each]) => each));
  const [first] = found;
  return first?.index === 0 || named.size === 1 ? first?.[0] : undefined;
}

let listed: RegExp | undefined;

// The longest comes first, because "request not found" is part of "approval request not found".
function listedConditions(): RegExp {
  listed ??= new RegExp(
    `(?<![\\p{L}\\p{N}_])(?:${[...new Set(Object.values(contract.operations).flatMap(conditionsOf).map(plainWords))]
      .toSorted((one, other) => other.length - one.length)
      .join("|")})(?![\\p{L}\\p{N}_])`,
    "gu",
  );
  return listed;
}

/** Returns every condition that is listed for a call: those of the service description, then our own for rules that it does not name. */
export function conditionsOf({ conditions, furtherConditions }: ContractOperation): readonly string[] {
  return [...conditions, ...furtherConditions];
}

/** Returns the listed condition of the call that equals this one, or is closest to it. */
export function nearestCondition(condition: string, call: ContractOperation): string | undefined {
  const words = plainWords(condition);
  const all = conditionsOf(call);
  return all.find((each) => plainWords(each) === words) ?? didYouMean(words, all);
}

/** Returns a condition in a form for comparing, in lower case and without extra spaces. */
export function plainWords(condition: string): string {
  return condition.trim().replaceAll(/\s+/g, " ").toLowerCase();
}

/** Describes the refusal that a playbook expects. */
export function expectedWords({ condition, statuses, contains, matches }: ExpectedRefusal): string {
  return [
    condition === undefined ? [] : `the condition "${condition}"`,
    statuses.length === 0 ? [] : `HTTP ${statuses.join(" or ")}`,
    contains === undefined ? [] : `a message that contains "${contains}"`,
    matches === undefined ? [] : `a message that matches "${matches}"`,
  ]
    .flat()
    .join(" and ");
}
