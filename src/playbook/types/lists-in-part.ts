import { LIMITS } from "../../base/limits.ts";
import { Expression } from "../../expression/expression.ts";
import type { Finding } from "../../source/diagnostic.ts";
import { entriesIn, itemsIn, type SourceNode, textOf } from "../../source/node.ts";
import { spansIn } from "../expressions/expression-spans.ts";
import type { Outline } from "../outline.ts";

/** A step that reads only some pages of its list. */
export interface CutStep {
  readonly id: string;
  /** The included file with the step; `undefined` for a step of the playbook itself. */
  readonly file: string | undefined;
}

/** The outputs of a playbook that come from a partial list, each with the step that reads the list. */
export type OutputsInPart = ReadonlyMap<string, CutStep>;

/**
 * Finds the partial lists of a playbook: a step reads only some pages, loops over such a list, or includes a playbook whose outputs come
 * from one. A comparison that took such a list as complete would hide what the other pages hold.
 */
export class ListsInPart {
  readonly #all: ReadonlyMap<string, Outline>;
  readonly #outputsOf: (outline: Outline) => OutputsInPart;

  /** `outputsOf` returns the outputs of an included playbook that come from partial lists. */
  constructor(all: ReadonlyMap<string, Outline>, outputsOf: (outline: Outline) => OutputsInPart) {
    this.#all = all;
    this.#outputsOf = outputsOf;
  }

  /** Returns the first step with a partial list that expressions use. */
  cutIn(expressions: Iterable<Expression>): CutStep | undefined {
    return this.#cutIn(expressions, new Set());
  }

  /** Does the same for the rounds of a step: those of its own `foreach`, and of the blocks around it. */
  cutInRounds(outline: Outline): CutStep | undefined {
    return this.#cutInRounds(outline, new Set());
  }

  // `seen` holds the steps that are being followed. In a wrong playbook, a step may loop over itself.
  #cutIn(expressions: Iterable<Expression>, seen: ReadonlySet<string>): CutStep | undefined {
    for (const { references } of expressions)
      for (const { root, path } of references) {
        const [id = ""] = path;
        const outline = root === "steps" && !seen.has(id) ? this.#all.get(id) : undefined;
        const cut = outline && this.#cutOf(outline, path, new Set([...seen, id]));
        if (cut !== undefined) return cut;
      }
    return undefined;
  }

  #cutInRounds({ fields, sections }: Outline, seen: ReadonlySet<string>): CutStep | undefined {
    const lists = [fields.foreach, ...sections.map(({ block }) => this.#all.get(block)?.fields.foreach)];
    return this.#cutIn(lists.flatMap(expressionsOf), seen);
  }

  #cutOf(outline: Outline, [id = "", , output]: readonly string[], seen: ReadonlySet<string>): CutStep | undefined {
    if (outline.fields.pages !== LIMITS.pages) return { id, file: undefined };
    const rounds = this.#cutInRounds(outline, seen);
    if (rounds !== undefined || outline.kind !== "include") return rounds;
    const outputs = this.#outputsOf(outline);
    return output === undefined ? outputs.values().next().value : outputs.get(output);
  }
}

/** Returns the finding for a comparison that would take a partial list as complete. */
export function listInPart({ id, file }: CutStep): Finding {
  const where = file === undefined ? "" : ` of ${file}`;
  return {
    code: "playbook.not-here",
    message: `the step "${id}"${where} reads only some pages of its list, and a comparison needs all of its rows`,
    suggestion: `delete the \`pages\` of "${id}"${file === undefined ? "" : ` in ${file}`}`,
  };
}

function expressionsOf(node: SourceNode | undefined): readonly Expression[] {
  if (node === undefined) return [];
  const inside = [...itemsIn(node), ...entriesIn(node).map(([, { value }]) => value)].flatMap(expressionsOf);
  const own = Array.from(spansIn(textOf(node) ?? ""), ({ text }) => Expression.parse(text));
  return [...own.filter((each) => each instanceof Expression), ...inside];
}
