import { EXIT } from "../base/exit.ts";
import { Bug, Failure } from "../base/failure.ts";
import { count } from "../base/text/text.ts";
import { rested } from "../base/time/turns.ts";
import { isoTime } from "../base/time/date.ts";
import { headingOf, type Target } from "../environment/target.ts";
import { askingOf } from "../engine/read/ask.ts";
import { check } from "../engine/steps/check.ts";
import { expand } from "../engine/steps/expand-foreach.ts";
import { nothingCompared } from "../engine/steps/nothing-compared.ts";
import { skipIfFalse } from "../engine/steps/skip-if-false.ts";
import { turn } from "../engine/steps/turn-block.ts";
import { type Action, digestOf, headingsOf, type Place, planOf, type PlanStep } from "../engine/run/plan-steps.ts";
import { Interrupted } from "../engine/run/interrupted.ts";
import { checkReach, checkTarget } from "../engine/run/preflight.ts";
import { EvaluationFailure } from "../expression/expression.ts";
import { Unforeseen } from "../expression/unknown.ts";
import type { CheckStep } from "../playbook/model.ts";
import { Walk } from "../protocol/decide.ts";
import type { PlanNode } from "../protocol/plan.ts";
import { stepIn } from "../protocol/state.ts";
import type { PlanDocument, PlannedProblem, PlannedRun, PlannedStep, PlannedTotals } from "../report/plan/shape.ts";
import { services } from "../services/services.ts";
import { PlanContext, type PlannerPorts, problemOf } from "./context.ts";
import { foresee } from "../engine/run/foresee.ts";
import { digestsOfGiven, type ReadyPlaybook } from "./given.ts";
import { cannotKnow, close, openBlock, openInclude } from "./block-planning.ts";
import { planRead } from "./read.ts";
import { planWrite } from "./write.ts";

/** A run to preview: a playbook, its inputs, and its environment. */
interface PlanParts extends ReadyPlaybook {
  /** The environment of the run. */
  readonly target: Target;
}

/** Plans some playbooks, each as if it were run alone. Throws a Failure if no plan can be made. */
export async function planAll(playbooks: readonly ReadyPlaybook[], target: Target, ports: PlannerPorts): Promise<PlanDocument> {
  const plans: PlannedRun[] = [];
  for (const each of playbooks) plans.push(await planRun({ ...each, target }, ports));
  return {
    format: 1,
    madeAt: isoTime(ports.clock.now()),
    ok: plans.every(({ outcome }) => outcome === "would-pass"),
    target: headingOf(target),
    plans,
  };
}

/**
 * Simulates a run: decides and reads as a run does, and replaces each write with what can be known about its answer. Throws a Failure if no plan can be made.
 * Decision 57 explains why this is not a separate interpreter.
 */
async function planRun(parts: PlanParts, ports: PlannerPorts): Promise<PlannedRun> {
  const { playbook, target } = parts;
  checkTarget(playbook, target);
  await checkReach(playbook, askingOf(ports.service, ports));
  const context = new PlanContext(playbook, parts, ports);
  const { steps, checks } = planOf(playbook);
  const walk = new Walk<PlanStep>({ steps: steps.map(once), checks });
  for (;;) {
    if (context.stopping) throw new Failure({ code: "plan.interrupted", message: "no plan was made", exit: EXIT.interrupted });
    const next = walk.next(context.state);
    if (next.kind === "close") return planned(context, parts, next.outcome === "passed");
    for (const action of next.actions) await planSafely(context, action);
    await rested();
  }
}

// A second attempt would read the same, so each block is planned with one attempt.
function once(node: PlanNode<PlanStep>): PlanNode<PlanStep> {
  if (node.kind === "call") return node;
  if (node.kind === "include") return { ...node, steps: node.steps.map(once) };
  const { steps, rescue, always } = node;
  return { ...node, steps: steps.map(once), rescue: rescue.map(once), always: always.map(once), attempts: 1 };
}

async function planSafely(context: PlanContext, action: Action): Promise<void> {
  const { place } = action;
  try {
    await planAction(context, action);
  } catch (error) {
    if (error instanceof Unforeseen) return cannotKnow(context, place, error.message);
    if (error instanceof Interrupted) return;
    if (!(error instanceof EvaluationFailure)) throw error;
    context.fail(place, { code: "expression.no-value", message: error.message });
  }
}

