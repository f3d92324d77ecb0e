import type { Confirmation } from "../../protocol/record.ts";
import { type Shell, userOf } from "../shell.ts";

/** The option by which a person consents in advance to what is written in a protected environment. */
export interface ConsentOption {
  /** Consents to what is written in a protected environment. */
  readonly yes?: boolean;
}

/** Returns the consent that `--yes` gives; nothing without it. */
export function saidYes(shell: Shell, { yes }: ConsentOption): Confirmation | undefined {
  return yes === true ? { who: userOf(shell), how: "yes" } : undefined;
}
