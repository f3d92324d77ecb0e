import { demand } from "../refusal.ts";
import { pageSizeParam, textParam } from "../params.ts";
import type { Kind, Resources } from "../store/resources.ts";
import type { Placed } from "../store/world.ts";
import type { LedgerCall } from "./call.ts";

/** One page of a list; the bookmark of the last page is empty. */
export interface ListPage<T> {
  /** The number of records on the page. */
  readonly count: number;
  /** The bookmark that a call for the next page must contain. */
  readonly bookmark: string;
  /** The records in the order of creation. */
  readonly records: readonly T[];
}

/** Selects the resources of a list. */
interface Selection<T> {
  /** Only resources of this scope. If left out, resources of every scope. */
  readonly scope?: string;
  /** Only resources for which it returns true. If left out, all. */
  readonly where?: (value: T) => boolean;
}

/** Returns the page that the call asks for, in the order of creation. */
export function pageOf<K extends Kind>(
  call: LedgerCall,
  kind: K,
  selection: Selection<Resources[K]> = {},
): ListPage<Resources[K]> {
  const size = pageSizeParam(call, "pageSize", call.profile.pageSize, "records");
  const taken: Placed<Resources[K]>[] = [];
  for (const placed of call.world.iterate(kind, selection.scope, after(call))) {
    if (selection.where?.(placed.value) === false) continue;
    taken.push(placed);
    if (taken.length > size) break;
  }
  const page = taken.slice(0, size);
  const bookmark = taken.length > size ? encode(page.at(-1)?.seq ?? 0) : lastBookmark(call, page.at(-1)?.seq);
  return { count: page.length, bookmark, records: page.map(({ value }) => value) };
}

function lastBookmark(call: LedgerCall, seq: number | undefined): string {
  if (call.dialect.lastBookmark !== "repeated") return "";
  return seq === undefined ? textParam(call, "bookmark") : encode(seq);
}

function after(call: LedgerCall): number {
  const bookmark = textParam(call, "bookmark");
  if (bookmark === "") return 0;
  const [, seq] = /^after:(\d{1,15})$/.exec(Buffer.from(bookmark, "base64url").toString()) ?? [];
  demand(seq !== undefined, "invalid parameters", "the bookmark is none of ours");
  return Number(seq);
}

function encode(seq: number): string {
  return Buffer.from(`after:${seq}`).toString("base64url");
}
