import { DEFAULT_PROFILE, type LedgerProfile } from "../../contract/profile.ts";
import type { ApprovalRequest } from "../store/ledger-resources.ts";
import type { Call, History } from "./call.ts";
import type { Page } from "./paging.ts";

type Words = LedgerProfile["requestStatus"];

/** The words that a status is kept in, whatever the profile calls it: the file may be served under another one. */
export const KEPT: Words = DEFAULT_PROFILE.ledger.requestStatus;

/** What a status says. Files of earlier versions keep the words of the profile that they were served under. */
export function meant({ profile }: Call<unknown>, status: string): keyof Words | undefined {
  const found = [KEPT, profile.requestStatus].flatMap((words) => Object.entries(words)).find(([, word]) => word === status);
  return found?.[0] as keyof Words | undefined;
}

/** The request, its statuses in the words of the profile. */
export function shown<T extends ApprovalRequest>(call: Call<unknown>, request: T): T {
  const inWords = <S extends { readonly status: string }>(part: S): S => {
    const word = meant(call, part.status);
    return word === undefined ? part : { ...part, status: call.profile.requestStatus[word] };
  };
  return { ...inWords(request), approvers: request.approvers.map(inWords) };
}

/** Likewise of all requests of a page. */
export function shownPage<T extends ApprovalRequest>(call: Call<unknown>, page: Page<T>): Page<T> {
  return { ...page, records: page.records.map((request) => shown(call, request)) };
}

/** Likewise of all records of a history. */
export function shownHistory(call: Call<unknown>, history: History): object {
  return { ...history, records: history.records.map((record) => shown(call, record as unknown as ApprovalRequest)) };
}
