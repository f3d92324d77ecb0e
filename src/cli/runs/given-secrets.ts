import { secretsOf, type Target } from "../../environment/target.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import { standInFor } from "../../playbook/settings/stand-in.ts";

/**
 * Returns the secrets of playbooks as a target receives them, together with the target's own, so that all are masked. An embedded sandbox stores what it
 * receives in a file beside the journal, so it gets stand-ins that are derived from its key.
 */
export function secretsGivenTo(target: Target, secrets: Secrets): Secrets {
  const known = secretsOf(target);
  const [first] = known;
  if (!target.embedded || first === undefined) return secrets.with(known);
  const key = first.reveal();
  return secrets.disguised((secret) => standInFor(secret, key)).with([...secrets.all, ...known]);
}
