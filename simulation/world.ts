import { Failure } from "../src/base/failure.ts";
import { Secret } from "../src/base/secret.ts";
import type { Clock } from "../src/base/ports.ts";
import { DEFAULT_PROFILE } from "../src/contract/profile.ts";
import { secretsOf, type Target } from "../src/environment/target.ts";
import { NO_SECRETS, type Secrets } from "../src/playbook/settings/open-secrets.ts";
import { JournalStore } from "../src/journal/store.ts";
import { DEFAULT_SEED } from "../src/sandbox/seed/default.ts";
import { NO_BUG, type Planted } from "./bugs.ts";
import { SimulatedDisk } from "./disk.ts";
import type { KeptAnswers } from "./network.ts";
import { SIMULATED_KEYS, SimulatedService } from "./service.ts";
import { SimulatedLiveness } from "./liveness.ts";
import { SimulatedTail } from "./tail.ts";
import { VirtualTime } from "./time.ts";

const ADDRESS = "http://service.simulated";
const TIMEOUT_MS = 30_000;

/** The environment of the simulated runs. */
export const TARGET: Omit<Target, "settleWithinMs" | "readLagMs"> = {
  environment: "simulated",
  embedded: false,
  ledger: {
    baseUrl: ADDRESS,
    settings: { appId: DEFAULT_SEED.appId, orgId: DEFAULT_SEED.orgId },
    apiKey: new Secret("LEDGER_KEY", SIMULATED_KEYS.ledger),
  },
  investor: {
    baseUrl: ADDRESS,
    credentials: new Map([["BUYER_KEY", new Secret("BUYER_KEY", SIMULATED_KEYS.buyer)]]),
  },
  profile: DEFAULT_PROFILE,
  exclusive: true,
  protected: false,
  timeoutMs: TIMEOUT_MS,
  whereIs: (setting) => `the simulation (${setting})`,
};

/** The secrets to mask. */
export const SECRETS: Secrets = NO_SECRETS.with(secretsOf({ ...TARGET, settleWithinMs: undefined, readLagMs: undefined }));

/** No schedule has a comparison, so no drift is recorded. */
export function nothingToCompare(): never {
  throw new Failure({ code: "simulation.compares", message: "no schedule has a comparison" });
}

/** What outlives processes: time, the service, the disk. Created once, and reset for each schedule. */
export class World {
  readonly bug: Planted;
  readonly time: VirtualTime = new VirtualTime();
  readonly disk: SimulatedDisk;
  readonly store: JournalStore;
  readonly service: SimulatedService;
  /** The answers to the writes of the earlier run. */
  earlier: KeptAnswers | undefined;
  readonly liveness: SimulatedLiveness;
  readonly #tail: SimulatedTail | undefined;
  #skewMs = 0;

  /** A world with the real code, or with a planted bug. */
  constructor(bug: Planted = NO_BUG) {
    this.bug = bug;
    this.disk = bug.disk?.() ?? new SimulatedDisk();
    const skewed: Clock = {
      now: () => this.time.elapsed() + this.#skewMs,
      elapsed: () => this.time.elapsed(),
      uptime: () => this.time.uptime(),
      sleep: (ms, signal) => this.time.sleep(ms, signal),
    };
    this.service = new SimulatedService(skewed);
    this.liveness = bug.liveness?.() ?? new SimulatedLiveness();
    // A flawed disk also forgets what is in the tail.
    this.#tail = bug.disk !== undefined || bug.hasNoTail === true ? undefined : new SimulatedTail();
    const ports = {
      tail: this.#tail,
      clock: this.time,
      redact: (text: string) => text,
      inNextTurn: (work: () => void) => work(),
    };
    this.store = JournalStore.over(this.disk, { ...ports, liveness: this.liveness });
  }

  /** Keeps the present state as the beginning of each schedule: a run of the day before, with these answers. */
  keep(earlier: KeptAnswers): void {
    this.earlier = earlier;
    this.disk.keepRuns();
    this.service.keep();
  }

  /**
   * Returns to the beginning, or to a time before it, with the service's clock ahead of the runner's by `skewMs`. With `past`, reads may show
   * earlier moments.
   */
  renew({ skewMs, past, beforeMs = 0 }: { readonly skewMs: number; readonly past: boolean; readonly beforeMs?: number }): void {
    this.#skewMs = skewMs;
    this.time.reset(beforeMs);
    this.disk.reset();
    this.liveness.reset();
    this.#tail?.reset();
    this.service.reset(past);
  }
}
