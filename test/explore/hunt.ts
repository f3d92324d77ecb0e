import { systemClock } from "../../src/base/ports.ts";
import { DEFAULT_PROFILE } from "../../src/contract/profile.ts";
import { sandboxTarget } from "../../src/cli/project/open-target.ts";
import type { Carry } from "../../src/explore/ask.ts";
import { type Explorations, explore, type ExploringOptions } from "../../src/explore/explore.ts";
import { openService } from "../../src/explore/service.ts";
import { LEDGER_RULES, type LedgerRules } from "../../src/sandbox/ledger/operations.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { Transport } from "../../src/transport/exchange.ts";
import type { Flaw } from "./flaws.ts";

/** Starts a sandbox with a bug, served over TCP. */
export async function brokenSandbox(flaw?: Flaw, seed = {}): Promise<Sandbox> {
  const rules = flaw === undefined ? {} : { rules: flaw(LEDGER_RULES) };
  return startSandbox({ path: ":memory:", commitDelayMs: 0, seed, ...rules });
}

/** Explores a sandbox. */
export async function exploreSandbox(
  sandbox: Sandbox,
  given: Partial<ExploringOptions> & { readonly referenceRules?: LedgerRules; readonly spoil?: (carry: Carry) => Carry } = {},
): Promise<Explorations> {
  const { referenceRules, spoil = (carry) => carry, ...options } = given;
  const transport = new Transport();
  const target = sandboxTarget(sandbox, { environment: "sandbox", profile: DEFAULT_PROFILE });
  try {
    const service = await openService(target, { exchange: transport.exchange.bind(transport), clock: systemClock });
    return await explore(
      { ...service, carry: spoil(service.carry), isOwn: true, ...(referenceRules === undefined ? {} : { referenceRules }) },
      {
        seed: 1,
        sequences: 100_000,
        timeMs: 120_000,
        findings: 1,
        prefix: "x",
        clock: systemClock,
        stopping: new AbortController().signal,
        onFound: () => {},
        ...options,
      },
    );
  } finally {
    await transport.close();
  }
}
