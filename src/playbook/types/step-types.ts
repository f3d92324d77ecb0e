import type { TypeEnvironment, TypeName } from "../../expression/types.ts";
import { child, textOf } from "../../source/node.ts";
import type { Outline } from "../outline.ts";

/** The types of a playbook, and those of the names beside `steps`. */
export interface BaseTypes {
  /** The types of the contract and of the playbook. */
  readonly types: TypeEnvironment;
  /** The types of the names beside `steps`, such as `inputs`, by name. */
  readonly variables: Readonly<Record<string, TypeName>>;
}

/**
 * The type of `steps` at each place of a playbook. Inside a block with a `foreach` it gives the steps of the same round; outside, a map of
 * all rounds.
 */
export class StepTypes {
  readonly #base: BaseTypes;
  readonly #outlines: ReadonlyMap<string, Outline>;
  readonly #types: ReadonlyMap<string, TypeName>;
  readonly #defined = new Set<TypeName>();

  /** `types` are those of the single steps. */
  constructor(base: BaseTypes, outlines: ReadonlyMap<string, Outline>, types: ReadonlyMap<string, TypeName>) {
    this.#base = base;
    this.#outlines = outlines;
    this.#types = types;
    // All types are defined at the beginning, because copied types accept no more.
    this.#define([]);
    for (const { id, kind, loops, foreach } of outlines.values()) if (kind === "block" && foreach) this.#define([...loops, id]);
  }

  /** Returns the types within these blocks with a `foreach`, the outermost first. */
  within(loops: readonly string[]): TypeEnvironment {
    const { types, variables } = this.#base;
    // A second block with the same id has no type. The duplicate is reported, and its content sees the steps around it.
    const known = loops.findIndex((_, at) => !this.#defined.has(nameOf(loops.slice(0, at + 1))));
    return types.with({ ...variables, steps: nameOf(known < 0 ? loops : loops.slice(0, known)) });
  }

  #define(loops: readonly string[]): void {
    const fields: Record<string, TypeName> = {};
    for (const step of this.#outlines.values()) fields[step.id] = this.#typeFrom(step, loops);
    this.#base.types.define(nameOf(loops), fields, { words: (id) => this.#wordsOf(id) });
    this.#defined.add(nameOf(loops));
  }

  #wordsOf(id: string): string | undefined {
    const node = this.#outlines.get(id)?.node;
    const [name, uses] = [textOf(child(node, "name")), textOf(child(node, "uses"))];
    return name === undefined || uses === undefined ? (name ?? uses) : `${name} (${uses})`;
  }

  #typeFrom({ id, loops, foreach }: Outline, from: readonly string[]): TypeName {
    const type = this.#types.get(id) ?? "dyn";
    if (loops.length === 0 && !foreach) return type;
    const shared = loops.findIndex((loop, at) => from[at] !== loop);
    const maps = (shared < 0 ? 0 : loops.length - shared) + (foreach ? 1 : 0);
    return `${"map<string, ".repeat(maps)}${type}${">".repeat(maps)}`;
  }
}

function nameOf(loops: readonly string[]): TypeName {
  return ["Steps", ...loops].join("_");
}
