import type { Code } from "../base/catalogue/catalogue.ts";

/** What is wrong with an expression, and where in its own text. */
export interface ExpressionProblem {
  /** Identifies the kind of problem, and stays the same: `expression.syntax`. */
  readonly code: Code & `expression.${string}`;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** How to fix it; left out when that is not known. */
  readonly suggestion?: string;
  /** Offsets into the expression's text. */
  readonly start: number;
  /** The offset after its last character. */
  readonly end: number;
}
