import { effectOf, type Effect } from "./effect.ts";
import { isStale, matches, type FaultPlan, type FaultRule } from "./plan.ts";

/** A rule with the number of calls that have matched it, and the number of times it fired. */
type CountedRule = FaultRule & { readonly matched: number; readonly fired: number };

interface Count {
  readonly rule: FaultRule;
  matched: number;
  fired: number;
}

/** The active fault plan. Its counts belong to this process and start again with every plan. */
export class FaultInjector {
  #counts: readonly Count[] = [];

  constructor(plan: FaultPlan) {
    this.replace(plan);
  }

  /** Replaces the active plan. The counts of the new one start at 0. */
  replace(plan: FaultPlan): void {
    this.#counts = plan.map((rule) => ({ rule, matched: 0, fired: 0 }));
  }

  /** Whether the plan answers reads from an earlier moment, so that earlier moments must be kept. */
  get needsPast(): boolean {
    return this.#counts.some(({ rule }) => isStale(rule.fault));
  }

  /** Counts a call for every rule that it matches. Returns the effect of the first rule that is due. */
  take(operation: string): Effect | undefined {
    const matching = this.#counts.filter(({ rule }) => matches(rule, operation));
    for (const count of matching) count.matched++;
    const due = matching.find(isDue);
    if (due === undefined) return undefined;
    due.fired++;
    return effectOf(due.rule.fault);
  }

  /** Returns the plan with its counts. */
  shown(): readonly CountedRule[] {
    return this.#counts.map(({ rule, matched, fired }) => ({ ...rule, matched, fired }));
  }
}

function isDue({ rule: { nth, times }, matched, fired }: Count): boolean {
  const most = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return matched >= (nth ?? 1) && fired < most;
}
