import type { Clock } from "../base/ports.ts";
import type { Profile } from "../contract/profile.ts";
import type { Database } from "../sqlite/database.ts";
import { type Dialect, USUAL_DIALECT } from "./dialect.ts";
import type { Faces } from "./http/face.ts";
import { InvestorFace } from "./http/investor-face.ts";
import { LedgerFace } from "./http/ledger-face.ts";
import { Chain } from "./ledger/chain.ts";
import { LEDGER_RULES, type LedgerRules } from "./ledger/operations.ts";
import { Past } from "./store/past.ts";
import { readSettings, type Settings } from "./store/settings.ts";
import { World } from "./store/world.ts";

/** How the service behaves. */
export interface ServiceOptions {
  /** Gives the time of each call. */
  readonly clock: Clock;
  /** What a deployment of the service decides. */
  readonly profile: Profile;
  /** How the service speaks; what is left out is as usual. */
  readonly dialect?: Partial<Dialect> | undefined;
  /** How long a ledger write stays pending. */
  readonly commitDelayMs: number;
  /** Aborted when the service closes: writes then stop waiting for their commit. */
  readonly closing: AbortSignal;
  /** How the ledger works, when it is not as it is meant: with a bug that something else must find. */
  readonly rules?: LedgerRules | undefined;
}

/** The service without the server that puts it on a port: both interfaces, and the order of the ledger's writes. */
export interface ServiceParts {
  /** What was fixed when the file was made. */
  readonly settings: Settings;
  /** The order of all ledger writes. */
  readonly chain: Chain;
  /** Earlier moments of the service, once they are kept. */
  readonly past: Past;
  /** Reads as the service was so long ago. The work must not wait for anything. */
  readonly ago: <T>(ms: number, read: () => T) => T;
  /** Both interfaces. */
  readonly faces: Faces;
}

/** The service whose state lies in a filled database. */
export function openService(database: Database, options: ServiceOptions): ServiceParts {
  const { clock, profile, commitDelayMs, closing, rules = LEDGER_RULES } = options;
  const dialect = { ...USUAL_DIALECT, ...options.dialect };
  const settings = readSettings(database);
  const past = new Past(database, clock);
  const { writes } = rules;
  const chain = new Chain({ database, past, profile: profile.ledger, accepts: dialect.accepts, settings, commitDelayMs, writes });
  const { conditionStatus, successStatus, numbers, booleans } = profile;
  const speech = { numbers, booleans, dialect };
  const common = { world: new World(database), clock, settings, conditionStatus, successStatus, speech };
  const ledger = new LedgerFace({ ...common, chain, rules, profile: profile.ledger, closing });
  const investor = new InvestorFace({ ...common, database, profile: profile.investor });
  const ago = <T>(ms: number, read: () => T): T => {
    chain.advance(clock.now());
    return past.ago(ms, read);
  };
  return { settings, chain, past, ago, faces: { ledger, investor } };
}
