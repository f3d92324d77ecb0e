// What the engine needs beside a playbook to run without a command line: for tests, benches and the conformance cases.
import type { Clock } from "../src/base/ports.ts";
import { Secret } from "../src/base/secret.ts";
import { DEFAULT_PROFILE, type Profile } from "../src/contract/profile.ts";
import type { Target } from "../src/environment/target.ts";

/** Makes a target that has both interfaces at one address. */
export function targetAt(url: string, profile: Profile = DEFAULT_PROFILE): Target {
  return {
    environment: "test",
    embedded: false,
    ledger: { baseUrl: url, settings: { appId: "app1", orgId: "org1" }, apiKey: new Secret("LEDGER_KEY", "ledger-key-1") },
    investor: { baseUrl: url, credentials: new Map([["BUYER_KEY", new Secret("BUYER_KEY", "buyer-key-1")]]) },
    profile,
    exclusive: true,
    protected: false,
    settleWithinMs: undefined,
    readLagMs: undefined,
    timeoutMs: 10_000,
    whereIs: (setting) => `tokenbook.yaml (${setting})`,
  };
}

/** Makes a clock that starts at a fixed time and moves only while somebody sleeps. */
export function clockWithoutWaiting(): Clock {
  let passed = 0;
  return {
    now: () => 1_780_000_000_000 + passed,
    elapsed: () => passed,
    uptime: () => ({ boot: "the only one", ms: passed }),
    sleep: async (ms) => {
      passed += Math.ceil(ms);
    },
  };
}

/** Makes the same target, but with a longer timeout, for an answer so large that a busy machine needs a while to read it. */
export function patientTargetAt(url: string): Target {
  return { ...targetAt(url), timeoutMs: 120_000 };
}
