import { type MapNode, type SourceNode, textOf } from "../source/node.ts";
import type { CheckContext } from "./check-context.ts";
import { fieldsOf } from "./keywords/keyword.ts";
import { type BlockFields, STEP, type StepFields } from "./keywords/step.ts";
import type { StepLoops } from "./model.ts";

/** A step before it is read: its id, its place, and the steps in it. */
export interface Outline extends StepLoops {
  /** Its own id, or one made from its position, such as `step2`. */
  readonly id: string;
  /** Its line in the file, from 1. */
  readonly line: number;
  /** The step as it was written. */
  readonly node: MapNode;
  /** The values of its keywords. */
  readonly fields: StepFields;
  /** The kind of step; `include` if its `uses` names a file. */
  readonly kind: "call" | "block" | "include";
  /** The sections of blocks around it, the outermost first. */
  readonly sections: readonly Section[];
  /** Whether its own `if` may skip it. */
  readonly conditional: boolean;
  /** The steps in each part of a block, in order; the lists of other steps are empty. */
  readonly parts: Readonly<Record<BlockPart, readonly Outline[]>>;
}

/** The name of a part of a block: `block`, `rescue` or `always`. */
export type BlockPart = keyof BlockFields;

/** One part of a block. */
export interface Section {
  /** The id of the block. */
  readonly block: string;
  /** Which part of the block it is. */
  readonly part: BlockPart;
  /** Whether the block has a `foreach`. */
  readonly foreach: boolean;
  /** Whether the block has an `if`. */
  readonly conditional: boolean;
  /** Whether the block has a `rescue`. */
  readonly rescues: boolean;
}

/** The fields of a block that hold steps. */
export const BLOCK_PARTS: readonly BlockPart[] = ["block", "rescue", "always"];

const NO_STEPS: readonly Outline[] = [];
const NO_PARTS: Outline["parts"] = { block: NO_STEPS, rescue: NO_STEPS, always: NO_STEPS };

/** The outlines of a playbook's steps, and all steps by id. Two steps with the same id are reported. */
export class Outliner {
  /** The steps by id. If two have the same id, the first. */
  readonly all: Map<string, Outline> = new Map();
  /** Every step, as it was written. */
  readonly nodes: MapNode[] = [];
  readonly #context: CheckContext;

  constructor(context: CheckContext) {
    this.#context = context;
  }

  /** Returns the outlines of a list of steps. Ids made from positions begin with `prefix`. */
  read(list: SourceNode | undefined, sections: readonly Section[] = [], prefix = "step"): readonly Outline[] {
    if (list?.kind !== "list") return NO_STEPS;
    return list.items
      .filter((item): item is MapNode => item.kind === "map")
      .map((node, at) => this.#step(node, sections, `${prefix}${at + 1}`));
  }

  // A step without an id gets one from its position, so that reports and the journal can name it.
  #step(node: MapNode, sections: readonly Section[], byPlace: string): Outline {
    const fields = fieldsOf(node, STEP);
    const id = textOf(fields.id) ?? byPlace;
    const first = this.all.get(id);
    if (first !== undefined) {
      this.#context.report(
        {
          code: "playbook.duplicate-step",
          message: `a step "${id}" is already on line ${first.line}`,
          suggestion: "give each step an id of its own",
        },
        fields.id?.range ?? node.range,
      );
    }
    this.nodes.push(node);
    const isBlock = BLOCK_PARTS.some((part) => fields[part] !== undefined);
    const outline: Outline = {
      id,
      line: this.#context.file.lineOf(node.range.start),
      node,
      fields,
      kind: isBlock ? "block" : isPath(textOf(fields.uses)) ? "include" : "call",
      sections,
      loops: sections.length === 0 ? [] : sections.filter(({ foreach }) => foreach).map(({ block }) => block),
      foreach: fields.foreach !== undefined,
      conditional: fields.if !== undefined,
      parts: isBlock ? { block: NO_STEPS, rescue: NO_STEPS, always: NO_STEPS } : NO_PARTS,
    };
    if (first === undefined) this.all.set(id, outline);
    if (isBlock) this.#readParts(outline);
    return outline;
  }

  #readParts(outline: Outline): void {
    const { id, fields, sections, parts } = outline;
    for (const part of BLOCK_PARTS) {
      const held = this.read(fields[part], [...sections, sectionOf(outline, part)], `${id}_${part === "block" ? "" : part}`);
      (parts as Record<BlockPart, readonly Outline[]>)[part] = held;
    }
  }
}

/** Returns the section that a part of a block is. */
export function sectionOf({ id, fields, foreach, conditional }: Outline, part: BlockPart): Section {
  return { block: id, part, foreach, conditional, rescues: fields.rescue !== undefined };
}

/** Returns whether `uses` names a file. */
export function isPath(uses: string | undefined): boolean {
  return uses !== undefined && /^\.{0,2}\/|\.ya?ml$/.test(uses);
}
