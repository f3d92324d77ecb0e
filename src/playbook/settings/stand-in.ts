import { createHmac } from "node:crypto";

const DIGITS = "0123456789";
const SMALL = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS = SMALL.toUpperCase();
const BLOCK_BYTES = 32;

/**
 * Returns a placeholder for a secret that is not needed: a text of the same form with other letters and digits. The same secret and key
 * give the same text, which cannot be computed without the key.
 */
export function standInFor(secret: string, key: string): string {
  let block: Buffer = Buffer.alloc(0);
  const chars = Array.from(secret, (char, at) => {
    if (at % BLOCK_BYTES === 0) block = createHmac("sha256", key).update(`${at} ${secret}`).digest();
    const from = alphabetOf(char);
    return from === undefined ? char : (from[(block[at % BLOCK_BYTES] ?? 0) % from.length] ?? "");
  });
  const text = chars.join("");
  return text === secret ? "x".repeat(secret.length) : text;
}

// A number stays a number, because its first digit does not become a zero.
function alphabetOf(char: string): string | undefined {
  if (/[1-9]/.test(char)) return DIGITS.slice(1);
  if (char === "0") return DIGITS;
  if (/\p{Lu}/u.test(char)) return CAPITALS;
  return /[\p{L}\p{N}]/u.test(char) ? SMALL : undefined;
}
