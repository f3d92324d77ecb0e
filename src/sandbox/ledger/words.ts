import { DEFAULT_PROFILE, type LedgerProfile } from "../../contract/profile.ts";
import type { StoredApprovalRequest } from "../store/ledger-resources.ts";
import type { LedgerCall, ResourceHistory } from "./call.ts";
import type { ListPage } from "./paging.ts";

type RequestWords = LedgerProfile["requestStatus"];

/** The words in which a status is stored, regardless of the profile: the file may later be served under another profile. */
export const KEPT: RequestWords = DEFAULT_PROFILE.ledger.requestStatus;

/** Returns the meaning of a stored status. Files of earlier versions contain the words of the profile that they were served under. */
export function meant({ profile }: LedgerCall<unknown>, status: string): keyof RequestWords | undefined {
  const found = [KEPT, profile.requestStatus].flatMap((words) => Object.entries(words)).find(([, word]) => word === status);
  return found?.[0] as keyof RequestWords | undefined;
}

/** Returns the request with its statuses in the words of the profile. */
export function shown<T extends StoredApprovalRequest>(call: LedgerCall<unknown>, request: T): T {
  const inWords = <S extends { readonly status: string }>(part: S): S => {
    const word = meant(call, part.status);
    return word === undefined ? part : { ...part, status: call.profile.requestStatus[word] };
  };
  return { ...inWords(request), approvers: request.approvers.map(inWords) };
}

/** Does the same for all requests of a page. */
export function shownPage<T extends StoredApprovalRequest>(call: LedgerCall<unknown>, page: ListPage<T>): ListPage<T> {
  return { ...page, records: page.records.map((request) => shown(call, request)) };
}

/** Does the same for all records of a history. */
export function shownHistory(call: LedgerCall<unknown>, history: ResourceHistory): object {
  return { ...history, records: history.records.map((record) => shown(call, record as unknown as StoredApprovalRequest)) };
}
