import { percentDecoded } from "../../base/text/percent.ts";
import { Transport } from "../../transport/exchange.ts";

/** What is posted to a web address, and how long that may take. */
export interface Post {
  /** Headers beside the authorization that the address may hold. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text that is posted. */
  readonly body: string;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** Posts to a web address, following no redirect. Returns why it could not be delivered; nothing after any 2xx. */
export async function post(address: URL, { headers, body, timeoutMs }: Post): Promise<string | undefined> {
  const { origin, pathname, search } = address;
  await using transport = new Transport();
  const exchanged = await transport.exchange({
    origin,
    method: "POST",
    path: `${pathname}${search}`,
    headers: { "user-agent": "tokenbook", ...basicAuthorization(address), ...headers },
    body,
    fresh: true,
    statusAlone: true,
    fence: undefined,
    timeoutMs,
    signal: undefined, // a schedule that stops still delivers
  });
  if (exchanged.kind !== "answered") return exchanged.why;
  const { status } = exchanged;
  if (status >= 200 && status < 300) return undefined;
  return `HTTP ${status}${status >= 300 && status < 400 ? ", a redirect, which is not followed: write the address to which it leads" : ""}`;
}

// A name and a password in the address, as RFC 7617 has them sent.
function basicAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