async function planAction(context: PlanContext, action: Action): Promise<void> {
  const { place } = action;
  switch (action.do) {
    case "expand":
      return planRounds(context, place);
    case "begin":
      return planStep(context, place);
    case "turn":
      return turn(context, place, action.turn);
    case "end":
      return close(context, place, action.ending);
    case "send-again":
    case "await-receipt":
    case "probe":
    case "complete":
    case "judge-refusal":
    case "stop":
      throw new Bug(`a plan has sent nothing, and came to "${action.do}"`);
  }
}

function planRounds(context: PlanContext, place: Place): void {
  expand(context, place);
  const { completed, stopped } = stepIn(context.state, place.address);
  if (stopped !== undefined) return;
  if (completed?.outcome === "skipped") return context.say(place, { verdict: "skipped" });
  const rounds = context.state.expansions.get(place.address)?.rounds.length ?? 0;
  context.say(place, { verdict: "opens", why: [count(rounds, "round")] });
}

async function planStep(context: PlanContext, place: Place): Promise<void> {
  const { step } = place;
  if (step.foreach === undefined && skipIfFalse(context, place, context.ports.clock.now()))
    return context.say(place, { verdict: "skipped" });
  switch (step.kind) {
    case "call":
      return step.operation.writes ? planWrite(context, place, step) : planRead(context, place, step);
    case "check":
      return planCheck(context, place, step);
    case "block":
      return openBlock(context, place, step);
    case "include":
      return openInclude(context, place, step);
  }
}

async function planCheck(context: PlanContext, place: Place, step: CheckStep): Promise<void> {
  if (context.disturbed !== undefined) {
    const why = `it is checked when all steps are complete: ${context.disturbed}`;
    return context.conclude(place, { outcome: "ok" }, { verdict: "cannot-know", why: [why] });
  }
  const { looks } = step;
  if (looks.kind === "compare") {
    const why = ["the two sides are read and compared in the run only"];
    return context.conclude(place, { outcome: "ok" }, { verdict: "cannot-know", why });
  }
  await check(context, { place, step, looks, startedAt: context.ports.clock.now() });
  const { completed } = stepIn(context.state, place.address);
  if (completed === undefined) return;
  const { warning } = completed;
  if (warning === undefined) return context.say(place, { verdict: "holds" });
  context.say(place, { verdict: "would-warn", problem: problemOf(warning) });
}

function planned(context: PlanContext, given: PlanParts, passed: boolean): PlannedRun {
  const { playbook, rows: steps } = context;
  const nothing = nothingCompared(playbook, () => steps.map(({ step }) => step));
  const problem = !passed ? null : nothing === undefined ? outputProblem(context) : problemOf(nothing);
  return {
    playbook: { file: playbook.file, name: playbook.name, digest: digestOf(playbook) },
    inputs: digestsOfGiven(given),
    outcome: passed && problem === null ? "would-pass" : "would-fail",
    refused: null,
    problem,
    steps,
    notReached: headingsOf(playbook).flatMap(({ id }) => (context.reached.has(id) ? [] : [id])),
    totals: totalsOf(steps),
  };
}

function outputProblem(context: PlanContext): PlannedProblem | null {
  try {
    const scope = context.scopeAt({ frame: "", rounds: [] });
    for (const template of context.playbook.outputs.values()) foresee(template, scope);
    return null;
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return { code: "output.no-value", message: `an output has no value: ${error.message}`, next: null };
  }
}

function totalsOf(rows: readonly PlannedStep[]): PlannedTotals {
  const of = (...verdicts: readonly PlannedStep["verdict"][]): readonly PlannedStep[] =>
    rows.filter(({ verdict }) => verdicts.includes(verdict));
  const sent = of("will-create", "will-change");
  return {
    ...Object.fromEntries(
      services.map(({ name, plannedTotal }) => [plannedTotal, sent.filter(({ writes }) => writes === name).length]),
    ),
    cannotKnow: of("cannot-know").filter(({ writes }) => writes !== null).length,
    alreadySo: of("already-so").length,
    wouldFail: of("would-fail").length,
  };
}
