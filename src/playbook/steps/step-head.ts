import { readGuard } from "../expressions/bare-expression.ts";
import { allRead } from "../keywords/keyword.ts";
import type { HeadFields } from "../keywords/step.ts";
import { insideLoop, readForeach } from "./foreach.ts";
import type { Step } from "../model.ts";
import type { Outline } from "../outline.ts";
import { scopeAt, type Spot, type Surroundings } from "../expressions/expression-scope.ts";

/** The common fields of every step, and the spot inside the step. */
export interface Head {
  /** The fields as the model has them. */
  readonly common: Pick<Step, "id" | "name" | "line" | "if" | "foreach">;
  /** The spot of its own expressions, where its `if` holds and its item has a name. */
  readonly inside: Spot;
}

/** Reads the common fields of a step. `otherwise` is its name if it has none. */
export function readHead(outline: Outline, otherwise: string, spot: Spot, around: Surroundings): Head {
  const { id, line, fields } = outline;
  const { id: _outlined, name = otherwise, if: guard, foreach: loop, ...rest }: HeadFields = fields;
  allRead(rest);
  const named = { id, name, line };
  const fails = fields.fails !== undefined;
  if (!outline.conditional && !outline.foreach) {
    const inside = spot.fails === fails ? spot : { ...spot, fails };
    return { common: { ...named, if: undefined, foreach: undefined }, inside };
  }
  const condition = readGuard(guard, around.context, scopeAt(around, spot, { id }));
  const guarded = condition === undefined ? spot : { ...spot, under: [...spot.under, ...condition.assumptions()] };
  const rounds = readForeach(loop, around, scopeAt(around, guarded, { id }));
  const held = { ...guarded, maybe: spot.maybe || outline.conditional, fails };
  return { common: { ...named, if: condition, foreach: rounds.foreach }, inside: insideLoop(held, rounds) };
}
