import { getOrInsert } from "../../base/maps.ts";
import type { Expression } from "../../expression/expression.ts";
import type { ScalarNode } from "../../source/node.ts";

/** The names that the expressions of a playbook use, and the texts that hold them. */
export class Usage {
  readonly #texts = new Set<ScalarNode>();
  readonly #fields = new Map<string, Set<string>>();
  readonly #wholes = new Set<string>();
  readonly #roots: string[] = [];

  /** Records the names that an expression uses. */
  note(expression: Expression): void {
    for (const { root, path } of expression.references) {
      this.#roots.push(root);
      const [field] = path;
      if (field === undefined) this.#wholes.add(root);
      else this.use(root, field);
    }
  }

  /** Records a text whose expressions are evaluated. */
  noteText(node: ScalarNode): void {
    this.#texts.add(node);
  }

  /** Returns whether the expressions in a text are evaluated. Otherwise the text is used as it is written. */
  isRead(node: ScalarNode): boolean {
    return this.#texts.has(node);
  }

  /** Records a name that is used without an expression, such as an actor in `as`. */
  use(root: string, field: string): void {
    getOrInsert(this.#fields, root, () => new Set()).add(field);
  }

  /** Returns whether a field, such as an input, is used, or all fields of its root may be. */
  has(root: string, field: string): boolean {
    return this.#wholes.has(root) || this.#fields.get(root)?.has(field) === true;
  }

  /** Returns a mark for `usedSince`. */
  now(): number {
    return this.#roots.length;
  }

  /** Returns whether an expression has used a root, such as `inputs`, since a mark. */
  usedSince(moment: number, root: string): boolean {
    return this.#roots.includes(root, moment);
  }
}
