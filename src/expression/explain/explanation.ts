import type { ValueDifference } from "../../base/difference.ts";
import type { Json } from "../../base/json.ts";

/** Why an expression does not hold. Public: it stands in journals and reports; fields are added, never renamed. */
export interface Explanation {
  readonly expression: string;
  readonly tree: TreeNode;
  /** What would make it hold. */
  readonly hints: readonly Remedy[];
  /** The answer that was looked at: an outline, line by line, in which long lists and texts are left out. */
  readonly response?: string;
}

/** A value, or what can be said of one that is too large to be shown. */
export type Glimpse = { readonly value: Json } | { readonly summary: string };

/** A sub-expression and what it came to: its `value` or `summary`, `state`, or nothing when its value has no JSON form. */
export interface TreeNode {
  readonly expression: string;
  readonly value?: Json;
  readonly summary?: string;
  readonly state?: "no value" | "not evaluated";
  /** Of `no value`. */
  readonly why?: string;
  /** Sub-expressions that matter; literals are left out. */
  readonly parts?: readonly TreeNode[];
  /** Of a comprehension. */
  readonly items?: Items;
}

/** The items that decided a comprehension. */
export interface Items {
  /** `2 of 5 fail`. */
  readonly says: string;
  readonly shown: readonly ItemOutcome[];
  /** Whether there are more of them. */
  readonly more?: true;
}

/** What a comprehension's condition came to for one item. */
export interface ItemOutcome {
  /** `[3]`. */
  readonly at: string;
  readonly condition: TreeNode;
}

/** A way in which the expression would hold: `subject` would have to … */
export interface Remedy {
  /** All without this word must be; one of those with it is enough. */
  readonly or?: true;
  /** The item of a comprehension that `subject` speaks of. */
  readonly item?: string;
  readonly subject: string;
  /** `be`, `be at least`, `contain`. */
  readonly must: string;
  readonly wanted?: Glimpse & { readonly expression?: string };
  readonly is?: Glimpse;
  /** How far it is from there: `0.01 less`. */
  readonly remark?: string;
  /** What the record that holds a status says about it. */
  readonly message?: string;
  /** Differing places of two objects or lists. */
  readonly changes?: readonly (Pick<ValueDifference, "sign" | "path"> & { readonly is?: Glimpse; readonly wanted?: Glimpse })[];
}
