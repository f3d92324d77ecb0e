import { hash } from "node:crypto";
import { canonicalJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { present } from "../../base/present.ts";
import type { CallStep, CheckStep, Playbook, Step } from "../../playbook/model.ts";
import { compares, heldBy, includedData, includesOf, playbooksIn } from "../../playbook/playbook-walk.ts";
import { frameOf } from "../../protocol/address.ts";
import type { ActionOf, PlaceOf } from "../../protocol/decide.ts";
import type { Plan, PlanNode } from "../../protocol/plan.ts";
import type { StepHeading, Writing } from "../../protocol/heading.ts";

/** A step or check, which a run does at one place. */
export type PlanStep = Step | CheckStep;
/** A step or check at one place of a run. */
export type Place = PlaceOf<PlanStep>;
/** A step that has begun. */
export interface BegunStep<S extends PlanStep> {
  /** Where it is in the run. */
  readonly place: Place;
  /** The step of the playbook. */
  readonly step: S;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

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
  return headingsIn(playbook, { frame: "", depth: 0, file: undefined });
}

function headingsIn({ steps, checks }: Playbook, at: HeadingPlace): readonly StepHeading[] {
  return [...steps, ...checks].flatMap((step) => headingsOfStep(step, at)).slice(0, LIMITS.headings);
}

function headingsOfStep(step: PlanStep, at: HeadingPlace): readonly StepHeading[] {
  const inside = { ...at, depth: at.depth + 1 };
  const own = heading(step, at);
  if (step.kind === "check") return [own];
  if (step.kind !== "include") return [own, ...heldBy(step).flatMap((each) => headingsOfStep(each, inside))];
  const { playbook } = step;
  return [own, ...headingsIn(playbook, { ...inside, frame: frameOf(own.id), file: playbook.file })];
}

function heading(step: PlanStep, { frame, depth, file }: HeadingPlace): StepHeading {
  const { id, name, line } = step;
  const kind = step.kind === "call" ? undefined : step.kind;
  const uses = step.kind === "check" && step.looks.kind === "compare" ? "reconcile" : usesOf(step);
  return { id: `${frame}${id}`, name, line, uses, ...present({ kind, depth: depth === 0 ? undefined : depth, file }) };
}

/** Returns what a step uses: an operation, the path of an included playbook, or the word for a block or a check. */
export function usesOf(step: PlanStep): string {
  if (step.kind === "call") return step.operation.name;
  return step.kind === "include" ? step.uses : step.kind;
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

/**
 * Returns a digest of everything that a run of a playbook needs besides its inputs: also of the data files that included playbooks name. The names of
 * files are left out, because they depend on the folder of the command.
 */
export function digestWithData(playbook: Playbook): string {
  const data = Object.values(includedData(playbook));
  const texts = digestOf(playbook);
  return data.length === 0 ? texts : hash("sha256", canonicalJson([texts, ...data]));
}

/** Returns a digest of the texts of a playbook and of the playbooks that it includes. */
export function digestOf(playbook: Playbook): string {
  const included = includesOf(playbook).map((step) => digestOf(step.playbook));
  return hash("sha256", [playbook.text, ...included].join(""));
}
