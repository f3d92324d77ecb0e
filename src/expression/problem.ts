/** What is wrong with an expression, and where in its own text. */
export interface ExpressionProblem {
  readonly code:
    | "expression.syntax"
    | "expression.unknown-name"
    | "expression.unknown-field"
    | "expression.type"
    | "expression.runaway-pattern"
    | "expression.date"
    | "expression.too-complex"
    | "expression.too-long";
  readonly message: string;
  readonly suggestion?: string;
  /** Offsets into the expression's text. */
  readonly start: number;
  readonly end: number;
}
