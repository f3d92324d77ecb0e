import { createHmac } from "node:crypto";

// As the Standard Webhooks specification has it: its libraries verify what we send.

const ENCODED = "whsec_";

/** The headers of a signed delivery: its id, the moment of sending in seconds, and an HMAC-SHA256 of both with the body. */
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

/** A secret that begins with `whsec_` is base64, as the specification writes them; any other is its own key. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(ENCODED) ? Buffer.from(secret.slice(ENCODED.length), "base64") : Buffer.from(secret);
}
