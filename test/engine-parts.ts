// What a run of the engine needs beside a playbook, where no command line makes it: for tests, benches and the conformance cases.
import type { Clock } from "../src/base/ports.ts";
import { Secret } from "../src/base/secret.ts";
import { DEFAULT_PROFILE, type Profile } from "../src/contract/profile.ts";
import type { Target } from "../src/environment/target.ts";

/** Both interfaces at one address. */
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

/** A clock that begins at a time, and moves only while somebody sleeps. */
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

/** The same for an answer of so many bytes that it takes a while on a busy machine. */
export function patientTargetAt(url: string): Target {
  return { ...targetAt(url), timeoutMs: 120_000 };
}
