import type { ASTNode } from "./cel.ts";
import { boundName, childrenOf } from "./syntax.ts";

/** Functions whose result is true or false, which shows nothing of a text. */
const TESTS: ReadonlySet<string> = new Set(["contains", "endsWith", "has", "re2", "startsWith"]);

/** Whether a name holds the value that must stay whole. */
type Holders = ReadonlyMap<string, boolean>;

/**
 * Returns the first part of an expression that gives something else than the whole value of a name: `substring` of it, for example.
 * The value is whole as an item of a list or a map, as a part of a longer text, and when it is compared.
 */
export function alteredPart(tree: ASTNode, name: string): ASTNode | undefined {
  const use = new WholeUse();
  use.holds(tree, new Map([[name, true]]));
  return use.altered;
}

class WholeUse {
  altered: ASTNode | undefined;

  /** Returns whether the value of a part holds the value that must stay whole. */
  holds(node: ASTNode, holders: Holders): boolean {
    if (node.op === "id") return holders.get(node.args) === true;
    if (node.op === "rcall" && boundName(node) !== undefined) return this.#comprehension(node, holders);
    const parts = childrenOf(node).map((part) => this.holds(part, holders));
    switch (node.op) {
      case ".":
      case ".?":
      case "[]":
      case "[?]":
        return parts[0] === true;
      case "?:":
        return parts[1] === true || parts[2] === true;
      case "list":
      case "map":
      case "+":
        return parts.includes(true);
      case "call":
      case "rcall":
        return parts.includes(true) && !TESTS.has(node.args[0]) && this.#alters(node);
      default:
        return false;
    }
  }

  #alters(node: ASTNode): true {
    this.altered ??= node;
    return true;
  }

  #comprehension(node: ASTNode & { readonly op: "rcall" }, holders: Holders): boolean {
    const [name, list, [variable, ...bodies]] = node.args;
    const items = this.holds(list, holders);
    const inner = variable?.op === "id" ? new Map([...holders, [variable.args, items]]) : holders;
    const results = bodies.map((body) => this.holds(body, inner));
    if (name === "filter") return items;
    return name === "map" && results.at(-1) === true;
  }
}
