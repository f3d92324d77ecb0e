import { Decimal } from "../base/numbers/decimal.ts";
import { isForbiddenKey } from "../base/json/json.ts";
import type { ASTNode } from "./cel.ts";
import { copyOf, type Evaluator, OwnMacro, PairMacro, replace } from "./macro.ts";
import type { ExpressionProblem } from "./problem.ts";

/**
 * Makes the nodes of a new syntax tree treat keys of maps like JSON. A map literal keeps all its fields, or fails; the library would
 * silently drop some. Equal numbers are the same key, however they are written.
 */
export function useJsonKeys(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "map" && node.args.length > 0) replace(node, new WholeMap(node, node.args));
    else if ((node.op === "[]" || node.op === "[?]") && !isText(node.args[1])) replace(node, new FieldAccess(node, node.args));
  }
}

/** Returns the problem of a map literal with a key that is invalid or repeated. */
export function mapKeyProblem(node: ASTNode): ExpressionProblem | undefined {
  if (node.op !== "map") return undefined;
  const known = new Set<string>();
  for (const [{ op, args, input, start, end }] of node.args) {
    if (op !== "value") continue;
    const key = spelling(typeof args === "number" ? Decimal.parse(input.slice(start, end)) : args);
    const wrong = key === undefined ? "a key is a text or a number" : keyProblem(key, known);
    if (wrong !== undefined) return { code: "expression.map-key", message: wrong, start, end };
  }
  return undefined;
}

class WholeMap extends OwnMacro {
  readonly #entries: readonly (readonly [ASTNode, ASTNode])[];

  constructor(node: ASTNode, entries: readonly (readonly [ASTNode, ASTNode])[]) {
    super(copyOf(node));
    this.#entries = entries;
  }

  override evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const known = new Set<string>();
    const entries = this.#entries.map(([name, value]) => {
      const given = evaluator.run(name, context);
      evaluator.debugType(given);
      const key = spelling(given);
      if (key === undefined) throw new RangeError("a key of a map is a text or a number");
      const wrong = keyProblem(key, known);
      if (wrong !== undefined) throw new RangeError(wrong);
      return [key, evaluator.run(value, context)] as const;
    });
    return Object.fromEntries(entries);
  }
}

class FieldAccess extends PairMacro {
  protected override ofValues(owner: unknown, key: unknown, evaluator: Evaluator): unknown {
    const field = key instanceof Decimal && !Array.isArray(owner) ? key.canonical() : key;
    return super.ofValues(owner, field, evaluator);
  }
}

function isText(node: ASTNode): boolean {
  return node.op === "value" && typeof node.args === "string";
}

function keyProblem(key: string, known: Set<string>): string | undefined {
  if (isForbiddenKey(key)) return `the key ${JSON.stringify(key)} is not allowed`;
  return known.size === known.add(key).size ? `the key ${JSON.stringify(key)} occurs twice in this map` : undefined;
}

/** Returns the key of a map as in JSON. Equal numbers give the same key. */
export function spelling(key: unknown): string | undefined {
  if (key instanceof Decimal) return key.canonical();
  return typeof key === "string" || typeof key === "bigint" || typeof key === "boolean" ? String(key) : undefined;
}
