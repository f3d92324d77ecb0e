import { invariant } from "./failure.ts";
import { LIMITS } from "./limits.ts";

/** The limits that are counted in steps, because long computations cannot be interrupted. */
type StepLimit = "expressionSteps" | "validationSteps";

/** The failure of work that needs more steps than it may take. */
export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";

  constructor(limit: StepLimit) {
    super(`it takes more than ${LIMITS[limit].toLocaleString("en")} steps, which is the limit (${limit})`);
  }
}

interface StepBudget {
  readonly limit: StepLimit;
  left: number;
}

// Counted work runs without a pause, so there is only one budget at a time.
let current: StepBudget | undefined;

let spentInTurn = 0;

/** Runs several pieces of counted work within one budget, so that a whole list of them is bounded. */
export function sharingSteps<T>(limit: StepLimit, work: () => T): T {
  const outer = current;
  if (outer?.limit === limit) return work();
  current = { limit, left: LIMITS[limit] };
  try {
    return work();
  } finally {
    current = outer;
  }
}

/** Runs work that counts its steps with `spend`. Throws an OutOfSteps if they are spent, even if the work itself has caught that error. */
export function withinSteps<T>(limit: StepLimit, work: () => T): T {
  return sharingSteps(limit, () => {
    invariant(current !== undefined, "steps are shared within a budget");
    return stillWithin(current, work);
  });
}

function stillWithin<T>(budget: StepBudget, work: () => T): T {
  try {
    const made = work();
    assertLeft(budget);
    return made;
  } catch (error) {
    assertLeft(budget);
    throw error;
  }
}

function assertLeft({ left, limit }: StepBudget): void {
  if (left < 0) throw new OutOfSteps(limit);
}

/** Counts steps before they are taken. Throws an OutOfSteps if fewer are left. */
export function spend(steps: number): void {
  invariant(current !== undefined, "steps are counted within a budget");
  current.left -= steps;
  spentInTurn += steps;
  assertLeft(current);
}

/** Counts a single step of work that needs no budget of its own. Throws an OutOfSteps if it is part of work that has no steps left. */
export function spendOne(): void {
  if (current === undefined) spentInTurn += 1;
  else spend(1);
}

/** Returns whether all steps are spent. A loop that catches errors must end then. */
export function isOutOfSteps(): boolean {
  return current !== undefined && current.left < 0;
}

/** Returns whether this turn of the event loop has computed so much that signals and timers should get a turn. */
export function shouldRest(): boolean {
  return spentInTurn >= STEPS_A_TURN;
}

/** Starts counting the steps of a turn of the event loop. */
export function beginTurn(): void {
  spentInTurn = 0;
}

const STEPS_A_TURN = 1_000_000;
