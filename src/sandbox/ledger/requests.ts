import { Decimal } from "../../base/decimal.ts";
import type { JsonObject } from "../../base/json.ts";
import { newId } from "../ids.ts";
import { demand } from "../refusal.ts";
import type { ApprovalRequest, Approver, Entity } from "../store/ledger-resources.ts";
import { created, updated, type Call, type Commit } from "./call.ts";
import { demandEntities, distinctEntities, isWholeOrganization, standsFor } from "./entity.ts";

const MINUTE_MS = 60_000;

/** What a caller says about a new request. */
export interface Proposal {
  readonly approvers: readonly Entity[];
  readonly numRequired?: Decimal;
  readonly timeout?: Decimal;
  readonly data: JsonObject;
}

/**
 * A new request: everybody pending, once however often they are named; all approvers are required and it never times out, unless the
 * proposal says otherwise.
 */
export function newRequest(commit: Commit<unknown>, proposal: Proposal): ApprovalRequest {
  const approvers = distinctEntities(proposal.approvers);
  const { data, timeout = Decimal.of(0), numRequired = Decimal.of(approvers.length) } = proposal;
  const { pending } = commit.profile.requestStatus;
  demand(approvers.length > 0, "invalid parameters", "a request needs an approver");
  demandEntities(approvers, commit.orgId);
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

/** One approver's word. */
export interface Vote {
  readonly approves: boolean;
  readonly comment?: string;
}

/**
 * The request after the actor's vote. The numRequired-th approval approves it; a rejection that makes that number unreachable
 * rejects it.
 */
export function withVote(commit: Commit<unknown>, request: ApprovalRequest, { approves, comment }: Vote): ApprovalRequest {
  demandOpen(commit, request);
  const words = commit.profile.requestStatus;
  const at = ownEntry(commit, request);
  const approvers = request.approvers.map((approver, index) =>
    index === at
      ? { ...approver, status: approves ? words.approved : words.rejected, ...(comment === undefined ? {} : { comment }) }
      : approver,
  );
  return { ...request, approvers, status: outcome(commit, approvers, request.numRequired), ...updated(commit) };
}

/** Refuses to act on a request that is decided, or whose time is over. */
export function demandOpen(commit: Commit<unknown>, request: ApprovalRequest): void {
  const { pending } = commit.profile.requestStatus;
  demand(request.status === pending, "request already decided", `the request ${request.id} is ${request.status}`);
  const endsAt = Date.parse(request.createdAt) + request.timeout.approximate() * MINUTE_MS;
  demand(request.timeout.isZero() || commit.now <= endsAt, "request timed out", `the time of the request ${request.id} is over`);
}

/** Whether the request awaits the actor: as an approver at all, or as one who has still to vote on a pending request. */
export function awaits(call: Call, request: ApprovalRequest, onlyPending: boolean): boolean {
  const { pending } = call.profile.requestStatus;
  if (onlyPending && request.status !== pending) return false;
  const own = ownEntries(request, call.actor);
  return own.length > 0 && (!onlyPending || own.every((index) => request.approvers[index]?.status === pending));
}

/** The flag `pendingOnly`, which the service takes for true when it is left out. */
export function pendingOnly(call: Call): boolean {
  return call.params["pendingOnly"] !== false;
}

function ownEntry(commit: Commit<unknown>, request: ApprovalRequest): number {
  const { pending } = commit.profile.requestStatus;
  const own = ownEntries(request, commit.actor);
  const [first] = own;
  demand(first !== undefined, "unauthorized caller", `the caller is no approver of the request ${request.id}`);
  const isOpen = own.every((index) => request.approvers[index]?.status === pending);
  demand(isOpen, "vote already given", `the vote of the caller on the request ${request.id} is given`);
  return first;
}

// Who is named has no second vote as one of the organization.
function ownEntries({ approvers }: ApprovalRequest, actor: Entity): readonly number[] {
  const own = approvers.flatMap((approver, index) => {
    const entity = entityOf(approver);
    return standsFor(entity, actor) ? [{ index, named: !isWholeOrganization(entity) }] : [];
  });
  const isNamed = own.some(({ named }) => named);
  return own.filter(({ named }) => named === isNamed).map(({ index }) => index);
}

/** Who an approver is, whatever has become of its vote. */
export function entityOf({ status: _status, comment: _comment, ...entity }: Approver): Entity {
  return entity;
}

function outcome(commit: Commit<unknown>, approvers: readonly Approver[], numRequired: Decimal): string {
  const { pending, approved, rejected } = commit.profile.requestStatus;
  const approvals = approvers.filter(({ status }) => status === approved).length;
  const rejections = approvers.filter(({ status }) => status === rejected).length;
  if (numRequired.compare(Decimal.of(approvals)) <= 0) return approved;
  return numRequired.compare(Decimal.of(approvers.length - rejections)) > 0 ? rejected : pending;
}

function isBetween(number: Decimal, low: number, high: number): boolean {
  return number.isInteger() && number.compare(Decimal.of(low)) >= 0 && number.compare(Decimal.of(high)) <= 0;
}
