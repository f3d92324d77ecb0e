import { percentDecoded } from "../../base/text/percent.ts";
import { Transport } from "../../transport/exchange.ts";
import { isRedirect } from "../../base/redirect.ts";

/** A request to a web address. */
export interface Post {
  /** The headers besides the authorization from the address. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the request. */
  readonly body: string;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** Posts to a web address without following redirects. Returns why it could not be delivered; nothing after any 2xx. */
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
    signal: undefined, // a scheduler that stops still delivers
  });
  if (exchanged.kind !== "answered") return exchanged.why;
  const { status } = exchanged;
  if (status >= 200 && status < 300) return undefined;
  return `HTTP ${status}${isRedirect(status) ? ", a redirect, which is not followed: write the address to which it leads" : ""}`;
}

// Sends a name and a password in the address as RFC 7617 requires.
function basicAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
