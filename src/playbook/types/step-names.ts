import { didYouMeanOr } from "../../base/text/text.ts";
import type { Expression } from "../../expression/expression.ts";
import type { Assumption, Reference } from "../../expression/reference.ts";
import type { NameFinding } from "../check-context.ts";
import { operationIn } from "../steps/operation-name.ts";
import type { Outline, Section } from "../outline.ts";
import type { Finding } from "../../source/diagnostic.ts";
import { child, textOf } from "../../source/node.ts";

/** Whether a step has run, or had its turn. */
export interface Done {
  /** Returns whether the step of this id has run, or had its turn. */
  readonly has: (id: string) => boolean;
}

/** What a place in a playbook knows about which steps may be used there. */
export interface Standpoint {
  /** The steps that have run when the place is reached. */
  readonly done: Done;
  /** The sections of blocks around it, the outermost first. */
  readonly sections: readonly Section[];
  /** The conditions that hold around the place. */
  readonly under: readonly Assumption[];
  /** The step to which the expressions belong. */
  readonly own?: string;
}

/** Returns the fields that a step has if its write was not needed. */
export type SureFields = (id: string) => ReadonlySet<string> | undefined;

/** Checks that every `steps.ID` in an expression exists, has run by then, and certainly has the value that is used. */
export class StepNames {
  readonly #all: ReadonlyMap<string, Outline>;
  readonly #sure: SureFields;

  constructor(all: ReadonlyMap<string, Outline>, sure: SureFields) {
    this.#all = all;
    this.#sure = sure;
  }

  /** Returns the first wrong name or, if names are only doubtful, the first doubtful one. */
  check(expression: Expression, from: Standpoint): NameFinding | undefined {
    const steps = expression.references.filter(({ root }) => root === "steps");
    for (const reference of steps) {
      const finding = this.#checkReference(reference, from, expression.text);
      if (finding !== undefined) return finding;
    }
    for (const reference of steps) {
      const finding = this.#doubt(reference, from);
      if (finding !== undefined) return finding;
    }
    return undefined;
  }

  // A lost answer also loses the id of its receipt. The write may still be found to have taken effect.
  #doubt({ path: [id = "", field], under, start, end }: Reference, from: Standpoint): NameFinding | undefined {
    const step = this.#all.get(id);
    if (field !== "receipt" || step === undefined || operationIn(step.node, "uses")?.writes !== true) return undefined;
    const isAsked = [...from.under, ...under].some(
      (assumed) => assumed.is === "there" && isStep(assumed, id) && assumed.path[2] === field,
    );
    if (isAsked) return undefined;
    const finding = textOf(child(step.node, "wait")) === "none" ? noReceipt(id) : maybeNoReceipt(id);
    return { start, end, finding };
  }

  #checkReference(reference: Reference, from: Standpoint, text: string): NameFinding | undefined {
    const [id, field] = reference.path;
    const at = { start: reference.start, end: reference.end };
    if (id === undefined) {
      return { ...at, finding: { code: "playbook.step-unnamed", message: "name the step: steps.ID" } };
    }
    const step = this.#all.get(id);
    const word = text.indexOf(id, reference.start + reference.root.length);
    const named = { start: word, end: word + id.length };
    if (step === undefined) return { ...named, finding: unknownStep(id, [...this.#all.keys()]) };
    if (!from.done.has(id)) return { ...named, finding: id === from.own ? OWN_STEP : notRun(step) };
    if (field === undefined || field === "outcome" || id === from.own) return undefined;
    const finding = this.#maybe(step, field, { ...from, under: [...from.under, ...reference.under] });
    return finding === undefined ? undefined : { ...at, finding };
  }

  #maybe(step: Outline, field: string, from: Standpoint): Finding | undefined {
    const { id } = step;
    if (from.under.some((assumed) => assumed.is === "there" && isStep(assumed, id))) return undefined;
    const outcome = outcomeOf(id, from.under);
    const beyond = sectionsBeyond(step.sections, from.sections);
    if (beyond.some(({ foreach }) => foreach) || step.foreach) return undefined; // a key leads to the value, and only a run knows it
    const doubt = beyond.find((section) => leavesUnrun(section, from.sections));
    if (doubt !== undefined && outcome.is === undefined) return maybeUnrun(id, field, doubt);
    const conditional = beyond.filter((section) => section.conditional && !isAround(section, from.sections));
    const skips = [...(step.conditional ? [id] : []), ...conditional.map(({ block }) => block)];
    if (outcome.is === undefined && !skips.every((each) => notSkipped(each, from.under))) return maybeSkipped(id, field);
    const sure = this.#sure(id);
    if (sure === undefined || sure.has(field) || outcome.is === "changed" || outcome.isNot.has("unchanged")) return undefined;
    return maybeUnchanged(id, field);
  }
}

