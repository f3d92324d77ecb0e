import type { ASTNode } from "./cel.ts";
import { childrenOf, type Visit, visitOf } from "./syntax.ts";

/** Functions with a true or false result, which reveals nothing of a text. */
const TESTS: ReadonlySet<string> = new Set(["contains", "endsWith", "has", "re2", "startsWith"]);

/** What a part contains of the value that must stay whole: a text that includes it, the number that it is, or nothing. */
type HeldPart = "text" | "number" | undefined;

type HeldNames = ReadonlyMap<string, HeldPart>;

/**
 * Returns the first part of an expression that gives something other than the whole value of a name, such as its `substring`. The value
 * stays whole as an item of a list or a map, as part of a longer text, as a number, and in a comparison.
 */
export function alteredPart(tree: ASTNode, name: string): ASTNode | undefined {
  const use = new WholeUse();
  use.heldBy(tree, new Map([[name, "text"]]));
  return use.altered;
}

class WholeUse {
  altered: ASTNode | undefined;

  /** Returns what a part contains of the value. */
  heldBy(node: ASTNode, holders: HeldNames): HeldPart {
    if (node.op === "id") return holders.get(node.args);
    const visit = visitOf(node);
    if (visit !== undefined) return this.#visited(visit, holders);
    const parts = childrenOf(node).map((part) => this.heldBy(part, holders));
    const held = parts.find((part) => part !== undefined);
    switch (node.op) {
      case ".":
      case ".?":
      case "[]":
      case "[?]":
        return parts[0];
      case "?:":
        return parts[1] ?? parts[2];
      case "list":
      case "map":
        return parts.includes("number") ? "number" : held;
      case "+":
        return parts.includes("number") ? this.#alters(node) : held;
      case "-":
      case "*":
      case "/":
      case "%":
      case "-_":
        return held && this.#alters(node);
      case "call":
      case "rcall":
        return held && this.#called(node);
      default:
        return undefined;
    }
  }

  #called(node: ASTNode & { readonly op: "call" | "rcall" }): HeldPart {
    const [name] = node.args;
    if (TESTS.has(name)) return undefined;
    return name === "decimal" ? "number" : this.#alters(node);
  }

  #alters(node: ASTNode): HeldPart {
    this.altered ??= node;
    return "text";
  }

  #visited({ kind, list, name, bodies }: Visit, holders: HeldNames): HeldPart {
    const items = this.heldBy(list, holders);
    const results = bodies.map((body) => this.heldBy(body, new Map([...holders, [name, items]])));
    if (kind === "filter") return items;
    return kind === "map" ? results.at(-1) : undefined;
  }
}
