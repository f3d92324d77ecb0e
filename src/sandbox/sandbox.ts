import { readyOrClosed } from "../base/ready-or-closed.ts";
import { command } from "../base/command-line.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { DEFAULT_PROFILE, type Profile } from "../contract/profile.ts";
import { Database } from "../sqlite/database.ts";
import type { Dialect } from "./dialect.ts";
import { FaultInjector } from "./faults/injector.ts";
import { readFaults, type FaultPlan } from "./faults/plan.ts";
import { addAboutRoutes } from "./http/about.ts";
import { addControlRoutes } from "./http/control.ts";
import { buildServer } from "./http/server.ts";
import type { LedgerRules } from "./ledger/operations.ts";
import { DEFAULT_SEED } from "./seed/default.ts";
import { plant } from "./seed/plant.ts";
import { readSeed } from "./seed/read.ts";
import type { Seed } from "./seed/seed.ts";
import { openService } from "./service.ts";
import { type Contents, readContents } from "./store/contents.ts";
import { type Settings, VirtualClock } from "./store/settings.ts";
import type { StoredEntity } from "./store/ledger-resources.ts";
import { migrate, SANDBOX } from "./store/tables.ts";
import { World } from "./store/world.ts";

export { type Dialect, readDialect } from "./dialect.ts";
export { readFaults, type Fault, type FaultPlan, type FaultRule } from "./faults/plan.ts";
export { readSeed } from "./seed/read.ts";
export { type SandboxDocument, WrongDocument } from "./shape.ts";
export type { Seed } from "./seed/seed.ts";
export type { Contents } from "./store/contents.ts";

const DEFAULT_COMMIT_DELAY_MS = 20;

/** The options of a sandbox. Only the file is required. */
export interface SandboxOptions {
  /** A SQLite file, or `:memory:`. */
  readonly path: string;
  /** The port. The default, 0, means any free port. */
  readonly port?: number;
  /** The address that it listens on. The default is 127.0.0.1. */
  readonly host?: string;
  /** The names that requests may use for it, besides those of the loopback interface. Requests with other names are refused. */
  readonly names?: readonly string[];
  /** The settings of a deployment of the service, such as page sizes. If left out, the default profile. */
  readonly profile?: Profile;
  /** The dialect. Missing settings have their usual value. */
  readonly dialect?: Partial<Dialect>;
  /** Fills the file if it is empty, and otherwise has no effect. Missing parts come from the default seed. */
  readonly seed?: Partial<Seed>;
  /** What goes wrong. The plan can be replaced while the sandbox runs. */
  readonly faults?: FaultPlan;
  /** How long a ledger write stays pending. */
  readonly commitDelayMs?: number;
  /** The rules of a ledger with a bug, for tests of the code that must find it. No command can set it. */
  readonly rules?: LedgerRules;
}

/** The address of a running sandbox, and its keys. */
export interface RunningSandbox extends Pick<Settings, "appId" | "orgId" | "ledgerApiKey" | "credentials"> {
  /** The address of the ledger's interface, without a path. */
  readonly ledgerBaseUrl: string;
  /** The address of the investors' interface, without a path. */
  readonly investorBaseUrl: string;
  /** The entity that acts if a ledger call names none, such as `userId:admin`; null unless it has exactly one attribute. */
  readonly keyEntity: string | null;
}

/** A running sandbox. */
export interface Sandbox extends RunningSandbox {
  /** Whether the file was empty and was filled with the seed. */
  readonly isNew: boolean;
  /** The names of the credentials that the service refuses, for tests of refusals. */
  readonly revoked: readonly string[];
  /** Settles every pending write, whenever its time would have come, and returns the whole content. */
  contents(): Contents;
  /** Stops serving. Pending writes stay in the file and are committed when it is served again. */
  close(): Promise<void>;
}

/**
 * Serves both interfaces on one port from one file. Several processes may serve the same file, and a process that is killed loses nothing that it has
 * acknowledged. Throws a Failure if the seed or the fault plan is wrong, if the seed breaks a rule of the service, or if the port is taken.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const faults = new FaultInjector(options.faults === undefined ? [] : readFaults(options.faults));
  const { database, isNew } = openFilled(options);
  const closing = new AbortController();
  const {
    port = 0,
    host = "127.0.0.1",
    names = [],
    profile = DEFAULT_PROFILE,
    commitDelayMs = DEFAULT_COMMIT_DELAY_MS,
  } = options;
  const clock = new VirtualClock(database);
  const { settings, chain, past, ago, faces } = openService(database, {
    clock,
    profile,
    dialect: options.dialect,
    commitDelayMs,
    closing: closing.signal,
    rules: options.rules,
  });
  past.keep(faults.needsPast);
  const app = buildServer({ faces, clock, faults, ago, closing: closing.signal, names: [...names, host] });
  addControlRoutes(app, { database, chain, clock, faults, settings, past });
  addAboutRoutes(app, { faces, database, chain, clock, settings, profile });
  const url = await app.listen({ port, host }).catch((error: unknown) => {
    database.close();
    throw cannotListen(port, error);
  });
  const { appId, orgId, ledgerApiKey, ledgerEntity, credentials } = settings;
  const contents = (): Contents => {
    chain.advance(Number.MAX_SAFE_INTEGER);
    return readContents(database);
  };
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    await app.close();
    database.close();
  };
  const keyEntity = entityText(ledgerEntity);
  const served: RunningSandbox = { ledgerBaseUrl: url, investorBaseUrl: url, appId, orgId, ledgerApiKey, keyEntity, credentials };
  return { ...served, isNew, revoked: revokedOf(database, credentials), contents, close: () => (closed ??= close()) };
}

function revokedOf(database: Database, credentials: Sandbox["credentials"]): readonly string[] {
  const world = new World(database);
  return Object.entries(credentials).flatMap(([name, key]) => (world.get("investor", key)?.revoked === true ? [name] : []));
}

function entityText(entity: StoredEntity): string | null {
  const [named, ...more] = Object.entries(entity).filter(([attribute]) => attribute !== "orgId");
  return named === undefined || more.length > 0 ? null : named.join(":");
}

function cannotListen(port: number, error: unknown): Failure {
  return new Failure({
    code: "sandbox.cannot-listen",
    message: `the sandbox cannot be served on port ${port}: ${messageOf(error)}`,
    next: ["take any port that is free:", command`sandbox --port 0`],
  });
}

function openFilled({ path, seed, profile = DEFAULT_PROFILE }: SandboxOptions): { database: Database; isNew: boolean } {
  let isNew = false;
  const database = readyOrClosed(Database.open(path, SANDBOX), (opened) => {
    const planting = { profile: profile.ledger, now: Date.now() };
    migrate(opened, () => {
      plant(opened, seed === undefined ? DEFAULT_SEED : readSeed(seed), planting);
      isNew = true;
    });
  });
  return { database, isNew };
}
