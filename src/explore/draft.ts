import { Decimal } from "../base/numbers/decimal.ts";
import type { Dice } from "../base/numbers/dice.ts";
import type { JsonObject } from "../base/json/json.ts";
import { ACTORS, type ExploredStep, type ExploringActor, type LedgerOperation } from "./step.ts";

// A number with more digits than a floating-point number has.
const BIG = "12345678901234567890.12";

/** A token that the sequence creates. */
export interface DraftToken {
  /** The expression of its id. */
  readonly id: string;
  /** The actor who creates it. */
  readonly by: ExploringActor;
  /** Whether it is nonfungible, which means that it consists of units with ids. */
  readonly isUnits: boolean;
  /** The most that can be minted, as a decimal number; `undefined` if there is no limit. */
  readonly cap: string | undefined;
  /** The amounts that were used with it, because minted amounts can be moved and burnt. */
  readonly amounts: Decimal[];
  /** The receivers of minted or moved amounts. */
  readonly holders: ExploringActor[];
  /** The ids of units that a mint has requested. */
  readonly units: string[];
  /** Whether it is the share token of a vault. */
  readonly isShare: boolean;
}

/** An asset type of the app, and the field of its data with the id. */
export interface ExploredAssetType {
  readonly name: string;
  /** The field of the data with the id. */
  readonly primaryKey: string;
}

/** An asset that the sequence creates. */
export interface DraftAsset {
  /** The id of the asset, which contains the key of the run as an expression. */
  readonly id: string;
  readonly type: ExploredAssetType;
  /** The actor who creates it. */
  readonly by: ExploringActor;
}

/** A request that other actors decide. */
interface DraftRequest {
  /** The expression of its id. */
  readonly id: string;
  /** The actor who makes the request. */
  readonly by: ExploringActor;
  /** The actors who may decide it. */
  readonly approvers: readonly ExploringActor[];
  /** The type of an approval request, or the asset of a transfer request. */
  readonly about: string;
}

/** A vault that the sequence creates. */
export interface DraftVault {
  /** The expression of its id. */
  readonly id: string;
  /** The actor who creates it. */
  readonly by: ExploringActor;
  /** Its share tokens, and other tokens that were added to it. */
  readonly shares: DraftToken[];
  /** The assets that a deposit has named, with their receivers. */
  readonly deposits: DraftDeposit[];
}

/** An asset that a sequence deposits in a vault. */
export interface DraftDeposit {
  readonly asset: DraftAsset;
  /** The share token that is issued against it. */
  readonly share: DraftToken;
  /** The receivers of the shares. */
  readonly receivers: readonly ExploringActor[];
}

/** A sequence that is being generated: its steps, and what they create. It knows no rule of the service, only which calls may be worth a try. */
export class Draft {
  /** The random numbers that decide every choice. */
  readonly dice: Dice;
  /** The asset types of the app; empty if it has none. */
  readonly assetTypes: readonly ExploredAssetType[];
  /** The calls so far, in order. */
  readonly steps: ExploredStep[] = [];
  /** The tokens so far, in the order of their creation. */
  readonly tokens: DraftToken[] = [];
  /** The assets so far, in the order of their creation. */
  readonly assets: DraftAsset[] = [];
  /** The transfer requests so far, in order. */
  readonly transfers: DraftRequest[] = [];
  /** The approval requests so far, in order. */
  readonly approvals: DraftRequest[] = [];
  /** The vaults so far, in the order of their creation. */
  readonly vaults: DraftVault[] = [];
  /** Which operator was named for which owner. */
  readonly operators: { readonly owner: ExploringActor; readonly operator: ExploringActor }[] = [];

  constructor(dice: Dice, assetTypes: readonly ExploredAssetType[]) {
    this.dice = dice;
    this.assetTypes = assetTypes;
  }

  /** Adds a call at the end of the sequence. */
  add(uses: LedgerOperation, as: ExploringActor, input: JsonObject): void {
    this.steps.push({ id: this.#nextId(uses), as, uses, with: input });
  }

  /** Adds the call that a maker makes, if it makes one now. */
  make(uses: LedgerOperation, maker: Maker): void {
    const call = typeof maker === "string" ? undefined : maker(this, this.#nextId(uses));
    if (call !== undefined) this.add(uses, call.as, call.with);
  }

  #nextId(uses: LedgerOperation): string {
    const word = (uses.split(".").at(-1) ?? "").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return `${word}${this.steps.length + 1}`;
  }

  /** Returns a call about a random one of the items; `undefined` if there is none. */
  forOne<T>(items: readonly T[], callFor: (item: T) => DraftCall | undefined): DraftCall | undefined {
    return items.length === 0 ? undefined : callFor(this.dice.pick(items));
  }

  /** Returns a random actor. */
  anybody(): ExploringActor {
    return this.dice.pick(ACTORS);
  }

  /** Usually returns the actor who may make the call, sometimes any actor. */
  mostly(actor: ExploringActor): ExploringActor {
    return this.dice.chance(0.75) ? actor : this.anybody();
  }

  /** Usually returns a pair that was used before. */
  operatorOf(): Draft["operators"][number] {
    const { operators, dice } = this;
    return operators.length > 0 && dice.chance(0.7) ? dice.pick(operators) : { owner: this.anybody(), operator: this.anybody() };
  }

  /** Usually returns a holder of the token. */
  holder({ holders }: DraftToken): ExploringActor {
    return holders.length > 0 && this.dice.chance(0.8) ? this.dice.pick(holders) : this.anybody();
  }

  /** Returns one or more random actors, each at most once. */
  some(): readonly ExploringActor[] {
    const chosen = ACTORS.filter(() => this.dice.chance(0.5));
    return chosen.length === 0 ? [this.anybody()] : chosen;
  }

  /** Returns an amount at which rules are likely to be wrong. */
  amount(token: DraftToken | undefined): Decimal {
    const { cap, amounts = [] } = token ?? {};
    if (amounts.length > 0 && this.dice.chance(0.5)) return this.dice.pick(amounts);
    // A free field keeps the form of a number, so the playbook must write it as a number.
    const large = token === undefined ? [] : [BIG, BIG];
    const near = cap === undefined ? [] : [cap, cap, Decimal.fromJsonSource(cap).plus(Decimal.fromJsonSource("0.01")).text];
    const amount = Decimal.fromJsonSource(this.dice.pick(["1", "1", "2", "5", "10", "0.5", "33.33", "0.001", ...large, ...near]));
    amounts.push(amount);
    return amount;
  }
}

/** Returns the entity of an actor as a playbook refers to it. */
export function entityOf(actor: ExploringActor): string {
  return `\${{ actors.${actor} }}`;
}

/** Returns a value from an earlier step as a playbook refers to it. */
export function given(step: string, name = "id"): string {
  return `\${{ steps.${step}.${name} }}`;
}

/** A call of an operation that is already chosen. */
export type DraftCall = Pick<ExploredStep, "as" | "with">;

/**
 * Makes a call of one operation, if the sequence has what the call needs; `step` is the id of its step. A text says why the explorer never makes this call.
 */
export type Maker = ((draft: Draft, step: string) => DraftCall | undefined) | string;
