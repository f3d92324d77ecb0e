import { hash, randomBytes } from "node:crypto";

/** Returns a ledger transaction id: 64 hexadecimal digits, as in the samples of such services. */
export function newTransactionId(): string {
  return randomBytes(32).toString("hex");
}

/** Returns a key that cannot be guessed. */
export function newApiKey(): string {
  return randomBytes(24).toString("base64url");
}

/** Returns any other generated id: 24 hexadecimal digits, so it has letters and digits only. */
export function newId(): string {
  return randomBytes(12).toString("hex");
}

/** Joins several texts into one key. Two different lists never give the same key. */
export function compoundKey(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** Returns a short, stable id for a text: 40 hexadecimal digits. */
export function digest(text: string): string {
  return hash("sha256", text).slice(0, 40);
}
