import type { OperationName } from "../contract/contract.ts";

/**
 * What the text of a playbook tells of a write before it is sent: by it the check reports what the service will surely refuse. Places are
 * dotted names below the input of one item; `*` stands for each item of a list.
 */
export interface Foretelling {
  /** Quantities of tokens. */
  readonly quantities?: Quantities;
  /** Things that must be named no more than once in a call: where their ids are. */
  readonly namesOnce?: string;
  /** The tokens that it creates. */
  readonly makesTokens?: MadeTokens;
  /** The requests that it makes name who may vote on them, and how many must. */
  readonly asksApprovers?: true;
  /** It votes on the requests that `id` names. */
  readonly votes?: true;
  /** Who may do it. */
  readonly needsRole?: NeededRole;
  /** It changes who may do what with the token that `id` names. */
  readonly changesRights?: true;
}

/** Where the quantities of a write are, and of which tokens. */
export interface Quantities {
  readonly id: string;
  readonly value: string;
  /** It mints them, so that the token's cap holds for each. */
  readonly mints?: true;
}

/** Where the definitions of new tokens are, and what later steps call their ids. */
export interface MadeTokens {
  /** Left out: the input itself is the only definition. */
  readonly at?: string;
  readonly yields: string;
  /** A definition says all about who may do what with its token. */
  readonly saysRights: boolean;
}

/** The role that a write takes. */
export interface NeededRole {
  readonly role: string;
  /** The key in the token's `rolesMap` that gives the role another name. */
  readonly key: string;
  /** What one does, in words. */
  readonly verb: string;
  /** The operation that gives the role. */
  readonly givenBy: OperationName;
}
