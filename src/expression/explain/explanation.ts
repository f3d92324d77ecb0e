import type { ValueDifference } from "../../base/text/difference.ts";
import type { Json } from "../../base/json/json.ts";

/** Why an expression does not hold. Public: journals and reports have it; fields are added, never renamed. */
export interface Explanation {
  /** The text of the expression, without spaces around it. */
  readonly expression: string;
  /** The whole expression with its result, and the parts that explain it. */
  readonly tree: TreeNode;
  /** What would make it hold. */
  readonly hints: readonly Remedy[];
  /** The answer that was read: an outline, line by line, without the middle of long lists and texts. */
  readonly response?: string;
}

/** A value, or a description of one that is too large to be shown. */
export type Glimpse = { readonly value: Json } | { readonly summary: string };

/** A sub-expression and its result: `value` or `summary`, `state`, or nothing when its value has no JSON form. */
export interface TreeNode {
  /** The text of the sub-expression; its length alone when it is too long to be shown. */
  readonly expression: string;
  /** Its value, when that is small enough to be shown. */
  readonly value?: Json;
  /** A description of a value that is too large to be shown. */
  readonly summary?: string;
  /** `no value`: it has none. `not evaluated`: another part decided before it. */
  readonly state?: "no value" | "not evaluated";
  /** Why there is no value. */
  readonly why?: string;
  /** Sub-expressions that matter; literals are left out. */
  readonly parts?: readonly TreeNode[];
  /** The deciding items of a comprehension. */
  readonly items?: Items;
}

/** The items that decided a comprehension. */
export interface Items {
  /** `2 of 5 fail`. */
  readonly says: string;
  /** The first of them, at most `LIMITS.explainedItems`. */
  readonly shown: readonly ItemOutcome[];
  /** Whether there are more of them. */
  readonly more?: true;
}

/** The value of a comprehension's condition for one item. */
export interface ItemOutcome {
  /** `[3]`. */
  readonly at: string;
  /** The condition with its result for this item. */
  readonly condition: TreeNode;
}

/** A condition under which the expression would hold: `subject` would have to … */
export interface Remedy {
  /** All remedies without this word are needed; one of those with it is enough. */
  readonly or?: true;
  /** The item of a comprehension that `subject` is about. */
  readonly item?: string;
  /** The text of the part that would have to be different. */
  readonly subject: string;
  /** `be`, `be at least`, `contain`. */
  readonly must: string;
  /** The value to compare with, and the expression that gives it, unless it is a literal. */
  readonly wanted?: Glimpse & { readonly expression?: string };
  /** The value that the subject has. */
  readonly is?: Glimpse;
  /** The distance from the wanted value: `0.01 less`. */
  readonly remark?: string;
  /** What the record of a status says about it. */
  readonly message?: string;
  /** Differing places of two objects or lists. */
  readonly changes?: readonly (Pick<ValueDifference, "sign" | "path"> & { readonly is?: Glimpse; readonly wanted?: Glimpse })[];
}
