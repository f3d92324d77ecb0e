import { type Advice } from "../../base/command-line.ts";
import type { Consent } from "../../engine/run/consent.ts";
import { type Shell, userOf } from "../shell.ts";

/** The option with which a person consents in advance to writes in a protected environment. */
export interface ConsentOption {
  /** Consents to writes in a protected environment. */
  readonly yes?: boolean;
}

/** Returns the consent that `--yes` gives. Without `--yes`, returns `how`, the commands with which a person consents. */
export function consentBefore(shell: Shell, { yes }: ConsentOption, how: Advice): Consent {
  return yes === true ? { confirmed: { who: userOf(shell), how: "yes" } } : { how };
}
