import { type Advice } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import type { Target } from "../../environment/target.ts";
import type { Playbook } from "../../playbook/model.ts";
import { hasWrites } from "../../playbook/playbook-walk.ts";
import type { Confirmation } from "../../protocol/record.ts";

/** A person's consent to the writes of a run in a protected environment or, without it, the commands by which a person gives it. */
export type Consent =
  | {
      readonly confirmed: Confirmation;
      /** Called in the transaction that opens a run by this consent, if it counts once. Throws a Failure if it was used before. */
      readonly use?: (runId: string) => void;
    }
  | { readonly how: Advice };

/** Returns the confirmation that a record keeps. */
export function confirmedIn(consent: Consent | undefined): { readonly confirmed?: Confirmation } {
  return consent !== undefined && "confirmed" in consent ? { confirmed: consent.confirmed } : {};
}

/** Throws a Failure if the playbook writes to a protected environment and nobody has consented. A caller that passes no consent is refused. */
export function assertConsent(playbook: Playbook, target: Target, consent: Consent | undefined): void {
  if (!target.protected || confirmedIn(consent).confirmed !== undefined || !hasWrites(playbook.steps)) return;
  throw new Failure({
    code: "environment.protected",
    message: `the environment "${target.environment}" is protected, and nobody has confirmed what ${playbook.file} writes there`,
    why: `${target.whereIs("protected")} asks for a person's consent; nothing was sent`,
    next: consent !== undefined && "how" in consent ? consent.how : "consent yourself: repeat the command with --yes",
  });
}
