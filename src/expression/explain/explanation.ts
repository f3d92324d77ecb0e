import type { ValueDifference } from "../../base/text/difference.ts";
import type { Json } from "../../base/json/json.ts";

/** Why an expression does not hold. This form is public, since journals and reports contain it: fields are added, never renamed. */
export interface Explanation {
  /** The text of the expression, without spaces around it. */
  readonly expression: string;
  /** The whole expression with its result, and the parts that explain it. */
  readonly tree: TreeNode;
  /** What would make it hold. */
  readonly hints: readonly Remedy[];
  /** An outline of the answer that was read, line by line, without the middle of long lists and texts. */
  readonly response?: string;
}

/** A value, or a description of one that is too large to be shown. */
export type Glimpse = { readonly value: Json } | { readonly summary: string };

/** A sub-expression and its result: `value` or `summary`, `state`, or nothing if its value has no JSON form. */
export interface TreeNode {
  /** The text of the sub-expression; only its length if it is too long to be shown. */
  readonly expression: string;
  /** Its value, if it is small enough to be shown. */
  readonly value?: Json;
  /** A description of a value that is too large to be shown. */
  readonly summary?: string;
  /** `no value`: it has no value. `not evaluated`: an earlier part decided the result. */
  readonly state?: "no value" | "not evaluated";
  /** Why there is no value. */
  readonly why?: string;
  /** The sub-expressions that matter; literals are left out. */
  readonly parts?: readonly TreeNode[];
  /** The deciding items of a comprehension. */
  readonly items?: Items;
}

/** The items that decided a comprehension. */
export interface Items {
  /** A summary, such as `2 of 5 fail`. */
  readonly says: string;
  /** The first deciding items, at most `LIMITS.explainedItems`. */
  readonly shown: readonly ItemOutcome[];
  /** Whether there are more deciding items. */
  readonly more?: true;
}

/** The value of a comprehension's condition for one item. */
export interface ItemOutcome {
  /** The text of the item's index: `[3]`. */
  readonly at: string;
  /** The condition with its result for this item. */
  readonly condition: TreeNode;
}

/** A condition under which the expression would hold, as in: `subject` would have to be `wanted`. */
export interface Remedy {
  /** All remedies without this field are needed; of those with it, one is enough. */
  readonly or?: true;
  /** The item of a comprehension, if `subject` is about one. */
  readonly item?: string;
  /** The text of the part that would have to be different. */
  readonly subject: string;
  /** The verb, such as `be`, `be at least` or `contain`. */
  readonly must: string;
  /** The value to compare with, and the expression that gives it, unless it is a literal. */
  readonly wanted?: Glimpse & { readonly expression?: string };
  /** The value that the subject has. */
  readonly is?: Glimpse;
  /** The distance from the wanted value, such as `0.01 less`. */
  readonly remark?: string;
  /** The message in the record of the status. */
  readonly message?: string;
  /** The places where two objects or lists differ. */
  readonly changes?: readonly (Pick<ValueDifference, "sign" | "path"> & { readonly is?: Glimpse; readonly wanted?: Glimpse })[];
}
