import { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";
import type { Conserve } from "../../playbook/model.ts";
import type { HeldCondition, StepProblem } from "../../protocol/record.ts";
import { Gathered } from "../../reconcile/gathered.ts";
import { differenceOf, judge, type Rules } from "../../reconcile/judge.ts";
import { keyParts, type Pair } from "../../reconcile/row.ts";
import { conservedRead } from "../compare/conserved-sides.ts";
import type { SourceRead } from "../compare/row-source.ts";
import { pauseBetweenLooks } from "../read/look-until.ts";
import { CUT_OFF } from "../read/read.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import type { Place } from "../run/plan-steps.ts";

/** The result of a check. */
export type CheckStepResult =
  | { readonly problem: StepProblem; readonly requests: number }
  | { readonly value: JsonObject; readonly requests: number; readonly held: readonly HeldCondition[] };

/** How often values are read again if they changed while they were read, and the pause between looks. */
const LOOKS = 3;
const PAUSE_MS = 500;
const RULES: Rules = { tolerance: Decimal.of(0), sums: { left: true, right: true } };

/**
 * Checks whether a quantity is conserved, by the same rules as a reconciliation. A difference counts only if it was seen twice with the
 * same values.
 */
export async function conserve(context: ReadingContext, place: Place, check: Conserve): Promise<CheckStepResult> {
  const read = conservedRead(context, { step: place.address, scope: context.scopeAt(place) }, check);
  let [before, requests] = ["", 0];
  for (let look = 1; ; look++) {
    const looked = await lookAt(read);
    requests += looked.requests;
    if ("problem" in looked) {
      if (looked.problem.code === CUT_OFF && look < LOOKS && !context.stopping) continue;
      return { problem: looked.problem, requests };
    }
    const broken = looked.pairs.filter((pair) => judge(pair, RULES).length > 0);
    if (broken.length === 0) return { value: { outcome: "ok", balances: looked.pairs.map(asJson) }, requests, held: [] };
    const seen = JSON.stringify(broken.map(asJson));
    if (seen === before || look === LOOKS || context.stopping) return { problem: differing(broken, read, check), requests };
    before = seen;
    await context.pause(pauseBetweenLooks(context.target, PAUSE_MS), place.address);
  }
}

type ConservedPairs = { readonly requests: number } & ({ readonly pairs: readonly Pair[] } | { readonly problem: StepProblem });

async function lookAt(read: SourceRead): Promise<ConservedPairs> {
  const gathered = new Gathered();
  let requests = 0;
  for await (const page of read.pages()) {
    requests += page.requests;
    if (page.kind === "failed") return { requests, problem: page.problem };
    for (const row of page.rows) gathered.add(row);
  }
  return { requests, pairs: [...gathered.pairs()] };
}

function asJson({ key, left, right }: Pair): JsonObject {
  return { of: keyParts(key), left: left?.value ?? null, right: right?.value ?? null };
}

function differing(broken: readonly Pair[], { label }: SourceRead, { conserved }: Conserve): StepProblem {
  const names = conserved.sides;
  const messages = broken.map((pair) => {
    const [, part] = keyParts(pair.key);
    const [left, right] = [pair.left?.value ?? "nothing", pair.right?.value ?? "nothing"];
    return `${label}, ${part}: ${names.left} ${left}, ${names.right} ${right} (difference ${differenceOf(pair) ?? "unknown"})`;
  });
  return { code: "conserve.differs", message: messages.join("; "), evidence: broken.map(asJson) };
}
