import { Draft, type DraftOptions, type SimulatedStep } from "./draft.ts";
import { Dice } from "../src/base/numbers/dice.ts";
import {
  answer,
  approveTransfer,
  ask,
  beRefused,
  burn,
  burnSeat,
  buy,
  buyAlike,
  deleteAsset,
  deposit,
  describe,
  describeRounds,
  entrust,
  entrustAll,
  identify,
  look,
  makeCoin,
  mint,
  mintAlike,
  mintBatch,
  mintRounds,
  mintSeat,
  pay,
  payBatch,
  permit,
  permitRounds,
  putAsset,
  requestTransfer,
  revoke,
  updateAsset,
  withdraw,
  type Recipe,
} from "./recipes.ts";

// A recipe that is listed twice is drawn twice as often.
const RECIPES: readonly Recipe[] = [
  makeCoin,
  mint,
  mint,
  mint,
  mintRounds,
  mintAlike,
  mintBatch,
  mintBatch,
  burn,
  pay,
  payBatch,
  describe,
  describe,
  describe,
  permit,
  mintSeat,
  burnSeat,
  updateAsset,
  putAsset,
  requestTransfer,
  approveTransfer,
  ask,
  answer,
  deposit,
  withdraw,
  withdraw,
  deleteAsset,
  revoke,
  entrust,
  entrustAll,
  buy,
  buy,
  buyAlike,
  buyAlike,
  identify,
  look,
  beRefused,
];

/** Additions that need nothing which does not exist yet. */
export const UNCONDITIONAL: readonly Recipe[] = [mint, mint, mint, mintRounds, mintAlike, mintBatch];

/** Additions that owners of a coin may make. */
export const MINTING: readonly Recipe[] = [...UNCONDITIONAL, burn];

/** Additions, which two runs may make at the same time. */
export const ADDING: readonly Recipe[] = [...MINTING, pay, payBatch, buy, buyAlike];

/** Creates something, and sets one of its values in parallel rounds. */
export const IN_ROUNDS: readonly (readonly Recipe[])[] = [
  [makeCoin, permitRounds],
  [makeCoin, describeRounds],
];

const FEWEST_STEPS = 2;
const MORE_STEPS = 5;
/** Similar writes in a row are those that can be mistaken for each other. */
const SHARE_OF_LIKES = 0.5;

/** Returns the steps that these recipes make, in order. */
export function stepsOf(recipes: readonly Recipe[], options: DraftOptions = {}): readonly SimulatedStep[] {
  const draft = new Draft(new Dice(0), options);
  for (const recipe of recipes) recipe(draft);
  return draft.steps;
}

/** Returns random steps of a playbook, each preceded by those that it needs. */
export function drawSteps(dice: Dice, options: DraftOptions = {}, among: readonly Recipe[] = RECIPES): readonly SimulatedStep[] {
  const draft = new Draft(dice, options);
  const count = FEWEST_STEPS + dice.below(MORE_STEPS);
  for (
    let recipe = dice.pick(among);
    draft.steps.length < count;
    recipe = dice.chance(SHARE_OF_LIKES) ? recipe : dice.pick(among)
  ) {
    recipe(draft);
  }
  return draft.steps;
}
