/**
 * Every condition for which the sandbox refuses, with the status of the answer. The service description gives the words but no status. If it states a rule
 * without a word, the word is ours (second half).
 */
export const REFUSAL_STATUS = {
  "invalid parameters": 400,
  "invalid request parameters": 400,
  "token id missing from the request": 400,
  "owners missing from the request": 400,
  "invalid custodian identity": 400,
  "Unauthorized User": 401,
  "access denied": 403,
  "access denied for the caller": 403,
  "unauthorized caller": 403,
  "invalid caller": 403,
  "invalid role": 403,
  "invalid access id or caller": 403,
  "asset not found": 404,
  "asset type not found": 404,
  "transaction not found": 404,
  "request not found": 404,
  "approval request not found": 404,
  "token not found": 404,
  "invalid token id": 404,
  "invalid or nonexistent token": 404,
  "invalid or nonexistent token id": 404,
  "invalid asset id": 404,
  "account not found": 404,
  "account and token pairing does not exist": 404,
  "vault not found": 404,
  "asset already exists": 409,
  "token already exists": 409,
  "token already burnt": 409,
  "asset already deposited in another vault": 409,
  "server error": 500,
  "general server error": 500,

  "invalid API key": 401,
  "tokenization app not found": 404,
  "route not found": 404,
  "token transaction not found": 404,
  "vault already exists": 409,
  "request already decided": 422,
  "request timed out": 422,
  "vote already given": 422,
  "balance too low": 422,
  "mint quantity exceeded": 422,
  "token not transferable": 422,
  "token not burnable": 422,
  "sale not found": 404,
  "investor token not found": 404,
  "store not found": 404,
  "sale not active": 422,
  "not enough tokens left": 422,
  "user maximum exceeded": 422,
  "KYC missing": 422,
  "country excluded": 422,
  "accreditation missing": 422,
  "not a debt sale": 422,
  "too many requests": 429,
  "not implemented": 501,
  "sandbox closing": 503,
} as const;

/** Why the service refuses, in the words of the service description if it has any. */
export type Condition = keyof typeof REFUSAL_STATUS;

/** A refusal of the service: the request has no effect, and the answer contains the condition and its status. */
export class ServiceRefusal extends Error {
  override readonly name = "Refusal";
  /** The reason of the refusal, which decides the status of the answer. */
  readonly condition: Condition;

  constructor(condition: Condition, message: string) {
    super(message);
    this.condition = condition;
  }
}

/** A profile's status codes that replace the sandbox's own, by condition. */
export type StatusOverrides = Readonly<Record<string, number>>;

/** Returns the status of an answer that refuses with the condition. */
export function statusOf(condition: Condition, overrides: StatusOverrides): number {
  return Object.hasOwn(overrides, condition) ? (overrides[condition] ?? REFUSAL_STATUS[condition]) : REFUSAL_STATUS[condition];
}

/** Refuses with the condition unless `holds` is true. */
export function demand(holds: boolean, condition: Condition, message: string): asserts holds {
  if (!holds) throw new ServiceRefusal(condition, message);
}

/** Returns a value that must exist. Refuses with the condition if it does not. */
export function found<T>(value: T | undefined, condition: Condition, message: string): T {
  if (value === undefined) throw new ServiceRefusal(condition, message);
  return value;
}
