import { compoundKey } from "../ids.ts";
import { demand, found, type Condition } from "../refusal.ts";
import type { StoredApprovalRequest } from "../store/ledger-resources.ts";
import { textParam } from "../params.ts";
import { historyOf, remember, updated, type LedgerCall, type Commit } from "./call.ts";
import { sameEntity } from "./entity.ts";
import { pageOf, type ListPage } from "./paging.ts";
import { awaits, demandOpen, newRequest, pendingOnly, withVote, type Proposal } from "./requests.ts";
import { KEPT, shown, shownHistory, shownPage } from "./words.ts";

interface Proposals {
  readonly approvalType: string;
  readonly approvals: readonly (Omit<Proposal, "data"> & Partial<Pick<Proposal, "data">>)[];
}

interface Decisions {
  readonly approvalType: string;
  readonly approvals: readonly { readonly id: string; readonly comment?: string }[];
}

/** POST /approval */
export function createApprovals(commit: Commit<Proposals>): void {
  const { approvalType, approvals } = commit.body;
  demandApprovalType(approvalType);
  for (const proposal of approvals) save(commit, "CREATED", newRequest(commit, { data: {}, ...proposal }));
}

/** POST /approval/accept: a missing request is reported as a missing asset. No resource in the description shows the comments. */
export function acceptApprovals(commit: Commit<Decisions>): void {
  vote(commit, true, "asset not found");
}

/** POST /approval/reject */
export function rejectApprovals(commit: Commit<Decisions>): void {
  vote(commit, false);
}

function vote(commit: Commit<Decisions>, approves: boolean, missing?: Condition): void {
  for (const { id } of commit.body.approvals) {
    const request = theApproval(commit, commit.body.approvalType, id, missing);
    save(commit, "UPDATED", withVote(commit, request, approves));
  }
}

/** POST /approval/cancel: only the submitter of the request may cancel it. */
export function cancelApprovals(commit: Commit<Decisions>): void {
  for (const { id } of commit.body.approvals) {
    const request = theApproval(commit, commit.body.approvalType, id);
    demand(sameEntity(request.createdBy, commit.actor), "unauthorized caller", "only the requester may cancel");
    demandOpen(commit, request);
    save(commit, "UPDATED", { ...request, status: KEPT.cancelled, ...updated(commit) });
  }
}

/** GET /approval */
export function getApproval(call: LedgerCall): StoredApprovalRequest {
  return shown(call, theApproval(call, textParam(call, "approvalType"), textParam(call, "id")));
}

/** Returns requests of the type that the actor has submitted. */
export function myApprovals(call: LedgerCall): ListPage<StoredApprovalRequest> {
  const scope = textParam(call, "approvalType");
  return shownPage(call, pageOf(call, "approval", { scope, where: ({ createdBy }) => sameEntity(createdBy, call.actor) }));
}

/** Returns requests of the type that wait for the actor. */
export function approvalQueue(call: LedgerCall): ListPage<StoredApprovalRequest> {
  const scope = textParam(call, "approvalType");
  return shownPage(call, pageOf(call, "approval", { scope, where: (request) => awaits(call, request, pendingOnly(call)) }));
}

/** GET /approval/history */
export function approvalHistory(call: LedgerCall): object {
  const { id } = getApproval(call);
  return shownHistory(call, historyOf(call, "approval", { key: compoundKey(textParam(call, "approvalType"), id), id }));
}

function theApproval(
  call: LedgerCall<unknown>,
  approvalType: string,
  id: string,
  condition: Condition = "approval request not found",
): StoredApprovalRequest {
  demandApprovalType(approvalType);
  const approval = call.world.get("approval", compoundKey(approvalType, id));
  return found(approval, condition, `there is no ${approvalType} request ${id}`);
}

function demandApprovalType(approvalType: string): void {
  demand(approvalType !== "", "invalid parameters", "the approval type is empty");
}

// A request does not contain its approval type, so the type is part of its key.
function save(
  commit: Commit<{ readonly approvalType: string }>,
  type: "CREATED" | "UPDATED",
  request: StoredApprovalRequest,
): void {
  const { approvalType } = commit.body;
  const key = compoundKey(approvalType, request.id);
  commit.world.put("approval", { id: key, scope: approvalType }, request);
  remember(commit, "approval", { key, type, value: request });
}
