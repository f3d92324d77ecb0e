import { hash } from "node:crypto";
import { LIMITS } from "../../base/limits.ts";
import { present } from "../../base/present.ts";
import type { CallStep, CheckStep, Playbook, Step } from "../../playbook/model.ts";
import { compares, heldBy, includedData, includesOf, playbooksIn } from "../../playbook/playbook-walk.ts";
import type { ActionOf, PlaceOf } from "../../protocol/decide.ts";
import type { Plan, PlanNode } from "../../protocol/plan.ts";
import type { StepHeading, Writing } from "../../protocol/heading.ts";

/** A step or check, which a run does at one place. */
export type PlanStep = Step | CheckStep;
/** A step or check at one place of a run. */
export type Place = PlaceOf<PlanStep>;
/** What to do next, with the step or check that it is about. */
export type Action = ActionOf<PlanStep>;

/** Returns the plan of a playbook. The protocol knows nothing else about a playbook. */
export function planOf({ steps, checks }: Playbook): Plan<PlanStep> {
  return { steps: steps.map(nodeOf), checks: checks.map(checkNode) };
}

function nodeOf(step: Step): PlanNode<PlanStep> {
  const common = { step, id: step.id, parallel: step.foreach?.parallel };
  switch (step.kind) {
    case "call":
      return {
        ...common,
        kind: "call",
        writes: step.operation.writes,
        awaitsReceipt: awaitsReceipt(step),
        conserves: false,
      };
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
      return { ...common, kind: "include", compares: compares(step.playbook), ...planOf(step.playbook) };
  }
}

function checkNode(step: CheckStep): PlanNode<PlanStep> {
  const conserves = step.looks.kind === "conserve" && !step.warns;
  return { step, id: step.id, parallel: step.foreach?.parallel, kind: "call", writes: false, awaitsReceipt: false, conserves };
}

function awaitsReceipt({ operation, wait }: CallStep): boolean {
  return operation.writes && operation.service.receipts !== undefined && wait !== undefined;
}

/** Where steps are, for their headings. */
interface HeadingPlace {
  readonly frame: string;
  readonly depth: number;
  readonly file: string | undefined;
}

/** Returns the steps as written, for reports. The steps of an included playbook follow the step that includes it. */
export function headingsOf(playbook: Playbook): readonly StepHeading[] {
  return headingsIn(playbook, { frame: "", depth: 0, file: undefined }).slice(0, LIMITS.headings);
}

function headingsIn(playbook: Playbook, at: HeadingPlace): readonly StepHeading[] {
  const steps = playbook.steps.flatMap((step) => headingsOfStep(step, at));
  const checks = playbook.checks.map((step) =>
    heading(step, at, { uses: step.looks.kind === "compare" ? "reconcile" : "check", kind: "check" }),
  );
  return [...steps, ...checks].slice(0, LIMITS.headings);
}

function headingsOfStep(step: Step, at: HeadingPlace): readonly StepHeading[] {
  const inside = { ...at, depth: at.depth + 1 };
  switch (step.kind) {
    case "call":
      return [heading(step, at, { uses: step.operation.name })];
    case "block": {
      const inner = heldBy(step).flatMap((each) => headingsOfStep(each, inside));
      return [heading(step, at, { uses: "block", kind: "block" }), ...inner];
    }
    case "include": {
      const { playbook } = step;
      const inner = headingsIn(playbook, { ...inside, frame: `${at.frame}${step.id}/`, file: playbook.file });
      return [heading(step, at, { uses: step.uses, kind: "include" }), ...inner];
    }
  }
}

function heading(
  { id, name, line }: PlanStep,
  { frame, depth, file }: HeadingPlace,
  what: Pick<StepHeading, "uses" | "kind">,
): StepHeading {
  return {
    id: `${frame}${id}`,
    name,
    line,
    ...what,
    ...(depth === 0 ? {} : { depth }),
    ...present({ file }),
  };
}

/** Returns a playbook as it is written, for the journal. */
export function writingOf(playbook: Playbook): Writing {
  const data = includedData(playbook);
  return {
    playbook: { file: playbook.file, name: playbook.name, digest: digestOf(playbook) },
    steps: headingsOf(playbook),
    sources: Object.fromEntries(playbooksIn(playbook).map(({ file, text }) => [file, text])),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
}

/** Returns a digest of the texts of a playbook and of the playbooks that it includes. */
export function digestOf(playbook: Playbook): string {
  const included = includesOf(playbook).map((step) => digestOf(step.playbook));
  return hash("sha256", [playbook.text, ...included].join(""));
}
