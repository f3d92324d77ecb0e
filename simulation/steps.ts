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

// Named twice, it comes twice as often.
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

/** What adds up and needs nothing that is not there yet. */
export const UNCONDITIONAL: readonly Recipe[] = [mint, mint, mint, mintRounds, mintAlike, mintBatch];

/** What adds up, whoever does it, and owners of a coin may do. */
export const MINTING: readonly Recipe[] = [...UNCONDITIONAL, burn];

/** What adds up: two runs may do it at the same time. */
export const ADDING: readonly Recipe[] = [...MINTING, pay, payBatch, buy, buyAlike];

/** What makes something, and sets a value of it in rounds at the same time. */
export const IN_ROUNDS: readonly (readonly Recipe[])[] = [
  [makeCoin, permitRounds],
  [makeCoin, describeRounds],
];

const FEWEST_STEPS = 2;
const MORE_STEPS = 5;
/** Like writes in a row are the ones that can be taken for one another. */
const SHARE_OF_LIKES = 0.5;

/** The steps that these recipes make, one after the other. */
export function stepsOf(recipes: readonly Recipe[], options: DraftOptions = {}): readonly SimulatedStep[] {
  const draft = new Draft(new Dice(0), options);
  for (const recipe of recipes) recipe(draft);
  return draft.steps;
}

/** The steps of a playbook as the dice have it, each with what it needs before it. */
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
