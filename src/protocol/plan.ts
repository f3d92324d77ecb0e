/** Everything that the protocol knows about a playbook. `S` is a step of the playbook language, which the protocol only returns. */
export interface Plan<S> {
  /** The steps, done one after the other. */
  readonly steps: readonly PlanNode<S>[];
  /** The checks, evaluated one by one when all steps are complete, whatever the outcome of the other checks. */
  readonly checks: readonly PlanNode<S>[];
}

/** A step of a plan. */
export type PlanNode<S> = PlanCall<S> | PlanBlock<S> | PlanInclude<S>;

interface PlanCommon<S> {
  readonly step: S;
  readonly id: string;
  /** How many rounds of its `foreach` may run at the same time; `undefined` without a `foreach`. */
  readonly parallel: number | undefined;
}

/** One call of an operation. */
export interface PlanCall<S> extends PlanCommon<S> {
  readonly kind: "call";
  /** Whether the operation changes anything. */
  readonly writes: boolean;
  /** Whether it is complete only when its receipt says COMMITTED. */
  readonly awaitsReceipt: boolean;
  /** Whether it checks that a quantity is conserved. No `rescue` hides the failure of such a check. */
  readonly conserves: boolean;
}

/** Steps with their `rescue` and `always`. */
export interface PlanBlock<S> extends PlanCommon<S> {
  readonly kind: "block";
  readonly steps: readonly PlanNode<S>[];
  /** Done if one of the steps failed. */
  readonly rescue: readonly PlanNode<S>[];
  /** Done at the end, in any case. */
  readonly always: readonly PlanNode<S>[];
  /** How often its steps are tried; more than once only if all of them only read. */
  readonly attempts: number;
}

/** Another playbook. */
export interface PlanInclude<S> extends PlanCommon<S>, Plan<S> {
  readonly kind: "include";
  /** Whether it compares two sides, itself or in a playbook that it includes. No `rescue` runs before it has compared them. */
  readonly compares: boolean;
}
