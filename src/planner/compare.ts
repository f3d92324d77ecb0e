import { command } from "../base/command-line.ts";
import { type ValueDifference, changesBetween } from "../base/text/difference.ts";
import { Failure } from "../base/failure.ts";
import { type Json, writeJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { headingOf, type Target } from "../environment/target.ts";
import { digestOf } from "../engine/run/plan-steps.ts";
import { differingFields } from "../protocol/heading.ts";
import { verdictWords } from "../report/plan/text.ts";
import type { PlanDocument, PlannedRead, PlannedRun, PlannedStep } from "../report/plan/shape.ts";
import { digestsOfGiven, type ReadyPlaybook } from "./given.ts";

const VALUE_CHARS = 120;

/** Checks that a plan belongs to these playbooks, inputs and this environment, without asking the service. Throws a Failure. */
export function assertSamePlanned(plan: PlanDocument, playbooks: readonly ReadyPlaybook[], target: Target): void {
  const now = headingOf(target);
  const elsewhere = differingFields(plan.target, now);
  if (elsewhere.length > 0) {
    const differences = elsewhere
      .map((key) => `${key} was ${plan.target[key] ?? "none"} and is ${now[key] ?? "none"}`)
      .join("; ");
    throw outdated("plan.other-target", `the plan is of another environment: ${differences}`);
  }
  for (const given of playbooks) {
    const { playbook } = given;
    const planned = plannedOf(plan, playbook.file);
    if (planned.playbook.digest !== digestOf(playbook))
      throw outdated(
        "plan.other-playbook",
        `${playbook.file}, or a playbook that it includes, has changed since the plan was made`,
      );
    const digests = digestsOfGiven(given);
    const names = new Set([...Object.keys(digests), ...Object.keys(planned.inputs)]);
    const others = [...names].filter((name) => planned.inputs[name] !== digests[name]);
    if (others.length > 0)
      throw outdated("plan.other-inputs", `${playbook.file} was planned with another value of ${others.join(", ")}`);
  }
}

/** Checks that a new plan is the same as this one in everything that a person could read. Throws a Failure that names each step with a different outcome. */
export function assertSamePlan(plan: PlanDocument, fresh: PlanDocument): void {
  const both = fresh.plans.map((run) => [plannedOf(plan, run.playbook.file), run] as const);
  const steps = both.flatMap(([was, is]) => changesOf(was, is));
  const changed = steps.length > 0 ? steps : both.flatMap(([was, is]) => otherChanges(was, is));
  if (changed.length === 0) return;
  const shown = changed.slice(0, LIMITS.planChanges).flat();
  const rest = changed.length - LIMITS.planChanges;
  const lines = rest > 0 ? [...shown, `and ${rest} more`] : shown;
  throw outdated("plan.outdated", `the service has changed since the plan was made (${plan.madeAt}):\n${lines.join("\n")}`);
}

function plannedOf(plan: PlanDocument, file: string): PlannedRun {
  const found = plan.plans.find(({ playbook }) => playbook.file === file);
  if (found !== undefined) return found;
  const files = plan.plans.map(({ playbook }) => playbook.file).join(", ");
  throw outdated("plan.other-playbook", `the plan is not of ${file}, but of ${files}`);
}

function outdated(code: string, message: string): Failure {
  return new Failure({
    code,
    message,
    why: "only reads were sent",
    next: ["make a new plan and look at it:", command`plan PLAYBOOK --out FILE`],
  });
}

// Returns, for each step that differs, the lines that show how.
function changesOf(was: PlannedRun, is: PlannedRun): readonly (readonly string[])[] {
  const before = new Map(was.steps.map((step) => [step.step, step]));
  const after = new Map(is.steps.map((step) => [step.step, step]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((address) => {
    const lines = linesOf(before.get(address), after.get(address));
    return lines.length === 0 ? [] : [[`${is.playbook.file}: ${address}: ${lines[0] ?? ""}`, ...lines.slice(1)]];
  });
}

// A plan that was written by hand could show another operation, another person or other totals than the run would have.
function otherChanges(was: PlannedRun, is: PlannedRun): readonly (readonly string[])[] {
  const changes = changesBetween(readable(was), readable(is), LIMITS.planPlaces);
  return changes.map((change) => [`${is.playbook.file}: ${describe(change)}`]);
}

// Answers are compared by their digests. Whether a run would be refused is checked when it begins.
function readable({ refused: _refused, steps, ...run }: PlannedRun): Json {
  const shown = steps.map(({ reads, ...step }) => ({ ...step, reads: reads.map(({ answer: _answer, ...read }) => read) }));
  return { ...run, steps: shown } as unknown as Json;
}

function linesOf(was: PlannedStep | undefined, is: PlannedStep | undefined): readonly string[] {
  if (was === undefined) return [`not in the plan; now: ${is === undefined ? "" : verdictWords(is.verdict)}`];
  if (is === undefined) return [`in the plan: ${verdictWords(was.verdict)}; now it is not reached`];
  const verdict =
    was.verdict === is.verdict ? [] : [`in the plan: ${verdictWords(was.verdict)}; now: ${verdictWords(is.verdict)}`];
  const input = changesBetween(was.input, is.input, LIMITS.planPlaces).map((change) => `  input ${describe(change)}`);
  const longer = was.reads.length > is.reads.length ? was.reads : is.reads;
  const answers = longer.flatMap((_, at) => readLines(was.reads[at], is.reads[at]));
  const lines = [...verdict, ...input, ...answers];
  return lines.length === 0 || verdict.length > 0 ? lines : ["the plan was made from other values", ...lines];
}

function readLines(was: PlannedRead | undefined, is: PlannedRead | undefined): readonly string[] {
  if (was === undefined || is === undefined)
    return [`  ${(was ?? is)?.operation ?? ""} was ${was === undefined ? "not read, and now is" : "read, and now is not"}`];
  if (was.digest === is.digest && was.operation === is.operation) return [];
  // A number from JSON is an exact number, and not the same object.
  if (String(was.status) !== String(is.status))
    return [`  ${is.operation} answered HTTP ${was.status ?? "nothing"}, and now ${is.status ?? "nothing"}`];
  const changes = was.answer === null || is.answer === null ? [] : changesBetween(was.answer, is.answer, LIMITS.planPlaces);
  const places = changes.map((change) => `    ${describe(change)}`);
  return [`  the answer of ${is.operation} has changed`, ...places];
}

function describe({ sign, path, is, wanted }: ValueDifference): string {
  if (sign === "~") return `${path}: ${short(is)} → ${short(wanted)}`;
  return `${path}: ${sign === "+" ? "new" : "gone"} ${short(sign === "+" ? wanted : is)}`;
}

function short(value: ValueDifference["is"]): string {
  const text = value === undefined ? "" : writeJson(value);
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS - 1)}…` : text;
}
