import type { Code } from "../base/catalogue/catalogue.ts";
import type { Stretch } from "../base/text/unescape.ts";

/** What is wrong with an expression, and where in its own text. */
export interface ExpressionProblem extends Stretch {
  /** Identifies the kind of problem, and stays the same: `expression.syntax`. */
  readonly code: Code & `expression.${string}`;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** How to fix it; left out when that is not known. */
  readonly suggestion?: string;
}
