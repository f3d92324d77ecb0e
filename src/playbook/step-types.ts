import type { TypeEnvironment, TypeName } from "../expression/types.ts";
import { child, textOf } from "../source/node.ts";
import type { Outline } from "./outline.ts";

/** What `steps` is at each place of a playbook: in a block with a `foreach` its steps are those of the same round, outside a map of them. */
export class StepTypes {
  readonly #base: TypeEnvironment;
  readonly #outlines: ReadonlyMap<string, Outline>;
  readonly #types: ReadonlyMap<string, TypeName>;
  readonly #made = new Map<string, TypeEnvironment>();

  /** `base` knows the names beside `steps`; `types` are those of the single steps. */
  constructor(base: TypeEnvironment, outlines: ReadonlyMap<string, Outline>, types: ReadonlyMap<string, TypeName>) {
    this.#base = base;
    this.#outlines = outlines;
    this.#types = types;
  }

  /** The types within these blocks with a `foreach`, the outermost first. */
  within(loops: readonly string[]): TypeEnvironment {
    const name = ["Steps", ...loops].join("_");
    let types = this.#made.get(name);
    if (types === undefined) {
      const fields = Array.from(this.#outlines.values(), (step) => [step.id, this.#typeFrom(step, loops)] as const);
      const own = this.#base.copy();
      types = own.with({ steps: own.define(name, Object.fromEntries(fields), { words: (id) => this.#wordsOf(id) }) });
      this.#made.set(name, types);
    }
    return types;
  }

  #wordsOf(id: string): string | undefined {
    const node = this.#outlines.get(id)?.node;
    const [name, uses] = [textOf(child(node, "name")), textOf(child(node, "uses"))];
    return name === undefined || uses === undefined ? (name ?? uses) : `${name} (${uses})`;
  }

  #typeFrom({ id, loops, foreach }: Outline, from: readonly string[]): TypeName {
    const shared = loops.findIndex((loop, at) => from[at] !== loop);
    const maps = (shared < 0 ? 0 : loops.length - shared) + (foreach ? 1 : 0);
    return `${"map<string, ".repeat(maps)}${this.#types.get(id) ?? "dyn"}${">".repeat(maps)}`;
  }
}
