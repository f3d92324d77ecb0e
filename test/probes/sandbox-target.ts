import { Secret } from "../../src/base/secret.ts";
import type { Target } from "../../src/environment/target.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { targetAt } from "../engine-parts.ts";

/** Returns a target for a sandbox in this process. */
export function targetOf(sandbox: Sandbox): Target {
  const { ledgerBaseUrl, investorBaseUrl, appId, orgId, ledgerApiKey, credentials } = sandbox;
  return {
    ...targetAt(ledgerBaseUrl),
    ledger: { baseUrl: ledgerBaseUrl, settings: { appId, orgId }, apiKey: new Secret("LEDGER_KEY", ledgerApiKey) },
    investor: {
      baseUrl: investorBaseUrl,
      credentials: new Map(Object.entries(credentials).map(([name, key]) => [name, new Secret(name, key)])),
    },
  };
}
