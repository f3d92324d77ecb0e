import { type Advice } from "../../base/command-line.ts";
import type { Consent } from "../../engine/run/consent.ts";
import { type Shell, userOf } from "../shell.ts";

/** The option by which a person consents in advance to what is written in a protected environment. */
export interface ConsentOption {
  /** Consents to what is written in a protected environment. */
  readonly yes?: boolean;
}

/** Returns the consent that `--yes` gives; without it, how a person gives it: commands to type. */
export function consentBefore(shell: Shell, { yes }: ConsentOption, how: Advice): Consent {
  return yes === true ? { confirmed: { who: userOf(shell), how: "yes" } } : { how };
}
