/**
 * All that the protocol knows about a playbook. `S` is the language's own step, which the protocol only returns.
 */
export interface Plan<S> {
  /** Done one after the other. */
  readonly steps: readonly PlanNode<S>[];
  /** Evaluated one by one when all steps are complete, whatever the outcome of the others. */
  readonly checks: readonly PlanNode<S>[];
}

/** A step of a plan. */
export type PlanNode<S> = PlanCall<S> | PlanBlock<S> | PlanInclude<S>;

interface PlanCommon<S> {
  readonly step: S;
  readonly id: string;
  /** How many rounds of its `foreach` may be under way at a time; `undefined` without a `foreach`. */
  readonly parallel: number | undefined;
}

/** One call of an operation. */
export interface PlanCall<S> extends PlanCommon<S> {
  readonly kind: "call";
  /** Whether the operation changes anything. */
  readonly writes: boolean;
  /** Done only when its receipt says COMMITTED. */
  readonly awaitsReceipt: boolean;
  /** Whether it is a check that something is conserved; once it has failed, no `rescue` hides that. */
  readonly conserves: boolean;
}

/** Steps with their `rescue` and `always`. */
export interface PlanBlock<S> extends PlanCommon<S> {
  readonly kind: "block";
  readonly steps: readonly PlanNode<S>[];
  /** Done when one of the steps failed. */
  readonly rescue: readonly PlanNode<S>[];
  /** Done at the end, whatever happened. */
  readonly always: readonly PlanNode<S>[];
  /** How often its steps are tried; more than once only when all of them read. */
  readonly attempts: number;
}

/** Another playbook. */
export interface PlanInclude<S> extends PlanCommon<S>, Plan<S> {
  readonly kind: "include";
  /** Whether it compares two sides, itself or in what it includes; no `rescue` runs while it has not. */
  readonly compares: boolean;
}
