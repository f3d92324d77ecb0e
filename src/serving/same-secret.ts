import { timingSafeEqual } from "node:crypto";

/** Returns whether a caller has given a secret. The time that this takes does not show how much of it was right. */
export function isSameSecret(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
