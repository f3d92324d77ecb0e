import type { Code } from "../base/catalogue/catalogue.ts";

/** What is wrong with an expression, and where in its own text. */
export interface ExpressionProblem {
  readonly code: Code & `expression.${string}`;
  readonly message: string;
  readonly suggestion?: string;
  /** Offsets into the expression's text. */
  readonly start: number;
  readonly end: number;
}
