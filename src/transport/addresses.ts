import { LIMITS } from "../base/limits.ts";

/**
 * Returns how long to wait for each address of a name, except the last one. Node gives an address a quarter of a second by default, and never
 * returns to it. A name with one address far away and one that is dead could then not be reached at all.
 */
export function addressPatience(timeoutMs: number): { readonly autoSelectFamilyAttemptTimeout: number } {
  return { autoSelectFamilyAttemptTimeout: Math.min(LIMITS.addressMs, Math.ceil(timeoutMs / SHARES)) };
}

// If some addresses are dead, a short timeout still suffices for the next one.
const SHARES = 4;
