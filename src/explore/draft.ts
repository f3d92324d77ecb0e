import { Decimal } from "../base/numbers/decimal.ts";
import type { Dice } from "../base/numbers/dice.ts";
import type { JsonObject } from "../base/json/json.ts";
import { ACTORS, type ExploredStep, type ExploringActor, type LedgerOperation } from "./step.ts";

// More digits than a floating-point number has.
const BIG = "12345678901234567890.12";

/** A token as the sequence made it. */
export interface DraftToken {
  /** The expression of its id. */
  readonly id: string;
  /** Who creates it. */
  readonly by: ExploringActor;
  /** Whether it is nonfungible: it consists of units that have ids. */
  readonly isUnits: boolean;
  /** The most that can be minted, as a decimal number; `undefined` without such a limit. */
  readonly cap: string | undefined;
  /** The amounts that were tried with it: what was minted can be moved and burnt. */
  readonly amounts: Decimal[];
  /** To whom something was minted or moved. */
  readonly holders: ExploringActor[];
  /** Ids of units that a mint has asked for. */
  readonly units: string[];
  /** Set when it is the share token of a vault. */
  readonly isShare: boolean;
}

/** An asset type of the app, and the field of its data that holds the id. */
export interface ExploredAssetType {
  readonly name: string;
  /** The field of the data that holds the id. */
  readonly primaryKey: string;
}

/** An asset as the sequence made it. */
export interface DraftAsset {
  /** The id of the asset, in which the key of the run is an expression. */
  readonly id: string;
  readonly type: ExploredAssetType;
  /** Who creates it. */
  readonly by: ExploringActor;
}

/** A request that others decide. */
export interface DraftRequest {
  /** The expression of its id. */
  readonly id: string;
  /** Who makes the request. */
  readonly by: ExploringActor;
  /** Who may decide it. */
  readonly approvers: readonly ExploringActor[];
  /** The kind of an approval, or the asset of a transfer. */
  readonly about: string;
}

/** A vault as the sequence made it. */
export interface DraftVault {
  /** The expression of its id. */
  readonly id: string;
  /** Who creates it. */
  readonly by: ExploringActor;
  /** Its share tokens, and other tokens that were added to it. */
  readonly shares: DraftToken[];
  /** The assets that a deposit has named, with their receivers. */
  readonly deposits: { readonly asset: DraftAsset; readonly share: DraftToken; readonly receivers: readonly ExploringActor[] }[];
}

/** A sequence in the making: its steps, and what they make. It knows no rule of the service, only what may be worth a try. */
export class Draft {
  /** The chance that decides every choice. */
  readonly dice: Dice;
  /** The asset types of the app; empty when it has none. */
  readonly assetTypes: readonly ExploredAssetType[];
  /** The calls so far, in their order. */
  readonly steps: ExploredStep[] = [];
  /** The tokens so far, in the order of their creation. */
  readonly tokens: DraftToken[] = [];
  /** The assets so far, in the order of their creation. */
  readonly assets: DraftAsset[] = [];
  /** The requests to transfer an asset, in their order. */
  readonly transfers: DraftRequest[] = [];
  /** The requests for an approval, in their order. */
  readonly approvals: DraftRequest[] = [];
  /** The vaults so far, in the order of their creation. */
  readonly vaults: DraftVault[] = [];
  /** Who was named as the operator of whom. */
  readonly operators: { readonly owner: ExploringActor; readonly operator: ExploringActor }[] = [];

  constructor(dice: Dice, assetTypes: readonly ExploredAssetType[]) {
    this.dice = dice;
    this.assetTypes = assetTypes;
  }

  /** Returns the id of the step that comes next. */
  nextId(uses: LedgerOperation): string {
    const word = (uses.split(".").at(-1) ?? "").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return `${word}${this.steps.length + 1}`;
  }

  /** Adds a call at the end of the sequence. */
  add(uses: LedgerOperation, as: ExploringActor, input: JsonObject): void {
    this.steps.push({ id: this.nextId(uses), as, uses, with: input });
  }

  /** Returns one of the actors by chance. */
  anybody(): ExploringActor {
    return this.dice.pick(ACTORS);
  }

  /** Mostly the one who may, sometimes somebody. */
  mostly(actor: ExploringActor): ExploringActor {
    return this.dice.chance(0.75) ? actor : this.anybody();
  }

  /** Mostly a pair about which something was said before. */
  operatorOf(): Draft["operators"][number] {
    const { operators, dice } = this;
    return operators.length > 0 && dice.chance(0.7) ? dice.pick(operators) : { owner: this.anybody(), operator: this.anybody() };
  }

  /** Mostly one who holds the token. */
  holder({ holders }: DraftToken): ExploringActor {
    return holders.length > 0 && this.dice.chance(0.8) ? this.dice.pick(holders) : this.anybody();
  }

  /** Some of the actors, at least one, nobody twice. */
  some(): readonly ExploringActor[] {
    const chosen = ACTORS.filter(() => this.dice.chance(0.5));
    return chosen.length === 0 ? [this.anybody()] : chosen;
  }

  /** An amount at which rules are likely to be wrong. */
  amount(token: DraftToken | undefined): Decimal {
    const { cap, amounts = [] } = token ?? {};
    if (amounts.length > 0 && this.dice.chance(0.5)) return this.dice.pick(amounts);
    // A free field keeps the form of a number: there the playbook must write it as a number.
    const large = token === undefined ? [] : [BIG, BIG];
    const near = cap === undefined ? [] : [cap, cap, Decimal.fromJsonSource(cap).plus(Decimal.fromJsonSource("0.01")).text];
    const amount = Decimal.fromJsonSource(this.dice.pick(["1", "1", "2", "5", "10", "0.5", "33.33", "0.001", ...large, ...near]));
    amounts.push(amount);
    return amount;
  }
}

/** The entity of an actor, as a playbook names it. */
export function entityOf(actor: ExploringActor): string {
  return `\${{ actors.${actor} }}`;
}

/** What an earlier step gave, as a playbook names it. */
export function given(step: string, name = "id"): string {
  return `\${{ steps.${step}.${name} }}`;
}

/** Adds a call of one operation to a sequence, if the sequence has what it needs; or why the explorer never makes this call. */
export type Maker = ((draft: Draft) => void) | string;
