import { createHmac } from "node:crypto";

// Follows the Standard Webhooks specification, so that its libraries verify our deliveries.

const ENCODED = "whsec_";

/** Returns the headers of a signed delivery: its id, the time in seconds at which it is sent, and an HMAC-SHA256 of both with the body. */
export function signedHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secret: string | undefined,
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === undefined) return headers;
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}

/** Returns the key of a secret. A secret that begins with `whsec_` is base64, as in the specification. Any other secret is the key itself. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(ENCODED) ? Buffer.from(secret.slice(ENCODED.length), "base64") : Buffer.from(secret);
}
