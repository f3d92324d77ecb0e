import type { Dice } from "../src/base/numbers/dice.ts";
import type { Outgoing } from "../src/transport/exchange.ts";

/** One way in which a service may differ from the sandbox, because the service description leaves it open. */
export interface Variety {
  /** What such a service does, in words. */
  readonly name: string;
  /** The share of the schedules in which the service is so. */
  readonly share: number;
  /** Returns what such a service answers to a read, where the sandbox answers this. */
  readonly read?: (text: string, outgoing: Pick<Outgoing, "path">) => string;
}

/** In the order in which they are drawn: a new one comes last. */
export const VARIETIES: readonly Variety[] = [
  {
    name: "null in optional fields",
    share: 0.2,
    read: (text) => text.replaceAll(/"(createdAt|message|comment|symbol)":"[^"]*"/g, '"$1":null'),
  },
  {
    name: "token transactions with ids of their own",
    share: 0.5,
    read: (text) => text.replaceAll(/"docType":"tkntx","id":"/g, "$&of-the-token-"),
  },
];

/** Draws which of these varieties the service has. */
export function drawVarieties(dice: Dice, among: readonly Variety[]): readonly Variety[] {
  return among.filter(({ share }) => dice.chance(share));
}
