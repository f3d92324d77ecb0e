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

/** The options of the service. */
export interface ServiceOptions {
  /** The clock for the time of each call. */
  readonly clock: Clock;
  /** The settings of a deployment of the service. */
  readonly profile: Profile;
  /** The dialect of the service. Missing settings have their usual value. */
  readonly dialect?: Partial<Dialect> | undefined;
  /** How long a ledger write stays pending. */
  readonly commitDelayMs: number;
  /** Aborted when the service closes. Writes then stop waiting for their commit. */
  readonly closing: AbortSignal;
  /** The rules of a ledger with a bug that a test must find. If left out, the correct rules. */
  readonly rules?: LedgerRules | undefined;
}

/** The service without its HTTP server: both interfaces, and the order of the ledger's writes. */
export interface ServiceParts {
  /** The settings that were fixed when the file was created. */
  readonly settings: Settings;
  /** The order of all ledger writes. */
  readonly chain: Chain;
  /** Earlier moments of the service, if they are recorded. */
  readonly past: Past;
  /** Runs a read as of `ms` milliseconds ago. The read must be synchronous. */
  readonly ago: <T>(ms: number, read: () => T) => T;
  /** Both interfaces. */
  readonly faces: Faces;
}

/** Opens the service whose state is in a filled database. */
export function openService(database: Database, options: ServiceOptions): ServiceParts {
  const { clock, profile, commitDelayMs, closing, rules = LEDGER_RULES } = options;
  const dialect = { ...USUAL_DIALECT, ...options.dialect };
  const settings = readSettings(database);
  const past = new Past(database, clock);
  const { writes } = rules;
  const chain = new Chain({ database, past, profile: profile.ledger, dialect, settings, commitDelayMs, writes });
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
