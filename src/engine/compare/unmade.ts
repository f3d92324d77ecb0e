// Records which comparisons a run has not made, so that older results are not taken for the present state.
import { ifKnown } from "../../expression/expression.ts";
import type { Compare } from "../../playbook/model.ts";
import { compares } from "../../playbook/playbook-walk.ts";
import { holdersOf, includingStep, parseAddress } from "../../protocol/address.ts";
import { nameInProject } from "../../protocol/identity.ts";
import type { RunOutcome } from "../../protocol/record.ts";
import type { RunContext } from "../run/run-context.ts";
import { scopeName } from "./given-sides.ts";
import { pathTo, playbookIn } from "./step-path.ts";

/** Returns the name by which the drifts of a playbook are known. */
export function playbookName({ playbook: { id }, opened }: Pick<RunContext, "playbook" | "opened">): string {
  return id ?? nameInProject(opened);
}

const OWN = "reconcile.";

/** Returns the name of the comparison at an address: `nightly/holdings` for `nightly/reconcile.holdings`. */
export function comparisonName(address: string): string {
  const { frame } = parseAddress(address);
  return frame + address.slice(frame.length).replace(OWN, "");
}

function addressOf(comparison: string): string {
  const { frame } = parseAddress(comparison);
  return `${frame}${OWN}${comparison.slice(frame.length)}`;
}

/**
 * Remembers which comparisons a run has not made. A run that has passed made all of them, except those that an `if` has skipped. Rounds
 * that a list no longer has, a `rescue` that was not needed, and comparisons that the playbook no longer has, do not count as unmade.
 */
export function noteUnmade(context: RunContext, outcome: RunOutcome): void {
  const { playbook, ports, state, target } = context;
  if (!compares(playbook)) return;
  const made = new Set(
    Array.from(state.steps.values(), ({ completed, stopped }) => (completed ?? stopped)?.comparison?.of?.comparison),
  );
  const isUnmade = (comparison: string): boolean =>
    !made.has(comparison) &&
    comparedAt(context, addressOf(comparison)) !== undefined &&
    (outcome !== "passed" || wasSkipped(context, addressOf(comparison)));
  ports
    .drifts()
    .noteUnmade({ environment: target.environment, playbook: playbookName(context) }, (comparison) =>
      isUnmade(comparison) ? { scope: scopeOf(context, addressOf(comparison)) } : undefined,
    );
}

/** Returns the comparison at an address; `undefined` if the playbook has none there. */
function comparedAt({ playbook }: Pick<RunContext, "playbook">, address: string): Compare | undefined {
  const { frame, id } = parseAddress(address);
  const looks = playbookIn(playbook, frame)?.checks.find((check) => check.id === id)?.looks;
  return looks?.kind === "compare" ? looks : undefined;
}

/** Returns the scope in which a run makes a comparison; `undefined` if it has no value, or there is no such comparison. */
function scopeOf(context: RunContext, address: string): string | undefined {
  const { frame } = parseAddress(address);
  const looks = comparedAt(context, address);
  if (looks === undefined) return undefined;
  if (looks.scope === undefined) return "";
  if (frame !== "" && context.state.steps.get(includingStep(frame))?.begun === undefined) return undefined;
  return ifKnown(() => scopeName(looks, context.scopeAt({ frame, rounds: [] })), undefined);
}

// Whether the `if` of a step that includes the comparison, or of a block around such a step, was false.
function wasSkipped({ playbook, state }: Pick<RunContext, "playbook" | "state">, address: string): boolean {
  const { frame } = parseAddress(address);
  if (frame === "") return false;
  const including = includingStep(frame);
  const { frame: outer, id } = parseAddress(including);
  const around = pathTo(playbookIn(playbook, outer)?.steps ?? [], id);
  const addresses = around.flatMap((holder) => [...holdersOf(including, holder.id)]);
  const isSkipped = addresses.some((each) => state.steps.get(each)?.completed?.outcome === "skipped");
  return isSkipped || wasSkipped({ playbook, state }, including);
}
