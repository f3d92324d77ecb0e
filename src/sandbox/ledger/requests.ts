import { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { newId } from "../ids.ts";
import { demand } from "../refusal.ts";
import type { StoredApprovalRequest, StoredApprover, StoredEntity } from "../store/ledger-resources.ts";
import { created, updated, type LedgerCall, type Commit } from "./call.ts";
import { demandEntities, distinctEntities, isWholeOrganization, standsFor } from "./entity.ts";
import { KEPT, meant } from "./words.ts";

const MINUTE_MS = 60_000;
/** The voting time of a request that names none, such as a transfer, whose body has no field for it. */
const TIMEOUT_MINUTES = 30 * 24 * 60;

/** A caller's proposal for a new request. */
export interface Proposal {
  /** The approvers. An entity that is named more than once counts once. */
  readonly approvers: readonly StoredEntity[];
  /** How many must approve. If left out, all approvers. */
  readonly numRequired?: Decimal;
  /** The voting time in minutes after creation. If left out, 30 days. */
  readonly timeout?: Decimal;
  /** Free-form data of the request. */
  readonly data: JsonObject;
}

/** Returns a new request in which every approver is pending, and each is listed once. By default, all approvers are required and they have 30 days. */
export function newRequest(commit: Commit<unknown>, proposal: Proposal): StoredApprovalRequest {
  const approvers = distinctEntities(proposal.approvers);
  const { data, timeout = Decimal.of(TIMEOUT_MINUTES), numRequired = Decimal.of(approvers.length) } = proposal;
  const { pending } = KEPT;
  demand(approvers.length > 0, "invalid parameters", "a request needs an approver");
  demandEntities(approvers, commit.settings.orgId);
  demand(!timeout.isNegative(), "invalid parameters", "the timeout is negative");
  demand(isBetween(numRequired, 1, approvers.length), "invalid parameters", `numRequired must be 1 to ${approvers.length}`);
  return {
    id: newId(),
    approvers: approvers.map((entity) => ({ ...entity, status: pending })),
    numRequired,
    status: pending,
    timeout,
    data,
    owners: [commit.actor],
    ...created(commit),
  };
}

/** Returns the request after the actor's vote. Enough approvals approve it. A rejection that makes enough approvals impossible rejects it. */
export function withVote(commit: Commit<unknown>, request: StoredApprovalRequest, approves: boolean): StoredApprovalRequest {
  demandOpen(commit, request);
  const at = ownEntry(commit, request);
  const approvers = request.approvers.map((approver, index) =>
    index === at ? { ...approver, status: approves ? KEPT.approved : KEPT.rejected } : approver,
  );
  return { ...request, approvers, status: outcome(commit, approvers, request.numRequired), ...updated(commit) };
}

/** Refuses a request that is decided or whose time is over. */
export function demandOpen(commit: Commit<unknown>, request: StoredApprovalRequest): void {
  const word = meant(commit, request.status);
  const said = word === undefined ? request.status : commit.profile.requestStatus[word];
  demand(word === "pending", "request already decided", `the request ${request.id} is ${said}`);
  const endsAt = Date.parse(request.createdAt) + request.timeout.approximate() * MINUTE_MS;
  demand(commit.now <= endsAt, "request timed out", `the time of the request ${request.id} is over`);
}

/** Returns whether the request waits for the actor: as an approver at all, or, with `onlyPending`, as one who has not yet voted on a pending request. */
export function awaits(call: LedgerCall, request: StoredApprovalRequest, onlyPending: boolean): boolean {
  if (onlyPending && meant(call, request.status) !== "pending") return false;
  const own = ownEntries(request, call.actor);
  return own.length > 0 && (!onlyPending || isOpen(call, request, own));
}

/** Returns the flag `pendingOnly`. The service takes a missing flag as true. */
export function pendingOnly(call: LedgerCall): boolean {
  return call.params["pendingOnly"] !== false;
}

function ownEntry(commit: Commit<unknown>, request: StoredApprovalRequest): number {
  const own = ownEntries(request, commit.actor);
  const [first] = own;
  demand(first !== undefined, "unauthorized caller", `the caller is no approver of the request ${request.id}`);
  const open = isOpen(commit, request, own);
  demand(open, "vote already given", `the vote of the caller on the request ${request.id} is given`);
  return first;
}

function isOpen(call: LedgerCall<unknown>, { approvers }: StoredApprovalRequest, entries: readonly number[]): boolean {
  return entries.every((index) => meant(call, approvers[index]?.status ?? "") === "pending");
}

// An approver who is named has no second vote as a member of the organization.
function ownEntries({ approvers }: StoredApprovalRequest, actor: StoredEntity): readonly number[] {
  const own = approvers.flatMap((approver, index) => {
    const entity = entityOf(approver);
    return standsFor(entity, actor) ? [{ index, named: !isWholeOrganization(entity) }] : [];
  });
  const isNamed = own.some(({ named }) => named);
  return own.filter(({ named }) => named === isNamed).map(({ index }) => index);
}

/** Returns an approver's entity, without its vote. */
export function entityOf({ status: _status, ...entity }: StoredApprover): StoredEntity {
  return entity;
}

function outcome(commit: Commit<unknown>, approvers: readonly StoredApprover[], numRequired: Decimal): string {
  const words = approvers.map(({ status }) => meant(commit, status));
  const approvals = words.filter((word) => word === "approved").length;
  const rejections = words.filter((word) => word === "rejected").length;
  if (numRequired.compare(Decimal.of(approvals)) <= 0) return KEPT.approved;
  return numRequired.compare(Decimal.of(approvers.length - rejections)) > 0 ? KEPT.rejected : KEPT.pending;
}

function isBetween(number: Decimal, low: number, high: number): boolean {
  return number.isInteger() && number.compare(Decimal.of(low)) >= 0 && number.compare(Decimal.of(high)) <= 0;
}