function isStep({ path }: Assumption, id: string): boolean {
  return path[0] === "steps" && path[1] === id;
}

// Returns what the conditions around the place prove about a step's outcome. That a step was skipped proves nothing about its value.
function outcomeOf(
  id: string,
  under: readonly Assumption[],
): { readonly is: string | undefined; readonly isNot: ReadonlySet<string> } {
  const about = under.filter((assumed) => isStep(assumed, id) && assumed.path[2] === "outcome");
  const is = about.find((assumed) => assumed.is === "==" && HAPPENED.has(assumed.value));
  return {
    is: is?.is === "==" ? is.value : undefined,
    isNot: new Set(about.flatMap((assumed) => (assumed.is === "!=" ? [assumed.value] : []))),
  };
}

const HAPPENED: ReadonlySet<string> = new Set(["ok", "changed", "unchanged", "rescued"]);

function notSkipped(id: string, under: readonly Assumption[]): boolean {
  const outcome = outcomeOf(id, under);
  return outcome.is !== undefined || outcome.isNot.has("skipped");
}

// Returns the sections around a step that do not also surround the place that uses it.
function sectionsBeyond(step: readonly Section[], from: readonly Section[]): readonly Section[] {
  const shared = step.findIndex((section, at) => from[at]?.block !== section.block || from[at]?.part !== section.part);
  return shared < 0 ? [] : step.slice(shared);
}

// A step of a block may not have run if the block was rescued, or has not ended yet.
function leavesUnrun(section: Section, from: readonly Section[]): boolean {
  if (section.part === "always") return false;
  if (section.part === "rescue" || section.rescues) return true;
  return isAround(section, from);
}

function isAround({ block }: Section, from: readonly Section[]): boolean {
  return from.some((section) => section.block === block);
}

const OWN_STEP: Finding = {
  code: "playbook.step-not-run",
  message: "a step's own results do not exist yet",
  suggestion: "in `expect` and `until`, `response` is the answer of this very call; elsewhere, use a later step",
};

function maybeSkipped(id: string, field: string): Finding {
  return {
    code: "playbook.maybe-skipped",
    message: `the step "${id}" may have been skipped, and then has no "${field}"`,
    suggestion: `ask first: if: steps.${id}.outcome != "skipped", or has(steps.${id}.${field}) ? … : …`,
  };
}

function maybeUnrun(id: string, field: string, { block, part }: Section): Finding {
  const why = part === "rescue" ? `it is in the rescue of "${block}"` : `a step of "${block}" may have failed before it`;
  return {
    code: "playbook.maybe-unrun",
    message: `the step "${id}" may not have run: ${why}`,
    suggestion: `check first: has(steps.${id}.${field}) ? … : …`,
  };
}

function maybeUnchanged(id: string, field: string): Finding {
  return {
    code: "playbook.maybe-unchanged",
    message: `the step "${id}" may be unchanged, and then nothing was sent and there is no "${field}"`,
    suggestion: `use steps.${id}.ensured, which is always there, or check first: if: steps.${id}.outcome == "changed"`,
  };
}

function maybeNoReceipt(id: string): Finding {
  return {
    code: "playbook.maybe-no-receipt",
    message: `the write of "${id}" may have no receipt: when its answer is lost, it passes on other evidence`,
    suggestion: `check first: has(steps.${id}.receipt) ? … : …, or give this step if: has(steps.${id}.receipt)`,
  };
}

function noReceipt(id: string): Finding {
  return {
    code: "playbook.maybe-no-receipt",
    message: `with \`wait: none\`, the step "${id}" does not read its receipt, so it never has one`,
    suggestion: `remove \`wait: none\`; steps.${id}.response has the answer to the write`,
  };
}

function notRun({ id, line }: Outline): Finding {
  return {
    code: "playbook.step-not-run",
    message: `the step "${id}" (line ${line}) has not run yet here`,
    suggestion: "use it in a later step, or move it up",
  };
}

function unknownStep(id: string, ids: readonly string[]): Finding {
  return {
    code: "playbook.unknown-step",
    message: `there is no step "${id}"`,
    suggestion: didYouMeanOr(id, ids, `steps: ${ids.slice(0, 20).join(", ")}`),
  };
}
