import type { JsonObject } from "../../base/json/json.ts";
import type { HeldCondition, StepProblem } from "../../protocol/record.ts";

/** What a check found. */
export type CheckStepResult =
  | { readonly problem: StepProblem; readonly requests: number }
  | { readonly value: JsonObject; readonly requests: number; readonly held: readonly HeldCondition[] };
