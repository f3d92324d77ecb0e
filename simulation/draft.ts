import type { EffectClass } from "../src/services/meaning.ts";
import type { Dice } from "../src/base/numbers/dice.ts";

/** A step of a simulated playbook. */
export interface SimulatedStep {
  readonly id: string;
  /** As it is written. */
  readonly text: string;
  /** What a second request of its write would do; `refused` when the service must refuse it, `read` when it writes nothing. */
  readonly effect: EffectClass | "refused";
  /** The addresses of its writes: its own, or those of its rounds. */
  readonly writes: readonly string[];
  /** The ids of the steps without which it would be refused. */
  readonly needs: readonly string[];
  /** What an absolute write sets. The last of several writes that set the same must win. */
  readonly sets?: string;
  /** What it leaves there, where that can be the same as before; what each of its rounds does, in their order. */
  readonly leaves?: string | readonly string[];
  /** It passes when its write is acknowledged, which may take effect later. */
  readonly isUnawaited?: true;
}

/** What is there before any step has set it: nobody, and nothing. */
export const AT_FIRST = "";

export interface Coin {
  /** Its name, or the step that makes it. */
  readonly of: string;
  /** Its id, as a playbook writes it. */
  readonly id: string;
  /** Others mint it too, so its supply is not known. */
  readonly isShared?: true;
  supply: number;
  /** What bob holds of it. */
  bob: number;
  readonly mints: string[];
}

/** The id of the coin that is there before any run. */
export const SHARED = "SharedCoin";

export interface Asset {
  readonly step: string;
  readonly id: string;
}

// Shorter than people would have it: each look takes the simulation its time.
const WAIT = "    wait: { timeout: 3s }\n";
const UNAWAITED = "    wait: none\n";

/** The same step, which does not wait for what its write does. */
export function unawaited(step: SimulatedStep): SimulatedStep {
  return { ...step, text: step.text.replace(WAIT, UNAWAITED), isUnawaited: true };
}

export interface DraftOptions {
  readonly whose?: string;
  readonly sharesCoin?: boolean;
}

/** The playbook so far: what there is to write to. */
export class Draft {
  readonly dice: Dice;
  readonly steps: SimulatedStep[] = [];
  readonly coins: Coin[] = [];
  readonly seats: {
    readonly step: string;
    readonly key: string;
    readonly units: { readonly id: string; readonly step: string }[];
  }[] = [];
  readonly assets: Asset[] = [];
  readonly transfers: { readonly step: string; readonly voters: string[] }[] = [];
  readonly questions: { readonly step: string; readonly voters: string[] }[] = [];
  readonly vaults: { readonly step: string }[] = [];
  readonly deposits: { readonly step: string; readonly vault: string; readonly asset: Asset; readonly hasShares: boolean }[] = [];

  readonly #whose: string;

  /** `whose`: what the names of its steps begin with. `sharesCoin`: it writes to the coin that is there before any run. */
  constructor(dice: Dice, { whose = "", sharesCoin = false }: DraftOptions = {}) {
    this.dice = dice;
    this.#whose = whose;
    if (sharesCoin) this.coins.push({ of: SHARED, id: SHARED, isShared: true, supply: 0, bob: 0, mints: [] });
  }

  /** A name that no other step has. */
  name(word: string): string {
    return `${this.#whose}${word}${this.steps.length + 1}`;
  }

  add(step: Partial<SimulatedStep> & Pick<SimulatedStep, "id" | "text" | "effect">): void {
    const writes = step.effect === "read" ? [] : [step.id];
    const needs = [...step.text.matchAll(/steps\.(\w+)/g)].map(([, name = ""]) => name);
    const text = step.effect === "read" ? step.text : `${step.text}${WAIT}`;
    this.steps.push({ writes, ...step, text, needs: [...new Set([...needs, ...(step.needs ?? [])])] });
  }
}
