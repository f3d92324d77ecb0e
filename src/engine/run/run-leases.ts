import { formatDuration } from "../../base/time/duration.ts";
import { EXIT } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { isoTime } from "../../base/time/date.ts";
import { headingOf, placeOf, type Target } from "../../environment/target.ts";
import { spellHolder } from "../../journal/holder.ts";
import type { Claim, Lease, WantedLeases } from "../../journal/leases.ts";
import { releaseHint, runHeld } from "../../journal/failures.ts";
import type { JournalStore } from "../../journal/store.ts";
import { callsOf } from "../../playbook/playbook-walk.ts";
import { hasEntities } from "../../services/services.ts";
import { actingEntity, callerOf, credentialFor } from "../service/caller.ts";
import { type GivenToRun, groupsOf, type GroupWish } from "./concurrency-groups.ts";
import type { Call } from "../service/service.ts";
import { releaseSilent } from "./release-run.ts";
import type { RunParts } from "./run-parts.ts";

const PAUSE_MS = 250;

/**
 * Does the work while the run holds its groups and all acting entities that are known. The leases are taken together, before the first
 * request. A new run that needs none of them is claimed with its first record, so the work gets no claim. If the work fails, the remaining
 * leases are released. Throws a Failure (exit 6) that names the holder if someone else holds a lease.
 */
export async function withLeases<T>(
  parts: RunParts,
  about: GivenToRun & { readonly runId: string; readonly isNew: boolean },
  work: (claim: Claim | undefined) => Promise<T>,
): Promise<T> {
  const groups = groupsOf(parts.playbook, about);
  const wanted = { groups: groups.map(({ group }) => group), entities: entitiesOf(parts) };
  if (groups.length === 0 && wanted.entities.length === 0 && about.isNew) return work(undefined);
  const claim = await takeAll(parts, { runId: about.runId, groups, wanted });
  return releasingOnFailure(parts, claim, () => work(claim));
}

/** Does the work. If it fails, releases what the claim still holds. */
export async function releasingOnFailure<T>({ store }: RunParts, claim: Claim, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    tryToRelease(store, claim);
    throw error;
  }
}

// The failure of the work matters more than that of the journal.
function tryToRelease(store: JournalStore, claim: Claim): void {
  try {
    store.leases.release(claim, true);
  } catch {
    // `releaseAbandoned` releases it later, or the lease ends with this process
  }
}

/** Returns the name of the lease for a call's caller: the acting entity or the credential, and the address. */
export function leaseNameOf(target: Target, { operation: { service }, caller }: Pick<Call, "operation" | "caller">): string {
  const heading = headingOf(target);
  const [address, ...within] = placeOf(service).map((field) => heading[field] ?? "");
  const who = hasEntities(service)
    ? (actingEntity(service, caller, target) ?? "the key's own entity")
    : (credentialFor(service, caller) ?? "");
  return `${who} at ${address}${within.length === 0 ? "" : ` (${within.join(", ")})`}`;
}

// An acting entity from an expression is leased right before it acts.
function entitiesOf({ playbook, target }: RunParts): readonly string[] {
  if (!target.exclusive) return [];
  const writes = [...callsOf(playbook)].filter(({ operation, as }) => operation.writes && as?.kind !== "entity");
  return [...new Set(writes.map(({ operation, as }) => leaseNameOf(target, { operation, caller: callerOf(as, {}) })))].toSorted();
}

interface LeaseWish {
  readonly runId: string;
  readonly groups: readonly GroupWish[];
  readonly wanted: WantedLeases;
}

async function takeAll({ store, ports }: RunParts, { runId, groups, wanted }: LeaseWish): Promise<Claim> {
  const began = ports.clock.elapsed();
  let shown: Lease | undefined;
  for (;;) {
    const taken = store.leases.take(runId, wanted);
    if ("claim" in taken) return taken.claim;
    const lease = taken.inTheWay;
    if (lease.life === "silent") {
      await releaseSilent(store, lease.runId);
      continue;
    }
    const wish = groups.find(({ group }) => ports.secrets.redact(group) === lease.name);
    const leftMs = patienceMs(lease, wish) - (ports.clock.elapsed() - began);
    if (leftMs <= 0) throw held(lease, wish);
    if (shown?.name !== lease.name || shown.runId !== lease.runId) {
      const now = ports.clock.now();
      ports.observe({ kind: "run.waiting", for: spell(lease), untilMs: now + leftMs, at: now });
    }
    shown = lease;
    await ports.clock.sleep(Math.min(PAUSE_MS, leftMs), ports.stopping);
    if (ports.stopping.aborted) throw stopped(lease);
  }
}

// A run does not wait for a held run, which only its holder continues, nor for a process on another machine, whose end it cannot see.
function patienceMs({ kind, life }: Lease, wish: GroupWish | undefined): number {
  if (kind === "group") return wish?.waitMs ?? 0;
  return kind === "entity" && life === "alive" ? LIMITS.entityWaitMs : 0;
}

function spell({ kind, name, runId, holder, since }: Lease): string {
  const who = holder === undefined ? "no process" : spellHolder(holder);
  const what = kind === "group" ? `the group "${name}"` : name;
  return `${what}, which the run ${runId} holds (${who}, since ${isoTime(since)})`;
}

function held(lease: Lease, wish: GroupWish | undefined): Failure {
  if (lease.kind === "run") return runHeld(lease);
  const next = ["wait for that run to end, or stop its process; then try this run again", ...releaseHint(lease)];
  const exit = EXIT.locked;
  if (lease.kind === "group") {
    const waited = wish?.waitMs === undefined ? "" : `after ${formatDuration(wish.waitMs)} `;
    const why = `${wish?.at ?? "the playbook"} lets one run of the group act at a time; nothing was sent`;
    return new Failure({ code: "concurrency.held", message: `${waited}another run is in ${spell(lease)}`, why, next, exit });
  }
  return new Failure({
    code: "lease.held",
    message: `another process acts as ${spell(lease)}`,
    why: "the environment is marked `exclusive: true`, and with two processes acting as the same entity, tokenbook could mistake a write of one for a write of the other; nothing was sent",
    next,
    exit,
  });
}

function stopped(lease: Lease): Failure {
  return new Failure({
    code: "concurrency.interrupted",
    message: `interrupted while waiting for ${spell(lease)}; nothing was sent`,
    exit: EXIT.interrupted,
  });
}
