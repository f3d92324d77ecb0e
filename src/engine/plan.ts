import { hash } from "node:crypto";
import { LIMITS } from "../base/limits.ts";
import type { CallStep, CheckStep, Playbook, Step } from "../playbook/model.ts";
import { includesOf } from "../playbook/walk.ts";
import type { Place as PlaceOf, Action as ActionOf } from "../protocol/decide.ts";
import type { Plan, PlanNode } from "../protocol/plan.ts";
import type { StepHeading } from "../protocol/record.ts";

/** What a run does at one place. */
export type PlanStep = Step | CheckStep;
export type Place = PlaceOf<PlanStep>;
export type Action = ActionOf<PlanStep>;

/** What the protocol must know of a playbook. */
export function planOf({ steps, checks }: Playbook): Plan<PlanStep> {
  return { steps: steps.map(nodeOf), checks: checks.map(checkNode) };
}

function nodeOf(step: Step): PlanNode<PlanStep> {
  const common = { step, id: step.id, parallel: step.foreach?.parallel };
  switch (step.kind) {
    case "call":
      return { ...common, kind: "call", writes: step.operation.writes, awaitsReceipt: awaitsReceipt(step) };
    case "block":
      return {
        ...common,
        kind: "block",
        steps: step.steps.map(nodeOf),
        rescue: step.rescue.map(nodeOf),
        always: step.always.map(nodeOf),
        attempts: step.retry?.attempts ?? 1,
      };
    case "include":
      return { ...common, kind: "include", ...planOf(step.playbook) };
  }
}

function checkNode(step: CheckStep): PlanNode<PlanStep> {
  return { step, id: step.id, parallel: step.foreach?.parallel, kind: "call", writes: false, awaitsReceipt: false };
}

function awaitsReceipt({ operation, wait }: CallStep): boolean {
  return operation.writes && operation.call.interface === "ledger" && wait !== undefined;
}

/** The steps as written, for reports: those of included playbooks below the step that includes them. */
export function headingsOf(playbook: Playbook, frame = ""): readonly StepHeading[] {
  const steps = playbook.steps.flatMap((step) => headingsOfStep(step, frame));
  const checks = playbook.checks.map((step) => heading(step, frame, { uses: "check", kind: "check" }));
  return [...steps, ...checks].slice(0, LIMITS.headings);
}

function headingsOfStep(step: Step, frame: string): readonly StepHeading[] {
  switch (step.kind) {
    case "call":
      return [heading(step, frame, { uses: step.operation.name })];
    case "block": {
      const inner = [...step.steps, ...step.rescue, ...step.always].flatMap((each) => headingsOfStep(each, frame));
      return [heading(step, frame, { uses: "block", kind: "block" }), ...inner];
    }
    case "include":
      return [heading(step, frame, { uses: step.uses, kind: "include" }), ...headingsOf(step.playbook, `${frame}${step.id}/`)];
  }
}

function heading(
  { id, name, line }: PlanStep,
  frame: string,
  what: { readonly uses: string; readonly kind?: "block" | "include" | "check" },
): StepHeading {
  return { id: `${frame}${id}`, name, line, ...what };
}

/** A digest of a playbook's text and of all that it includes. */
export function digestOf(playbook: Playbook): string {
  const included = includesOf(playbook).map((step) => digestOf(step.playbook));
  return hash("sha256", [playbook.text, ...included].join(""));
}
