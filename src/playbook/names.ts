import { didYouMean } from "../base/text.ts";
import type { Expression } from "../expression/expression.ts";
import type { Reference } from "../expression/reference.ts";
import type { NameFinding } from "./context.ts";

/** What is known of a step when another one speaks of it. */
export interface StepName {
  readonly id: string;
  readonly line: number;
  /** Its `if` may skip it, and then it has an outcome and nothing else. */
  readonly conditional: boolean;
}

/** Tells whether a step has run. */
export interface Done {
  readonly has: (id: string) => boolean;
}

/** Checks that every `steps.ID` in an expression is there, has run by then, and surely has the value asked for. */
export class StepNames {
  readonly #all: ReadonlyMap<string, StepName>;
  readonly #done: Done;
  /** Steps whose outcome the surrounding `if` has asked for. */
  readonly #guarded: ReadonlySet<string>;

  readonly #own: string | undefined;

  /** `own` is the step whose expressions these are. */
  constructor(all: ReadonlyMap<string, StepName>, done: Done, guarded: ReadonlySet<string> = new Set(), own?: string) {
    this.#all = all;
    this.#done = done;
    this.#guarded = guarded;
    this.#own = own;
  }

  check(expression: Expression): NameFinding | undefined {
    const guards = outcomesAsked(expression);
    for (const reference of expression.references) {
      const finding = reference.root === "steps" ? this.#checkReference(reference, guards, expression) : undefined;
      if (finding !== undefined) return finding;
    }
    return undefined;
  }

  #checkReference(reference: Reference, guards: ReadonlySet<string>, expression: Expression): NameFinding | undefined {
    const [id, field] = reference.path;
    const at = { start: reference.start, end: reference.end };
    if (id === undefined) {
      return { ...at, finding: { code: "playbook.step-unnamed", message: "name the step: steps.ID" } };
    }
    const step = this.#all.get(id);
    const word = expression.text.indexOf(id, reference.start + reference.root.length);
    const named = { start: word, end: word + id.length };
    if (step === undefined) return { ...named, finding: unknownStep(id, [...this.#all.keys()]) };
    if (!this.#done.has(id)) return { ...named, finding: id === this.#own ? OWN_STEP : notRun(step) };
    const safe = field === undefined || field === "outcome" || !step.conditional || guards.has(id) || this.#guarded.has(id);
    if (safe || expression.text.includes(`has(steps.${id}.`)) return undefined;
    return {
      ...at,
      finding: {
        code: "playbook.maybe-skipped",
        message: `the step "${id}" may have been skipped, and then has no "${field}"`,
        suggestion: `ask first: if: steps.${id}.outcome != "skipped", or has(steps.${id}.${field}) ? … : …`,
      },
    };
  }
}

/** The steps whose outcome an expression asks for. */
export function outcomesAsked(expression: Expression | undefined): ReadonlySet<string> {
  const asked = (expression?.references ?? []).filter(({ root, path }) => root === "steps" && path[1] === "outcome");
  return new Set(asked.map(({ path }) => path[0] ?? ""));
}

const OWN_STEP: NameFinding["finding"] = {
  code: "playbook.step-not-run",
  message: "a step's own results are not there yet",
  suggestion: "in `expect` and `until`, `response` is the answer of this very call; elsewhere, use a later step",
};

function notRun({ id, line }: StepName): NameFinding["finding"] {
  return {
    code: "playbook.step-not-run",
    message: `the step "${id}" (line ${line}) has not run yet here`,
    suggestion: "use it in a later step, or move it up",
  };
}

function unknownStep(id: string, ids: readonly string[]): NameFinding["finding"] {
  const near = didYouMean(id, ids);
  return {
    code: "playbook.unknown-step",
    message: `there is no step "${id}"`,
    suggestion: near === undefined ? `steps: ${ids.slice(0, 20).join(", ")}` : `did you mean "${near}"?`,
  };
}
