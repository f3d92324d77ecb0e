import type { EffectClass } from "../src/services/meaning.ts";
import type { Dice } from "../src/base/numbers/dice.ts";

/** A step of a simulated playbook. */
export interface SimulatedStep {
  readonly id: string;
  /** The YAML text of the step. */
  readonly text: string;
  /** What a second request of its write would do; `refused` if the service must refuse it, `read` if the step writes nothing. */
  readonly effect: EffectClass | "refused";
  /** The addresses of its writes: its own, or those of its rounds. */
  readonly writes: readonly string[];
  /** The ids of the steps without which the service would refuse it. */
  readonly needs: readonly string[];
  /** What an absolute write sets. The last of several writes that set the same thing must win. */
  readonly sets?: string;
  /** The value that it leaves, if this can be the same as before; for rounds, the value of each, in order. */
  readonly leaves?: string | readonly string[];
  /** Whether it passes once its write is acknowledged; the write may take effect later. */
  readonly isUnawaited?: true;
}

/** The value before any step has set it. */
export const AT_FIRST = "";

export interface Coin {
  /** Its name, or the step that creates it. */
  readonly of: string;
  /** Its id as a playbook writes it. */
  readonly id: string;
  /** Whether others mint it too, so that its supply is unknown. */
  readonly isShared?: true;
  supply: number;
  /** Bob's balance. */
  bob: number;
  readonly mints: string[];
}

/** The id of the coin that exists before any run. */
export const SHARED = "SharedCoin";

export interface Asset {
  readonly step: string;
  readonly id: string;
}

// Shorter than people would choose, because each look takes the simulation time.
const WAIT = "    wait: { timeout: 3s }\n";
const UNAWAITED = "    wait: none\n";

/** Returns the same step without waiting for the effect of its write. */
export function unawaited(step: SimulatedStep): SimulatedStep {
  return { ...step, text: step.text.replace(WAIT, UNAWAITED), isUnawaited: true };
}

export interface DraftOptions {
  readonly whose?: string;
  readonly sharesCoin?: boolean;
}

/** The playbook so far, with the things to which it can write. */
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

  /** `whose` is the beginning of its steps' names. With `sharesCoin` it writes to the coin that exists before any run. */
  constructor(dice: Dice, { whose = "", sharesCoin = false }: DraftOptions = {}) {
    this.dice = dice;
    this.#whose = whose;
    if (sharesCoin) this.coins.push({ of: SHARED, id: SHARED, isShared: true, supply: 0, bob: 0, mints: [] });
  }

  /** Returns a name that no other step has. */
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
