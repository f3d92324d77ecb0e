import { child, itemsIn, type SourceNode, textOf } from "../../source/node.ts";
import type { TranslationFindings } from "../findings.ts";
import { type Asked, readConditions } from "./import-criteria.ts";

/** A step of a workflow that is being translated, with its actions. */
export interface ActedStep {
  /** Its `stepId` in the document. */
  readonly id: string;
  /** The step in the document. */
  readonly node: SourceNode;
  /** The actions after a success. An action of the step replaces the workflow's action of the same name. */
  readonly onSuccess: readonly SourceNode[];
  /** The actions after a failure. An action of the step replaces the workflow's action of the same name. */
  readonly onFailure: readonly SourceNode[];
}

/** For each skipped step, the conditions under which earlier steps jump over it. An empty condition always holds. */
export type Skips = Map<number, readonly string[]>;

/** Returns the condition under which a step runs, which is that none of its skips holds. Empty if nothing skips it, and `false` if it is always skipped. */
export function whenRun(skips: readonly string[] = []): string {
  return skips.includes("") ? "false" : skips.map((skip) => `!(${skip})`).join(" && ");
}

/**
 * Translates the actions after the success of a step: later steps are skipped if the workflow ends or jumps forward. A step that is itself skipped does neither
 * (decision 212).
 */
export function skipAfter(at: number, steps: readonly ActedStep[], asked: Asked, skips: Skips): void {
  const { onSuccess = [] } = steps[at] ?? {};
  const { findings } = asked.scope;
  const own = skips.get(at) ?? [];
  const isNeverRun = own.includes("");
  const before: string[] = own.length === 0 ? [] : [`${asked.owner}.outcome != "skipped"`];
  for (const action of onSuccess) {
    const condition = readConditions(itemsIn(child(action, "criteria")), asked);
    const target = targetOf(at, action, steps, findings);
    if (condition === undefined || target === undefined) return;
    // The first action whose criteria hold is taken.
    const when = [...before, ...(condition === "" ? [] : [bracketed(condition, before)])].join(" && ");
    const last = isNeverRun ? at : target - 1;
    for (let skipped = at + 1; skipped <= last; skipped += 1) skips.set(skipped, [...(skips.get(skipped) ?? []), when]);
    if (condition === "") return;
    before.push(`!(${condition})`);
  }
}

// A single condition needs no brackets.
function bracketed(condition: string, before: readonly string[]): string {
  return before.length === 0 ? condition : `(${condition})`;
}

function targetOf(
  at: number,
  action: SourceNode,
  steps: readonly ActedStep[],
  findings: TranslationFindings,
): number | undefined {
  if (textOf(child(action, "type")) === "end") return steps.length;
  if (child(action, "workflowId") !== undefined)
    return findings.refuse(
      action,
      "a jump to another workflow cannot be translated",
      "write a step with this workflowId instead",
    );
  const id = textOf(child(action, "stepId")) ?? "";
  const target = steps.findIndex((step) => step.id === id);
  if (target > at) return target;
  if (target < 0) return findings.refuse(action, `there is no step "${id}" in this workflow`, "the jump leads nowhere");
  return findings.refuse(
    action,
    `"${id}" comes before this step, so the workflow would repeat what it has done`,
    "a playbook goes forward only, so that no write is sent twice",
    "to poll, let a read retry: onFailure with type: retry",
  );
}

/** How a read is repeated. */
export interface Repeats {
  /** The largest number of reads, including the first. */
  readonly attempts: number;
  /** The pause between two reads, in milliseconds. */
  readonly everyMs: number;
  /** The action that requires it, as the place of findings. */
  readonly action: SourceNode;
}

/** Translates the actions after the failure of a call. A write is never sent again without evidence. */
export function repeatsOf({ onFailure }: ActedStep, writes: boolean, findings: TranslationFindings): Repeats | undefined {
  let repeats: Repeats | undefined;
  for (const action of onFailure) {
    const type = textOf(child(action, "type"));
    const criteria = child(action, "criteria");
    if (criteria !== undefined)
      findings.lose(criteria, "the criteria of this action are not kept", "a playbook treats every failure of a step alike");
    if (type === "goto") {
      findings.refuse(action, "a jump after a failure cannot be translated", "a run of a playbook ends where a step fails");
    } else if (type === "retry" && writes) {
      findings.tighten(
        action,
        SETTLED,
        "after a lost answer tokenbook reads what the write did, and sends it again only where that does no harm",
      );
    } else if (type === "retry") {
      repeats = repeatsBy(action, findings);
    }
    // The first action whose criteria hold is taken.
    if (criteria === undefined) break;
  }
  return repeats;
}

function repeatsBy(action: SourceNode, findings: TranslationFindings): Repeats | undefined {
  if (child(action, "workflowId") !== undefined || child(action, "stepId") !== undefined)
    findings.refuse(action, "other steps between two attempts cannot be translated", "a read is repeated by itself");
  const limit = numberOf(child(action, "retryLimit"), RETRIES);
  const everyMs = Math.round(numberOf(child(action, "retryAfter"), 0) * 1000);
  return limit < 1 ? undefined : { attempts: limit + 1, everyMs, action };
}

// The default of the standard if no limit is given.
const RETRIES = 1;

const SETTLED = "a write is not sent again blindly, here and in every other step";

function numberOf(node: SourceNode | undefined, otherwise: number): number {
  return node?.kind === "scalar" && node.value !== null ? Number(node.value) : otherwise;
}
