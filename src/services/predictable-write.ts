import type { OperationName } from "../contract/contract.ts";

/**
 * The facts about a write that are already visible in the text of a playbook. From them, the check reports what the service will certainly
 * refuse. Places are dotted names below the input of one item; `*` means each item of a list.
 */
export interface PredictableWrite {
  /** The quantities of tokens. */
  readonly quantities?: Quantities;
  /** The places of ids that a call must not name twice. */
  readonly namesOnce?: string;
  /** The tokens that it creates. */
  readonly makesTokens?: MadeTokens;
  /** It creates requests: the input says who may vote on them, and how many must. */
  readonly asksApprovers?: true;
  /** It votes on the requests that `id` names. */
  readonly votes?: true;
  readonly needsRole?: NeededRole;
  readonly givesRoles?: GivenRoles;
  /** Whether it changes the rights in the token that `id` names. */
  readonly changesRights?: true;
}

/** The places of the quantities of a write, and of their tokens. */
export interface Quantities {
  /** The place of the token's id. */
  readonly id: string;
  /** The place of the quantity. */
  readonly value: string;
  /** Whether it mints them, so that the token's cap applies to each. */
  readonly mints?: true;
}

/** The places of the definitions of new tokens, and the names of their ids in later steps. */
export interface MadeTokens {
  /** The place of the definitions; by default the input itself is the only definition. */
  readonly at?: string;
  /** The name by which later steps find the id, or the list of ids: `steps.ID.NAME`. */
  readonly yields: string;
  /** Whether a definition shows all rights in its token. */
  readonly saysRights: boolean;
}

/** The places of the names of roles, and the names that the service knows. */
export interface GivenRoles {
  /** The place of the names that are given. */
  readonly at: string;
  /** The names that each token knows. */
  readonly known: readonly string[];
}

/** The role that a write requires. */
export interface NeededRole {
  /** The name of the role, such as `minter`. */
  readonly role: string;
  /** The key in the token's `rolesMap` that gives the role another name. */
  readonly key: string;
  /** The action of this role, as a verb. */
  readonly verb: string;
  /** The operation that gives the role. */
  readonly givenBy: OperationName;
}
