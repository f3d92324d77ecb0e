import type { SimulatedStep } from "./draft.ts";
import {
  answer,
  approveTransfer,
  ask,
  burn,
  burnSeat,
  buy,
  describe,
  makeCoin,
  makeSeats,
  mint,
  mintRounds,
  mintSeat,
  type Recipe,
  recordAsset,
  requestTransfer,
} from "./recipes.ts";
import { stepsOf } from "./steps.ts";

/** A small playbook around one write of a kind: the steps that it needs, and something after it. */
export interface Specimen {
  readonly letter: string;
  readonly name: string;
  readonly steps: readonly SimulatedStep[];
  /** The address of the write. */
  readonly target: string;
}

/** One specimen of each kind of write. */
export const SPECIMENS: readonly Specimen[] = [
  specimen("U", "unique", [makeSeats, mintSeat, burnSeat], 1),
  specimen("A", "absolute", [makeCoin, describe, describe], 1),
  specimen("M", "marked", [ask, answer], 0),
  specimen("X", "transition", [recordAsset, requestTransfer, approveTransfer, approveTransfer], 2),
  specimen("+", "additive", [makeCoin, mint, mint, burn], 1),
  specimen("P", "purchase", [buy, buy], 0),
  specimen("R", "in rounds", [makeCoin, mintRounds, burn], 1),
];

function specimen(letter: string, name: string, recipes: readonly Recipe[], at: number): Specimen {
  const steps = stepsOf(recipes);
  const [address = ""] = steps[at]?.writes ?? [];
  return { letter, name, steps, target: address };
}
