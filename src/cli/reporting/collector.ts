import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { Secret } from "../../base/secret.ts";
import { percentDecoded } from "../../base/text/percent.ts";
import { Transport } from "../../transport/exchange.ts";
import type { Variables } from "../../base/variables.ts";

/** Where traces are sent. */
export interface Collector {
  /** The complete address of the traces endpoint. */
  readonly url: URL;
  /** The headers of each request by name. A value may be a key. */
  readonly headers: Readonly<Record<string, Secret>>;
}

const TRACES = "/v1/traces";
const OWN = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const SHARED = "OTEL_EXPORTER_OTLP_ENDPOINT";

/** Returns the collector that OpenTelemetry's own variables name; `undefined` if they name none, or no HTTP address. */
export function collectorIn(variables: Variables): Collector | undefined {
  const of = (name: string): string =>
    variables[`OTEL_EXPORTER_OTLP_TRACES_${name}`] ?? variables[`OTEL_EXPORTER_OTLP_${name}`] ?? "";
  const own = variables[OWN] ?? "";
  const shared = variables[SHARED] ?? "";
  const [name, address] = own !== "" ? [OWN, own] : [SHARED, shared === "" ? "" : `${shared.replace(/\/+$/, "")}${TRACES}`];
  if (address === "" || variables["OTEL_SDK_DISABLED"] === "true") return undefined;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    throw new Failure({
      code: "report.collector",
      message: `traces cannot be sent: ${name} holds no http:// or https:// address`,
      why: "its value is not shown, for it may hold a password; nothing was sent",
      next: `set ${name}=http://HOST:4318${own === "" ? "" : TRACES}, or unset it`,
    });
  }
  return { url: new URL(address), headers: headersIn(of("HEADERS")) };
}

// For example `api-key=KEY,x-tenant=a%20b`.
function headersIn(text: string): Readonly<Record<string, Secret>> {
  const pairs = text.split(",").flatMap((pair): readonly (readonly [string, Secret])[] => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
    return name === "" ? [] : [[name, new Secret(name, percentDecoded(pair.slice(at + 1).trim()))]];
  });
  return Object.fromEntries(pairs);
}

/** Sends the bodies one request after the other. Throws if the collector rejects one, with a message that contains no header. */
export async function sendTraces({ url, headers }: Collector, bodies: Iterable<string>): Promise<void> {
  await using transport = new Transport();
  for (const body of bodies) {
    const exchanged = await transport.exchange({
      origin: url.origin,
      method: "POST",
      path: `${url.pathname}${url.search}`,
      headers,
      body,
      fresh: false,
      fence: undefined,
      timeoutMs: LIMITS.traceMs,
      signal: undefined, // an interrupted run is traced too
    });
    if (exchanged.kind !== "answered") throw new Error(exchanged.why);
    if (exchanged.status < 200 || exchanged.status > 299) throw new Error(`the collector answered HTTP ${exchanged.status}`);
  }
}
