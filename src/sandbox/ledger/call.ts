import type { Json } from "../../base/json/json.ts";
import type { LedgerProfile } from "../../contract/profile.ts";
import { isoTime } from "../../base/time/date.ts";
import type { Dialect } from "../dialect.ts";
import type { Params } from "../params.ts";
import type { StoredEntity, Stamps } from "../store/ledger-resources.ts";
import type { Resources } from "../store/resources.ts";
import type { Settings } from "../store/settings.ts";
import type { World } from "../store/world.ts";

/** What every ledger operation receives: the caller, the request, the time, and the current ledger. */
export interface LedgerCall<Body = undefined> {
  /** The resources in the file. */
  readonly world: World;
  /** The settings of the ledger interface. */
  readonly profile: LedgerProfile;
  /** The settings that were fixed when the file was created. */
  readonly settings: Settings;
  /** The acting entity: the one that the call names, or else the ledger entity. */
  readonly actor: StoredEntity;
  /** Virtual milliseconds since the Unix epoch. */
  readonly now: number;
  /** Parameters by their names in the contract; empty when a write is committed. */
  readonly params: Params;
  /** The body, already checked against the contract's schema; undefined for a call without a body. */
  readonly body: Body;
  /** How the ledger behaves where the profile has no setting. */
  readonly dialect: Dialect;
}

/** A write when it becomes part of the ledger. */
export interface Commit<Body> extends LedgerCall<Body> {
  /** The id of the ledger transaction: 64 hexadecimal digits. */
  readonly transactionId: string;
}

/** Returns the stamps of a resource that this commit creates. */
export function created(commit: Commit<unknown>): Stamps {
  return { createdAt: isoTime(commit.now), createdBy: commit.actor, ...updated(commit) };
}

/** Returns the stamps of a resource that this commit changes. */
export function updated(commit: Commit<unknown>): Pick<Stamps, "updatedAt" | "updatedBy"> {
  return { updatedAt: isoTime(commit.now), updatedBy: commit.actor };
}

type Remembered = "asset" | "transfer" | "approval";

/** What this commit did to a resource, and its value afterwards. */
interface ResourceChange<T> {
  readonly key: string;
  /** What the commit did to the resource. */
  readonly type: "CREATED" | "UPDATED" | "DELETED";
  /** The resource after the change. For a deletion, its last value. */
  readonly value: T;
}

/** Adds a change to the history of the resource. The misspelt field name is the service's own. */
export function remember<K extends Remembered>(
  commit: Commit<unknown>,
  kind: K,
  { key, type, value }: ResourceChange<Resources[K]>,
): void {
  const { transactionId, now } = commit;
  commit.world.remember(kind, key, { ...value, trasactionType: type, transactionId, transactionTime: isoTime(now) });
}

/** The resource after each transaction, the oldest first. */
export interface ResourceHistory {
  /** The id of the resource, as callers know it. */
  readonly id: string;
  /** How many records there are. */
  readonly count: number;
  /** The resource after each transaction, the oldest first. */
  readonly records: readonly Json[];
}

/** Returns the history of a resource as the service answers it. */
export function historyOf(
  call: LedgerCall,
  kind: Remembered,
  { key, id }: { readonly key: string; readonly id: string },
): ResourceHistory {
  const records = call.world.history(kind, key);
  return { id, count: records.length, records };
}
