import { isObject, type Json } from "../../base/json/json.ts";
import { isMasked } from "../../base/secret.ts";
import { maybeSame } from "../same-id.ts";

/**
 * Whether a record is of a write. `maybe`: the record does not say enough, or in words that are not known, so it neither shows the write
 * nor that it is missing.
 */
export type Match = "yes" | "maybe" | "no";

/** Returns whether a record is of a write, if its parts are so: one that contradicts suffices. */
export function worst(matches: readonly Match[]): Match {
  return matches.includes("no") ? "no" : matches.includes("maybe") ? "maybe" : "yes";
}

/** Returns whether a record names an entity: every attribute of it, and not only the organization of a member. */
export function partyMatch(there: Json | undefined, asked: Json | undefined): Match {
  if (!isObject(there) || !isObject(asked)) return "maybe";
  const names = Object.keys(asked);
  if (names.some((name) => there[name] !== undefined && !maybeSame(there[name], asked[name]))) return "no";
  const isWhole = names.length === 1 && Object.keys(there).length > 1;
  return isWhole || names.some((name) => there[name] === undefined || isMasked(asked[name])) ? "maybe" : "yes";
}
