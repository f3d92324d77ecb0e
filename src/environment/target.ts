import type { Profile } from "../contract/profile.ts";
import type { Secret } from "../base/secret.ts";
import { EMBEDDED_ADDRESS, type TargetHeading } from "../protocol/record.ts";

/** Where a playbook runs: addresses, identities and the profile, resolved. */
export interface Target {
  readonly environment: string;
  /** The sandbox of this process: its port changes from run to run. */
  readonly embedded: boolean;
  readonly ledger: LedgerTarget | undefined;
  readonly investor: InvestorTarget | undefined;
  readonly profile: Profile;
  /** Nobody else acts as these entities while we run. */
  readonly exclusive: boolean;
  /** After this time a write that cannot be seen had no effect, says the operator; `undefined`: nobody says so. */
  readonly settleWithinMs: number | undefined;
  /** How old the moment may be that a read shows, says the operator; `undefined`: nobody says so. */
  readonly readLagMs: number | undefined;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** How fast reads may be asked for; `undefined`: as fast as they come. */
  readonly pacing?: Pacing | undefined;
  /** Where a setting is written, for messages: `tokenbook.yaml:4 (environments.staging.ledger.apiKey)`. */
  readonly whereIs: (setting: string) => string;
}

/** What an interface allows of reads. */
export interface Pacing {
  readonly perSecond: number | undefined;
  readonly atOnce: number | undefined;
}

export interface LedgerTarget {
  readonly baseUrl: string;
  readonly appId: string;
  readonly orgId: string;
  readonly apiKey: Secret;
  /** The entity that the key itself stands for, such as `userId:alice`; `undefined` where nobody says. */
  readonly keyEntity?: string | undefined;
}

export interface InvestorTarget {
  readonly baseUrl: string;
  readonly credentials: ReadonlyMap<string, Secret>;
}

/** Every secret of a target, for the redactor. */
export function secretsOf({ ledger, investor }: Target): readonly Secret[] {
  return [...(ledger === undefined ? [] : [ledger.apiKey]), ...(investor?.credentials.values() ?? [])];
}

/** What the journal keeps of a target: enough to tell whether a resumed run acts in the same place. */
export function headingOf({ environment, embedded, ledger, investor }: Target): TargetHeading {
  const address = (side: { readonly baseUrl: string } | undefined): string | null =>
    side === undefined ? null : embedded ? EMBEDDED_ADDRESS : side.baseUrl;
  return {
    environment,
    ledger: address(ledger),
    appId: ledger?.appId ?? null,
    orgId: ledger?.orgId ?? null,
    investor: address(investor),
  };
}
