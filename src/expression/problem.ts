import type { Code } from "../base/catalogue/catalogue.ts";
import type { Stretch } from "../base/text/unescape.ts";

/** What is wrong with an expression, and the place in its text. */
export interface ExpressionProblem extends Stretch {
  /** The kind of problem, such as `expression.syntax`. It never changes. */
  readonly code: Code & `expression.${string}`;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** How to fix it; left out if this is unknown. */
  readonly suggestion?: string;
}
