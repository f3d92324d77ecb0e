import { isObject, type Json } from "../../base/json/json.ts";
import { isMasked } from "../../base/secret.ts";
import { maybeSame } from "../same-id.ts";

/**
 * Whether a record belongs to a write. `maybe`: the record does not say enough, or uses unknown words. Then it shows neither the write nor
 * that the write is missing.
 */
export type Match = "yes" | "maybe" | "no";

/** Combines the matches of a record's parts: one contradiction is enough. */
export function worst(matches: readonly Match[]): Match {
  return matches.includes("no") ? "no" : matches.includes("maybe") ? "maybe" : "yes";
}

/** Returns whether a record names an entity, with all its attributes and not only the organization of a member. */
export function partyMatch(there: Json | undefined, asked: Json | undefined): Match {
  if (!isObject(there) || !isObject(asked)) return "maybe";
  const names = Object.keys(asked);
  if (names.some((name) => there[name] !== undefined && !maybeSame(there[name], asked[name]))) return "no";
  const isWhole = names.length === 1 && Object.keys(there).length > 1;
  return isWhole || names.some((name) => there[name] === undefined || isMasked(asked[name])) ? "maybe" : "yes";
}
