import { secretsOf, type Target } from "../../environment/target.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import { standInFor } from "../../playbook/settings/stand-in.ts";

/**
 * The secrets of playbooks as a target is given them, with its own, which are masked too. A sandbox inside of us keeps what it is sent in a file beside the
 * journal: it is given stand-ins, by its key.
 */
export function secretsGivenTo(target: Target, secrets: Secrets): Secrets {
  const known = secretsOf(target);
  const [first] = known;
  if (!target.embedded || first === undefined) return secrets.with(known);
  const key = first.reveal();
  return secrets.disguised((secret) => standInFor(secret, key)).with([...secrets.all, ...known]);
}
