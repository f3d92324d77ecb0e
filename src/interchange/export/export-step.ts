import { ownValue } from "../../base/maps.ts";
import type { Operation } from "../../operations/operation.ts";
import { isNamed, type Known, type Named } from "../expressions/evaluate.ts";
import { withKeys } from "../expressions/runtime-expression.ts";
import type { Criterion } from "./export-criteria.ts";
import { Names } from "../names.ts";
import { Expr, Joined, withLeaves, type WrittenValue } from "../value.ts";

/** A step of an Arazzo workflow. */
export class OutStep {
  /** Its `stepId`, which is unique in the workflow. */
  readonly id: string;
  readonly operation: Operation;
  /** Its name for people, with the names of the blocks and includes around it; undefined if none of them has a name. */
  description: string | undefined;
  /** The parameters in the form of Arazzo. Those that identify the actor come first. */
  parameters: readonly object[] = [];
  /** The payload of its body; undefined if it has none. */
  body: WrittenValue | undefined;
  /** The criteria of its success, which must all hold. */
  criteria: readonly Criterion[] = [];
  /** The actions after a success. If empty, the next step follows. */
  onSuccess: readonly object[] = [];
  /** The actions after a failure. If empty, the workflow ends. */
  onFailure: readonly object[] = [];
  /** The runtime expressions of the places that later steps use, by output name. */
  readonly outputs: Map<string, string> = new Map();
  readonly #names = new Names();

  constructor(id: string, operation: Operation) {
    this.id = id;
    this.operation = operation;
  }

  /** Returns the runtime expression with which later steps use a place in its answer. */
  output(path: readonly string[]): Expr {
    const place = withKeys("$response.body", path);
    const known = [...this.outputs].find(([, expression]) => expression === place)?.[0];
    const words = path.join("_").replaceAll(/\W+/g, "_") || "body";
    // Runners do not find an output whose name begins with a digit.
    const name = known ?? this.#names.fresh(/^\d/.test(words) ? `item_${words}` : words);
    this.outputs.set(name, place);
    return new Expr(`$steps.${this.id}.outputs.${name}`);
  }
}

/** A place in the answer of a step. */
export class AnswerPlace implements Named {
  readonly #step: OutStep;
  readonly #path: readonly string[];
  readonly #isOwn: boolean;

  /** `isOwn` means that the place is used in the criteria of the step itself. */
  constructor(step: OutStep, path: readonly string[], isOwn: boolean) {
    this.#step = step;
    this.#path = path;
    this.#isOwn = isOwn;
  }

  /** Returns the place under a key inside it. */
  part(key: string): AnswerPlace {
    return new AnswerPlace(this.#step, [...this.#path, key], this.#isOwn);
  }

  /** Returns its runtime expression. For another step, this is an output, which is added if it does not exist. */
  value(): Expr {
    return this.#isOwn ? new Expr(withKeys("$response.body", this.#path)) : this.#step.output(this.#path);
  }
}

/** Returns the payload of a step's answer, which is `response` in a playbook. */
export function payloadOf(step: OutStep, isOwn: boolean): AnswerPlace {
  const { service, call } = step.operation;
  const { paging } = call;
  const records = paging !== undefined && service.paging.gives !== "the answer" ? [paging.items] : [];
  return new AnswerPlace(step, [...(service.envelope === undefined ? [] : ["response"]), ...records], isOwn);
}

/** Returns something with fixed parts. */
export function parts(known: Readonly<Record<string, Known | undefined>>): Named {
  return named((key) => ownValue(known, key));
}

/** Does the same for pairs of names and parts. */
export function partsOf(known: Iterable<readonly [string, Known | undefined]>): Named {
  return parts(Object.fromEntries(known));
}

/** Returns something that has parts but no value as a whole. */
export function named(part: Named["part"]): Named {
  return { part, value: () => undefined };
}

/** Returns something with the parts of `own`, and with further parts of `other`. */
export function bothOf(own: Named, other: Known | undefined): Named {
  return named((key) => own.part(key) ?? (isNamed(other) ? other.part(key) : undefined));
}

/** Replaces expressions with placeholder texts, for functions that only know JSON. */
export class Hidden {
  readonly #known: Known[] = [];

  /** Returns a placeholder text for an expression. */
  hide(known: Known): string {
    this.#known.push(known);
    return `\uE000${this.#known.length - 1}\uE001`;
  }

  /** Returns a value with placeholder texts in place of all expressions. */
  hideIn(value: WrittenValue): WrittenValue {
    const hidden = withLeaves(value, (leaf) => (leaf instanceof Expr || leaf instanceof Joined ? this.hide(leaf) : leaf));
    return hidden as WrittenValue;
  }

  /** Returns the value with its expressions restored. */
  show(value: WrittenValue): WrittenValue {
    return withLeaves(value, (leaf) => (typeof leaf === "string" ? this.#shown(leaf) : leaf)) as WrittenValue;
  }

  #shown(text: string): WrittenValue {
    const pieces = text.split(/\uE000(\d+)\uE001/).map((piece, at): WrittenValue => {
      const known = at % 2 === 1 ? this.#known[Number(piece)] : piece;
      return (isNamed(known) ? known.value() : known) ?? "";
    });
    const kept = pieces.filter((piece) => piece !== "");
    if (kept.length <= 1) return kept[0] ?? "";
    return new Joined(kept.flatMap((piece) => (piece instanceof Joined ? piece.parts : [piece as string | Expr])));
  }
}
