/** The operators that compare two values by their order. */
export type OrderOperator = "<" | "<=" | ">" | ">=";

/** The operators that compare two values. */
export type ComparisonOperator = "==" | "!=" | OrderOperator;

/** Returns, for each operator, whether it holds of two values whose comparison gives this sign. */
export const HOLDS_OF: Readonly<Record<OrderOperator, (sign: number) => boolean>> = {
  "<": (sign) => sign < 0,
  "<=": (sign) => sign <= 0,
  ">": (sign) => sign > 0,
  ">=": (sign) => sign >= 0,
};

/** The operator that compares the same two values in the other order. */
export const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** Returns whether an operator compares two values by their order. */
export function isOrder(operator: string): operator is OrderOperator {
  return Object.hasOwn(HOLDS_OF, operator);
}

/** Returns whether an operator compares two values. */
export function isComparing(operator: string): operator is ComparisonOperator {
  return Object.hasOwn(MIRRORED, operator);
}
