import { messageOf } from "./failure.ts";
import { LIMITS } from "./limits.ts";

/** Why a connection cannot be secured: the server does not use TLS, its certificate is not accepted, or it refuses this client. */
export type TlsObstacle = "no-tls" | "untrusted" | "out-of-date" | "other-name" | "unfit" | "client-refused";

/** Why there is no connection. */
export interface ConnectionFailure {
  /** The reason in one line, with the code of the error. */
  readonly why: string;
  /** The obstacle to TLS; left out for any other reason. */
  readonly tls?: TlsObstacle;
}

const OBSTACLES: Readonly<Record<string, TlsObstacle>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: "no-tls",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "no-tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted",
  CERT_HAS_EXPIRED: "out-of-date",
  CERT_NOT_YET_VALID: "out-of-date",
  ERR_TLS_CERT_ALTNAME_INVALID: "other-name",
  CERT_REVOKED: "unfit",
  CERT_SIGNATURE_FAILURE: "unfit",
  INVALID_CA: "unfit",
  INVALID_PURPOSE: "unfit",
  PATH_LENGTH_EXCEEDED: "unfit",
  UNSPECIFIED: "unfit", // for example a key that is too short
};

function obstacleOf(code: string): TlsObstacle | undefined {
  if (Object.hasOwn(OBSTACLES, code)) return OBSTACLES[code];
  return /^ERR_SSL_.*ALERT/.test(code) ? "client-refused" : undefined;
}

const KILOBYTE = 1_024;

// What undici calls an answer that a server may send, but not after these requests, and an answer that it does not finish.
const IN_OUR_WORDS: Readonly<Record<string, string>> = {
  "bad response": "the server answered HTTP 100 (Continue), which was not asked for, so its further answer was not read",
  "bad upgrade": "the server answered HTTP 101 (Switching Protocols), which was not asked for",
  "other side closed": "the server closed the connection before the end of its answer",
  "Headers Overflow Error": `the head of the answer is larger than ${LIMITS.answerHeadBytes / KILOBYTE} KB`,
};

/** Explains an error of the network in one line. */
export function connectionFailure(error: unknown): ConnectionFailure {
  const { code, reason, cause } = error as { readonly code?: string; readonly reason?: unknown; readonly cause?: unknown };
  // undici gives the timeout of the request, although only an address was given up.
  if (cause instanceof AggregateError) return connectionFailure(cause);
  const tls = code === undefined ? undefined : obstacleOf(code);
  const message = tls === "no-tls" ? "the server does not answer with TLS" : messageFor(error, reason);
  const why = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return tls === undefined ? { why } : { why, tls };
}

// OpenSSL's own message has two lines, with memory addresses and line numbers of its source. Node adds a hint for its own command line.
function messageFor(error: unknown, reason: unknown): string {
  const code = (error as { readonly code?: string }).code ?? "";
  if (code.startsWith("ERR_SSL_") && typeof reason === "string") return reason;
  if (code === "ERR_ASSERTION") return "the answer does not follow HTTP"; // undici's own checks show parts of its code
  const message = messageOf(error)
    .replace(/; if the root CA is installed locally.*$/, "")
    .trim();
  return IN_OUR_WORDS[message] ?? message;
}

/** Returns how to make the connection possible. `setting` names the setting with the address, and its place. */
export function connectionRemedy(tls: TlsObstacle | undefined, setting: string): string {
  switch (tls) {
    case "no-tls":
      return `write http:// in ${setting} if the service has no TLS; otherwise fix its port there`;
    case "untrusted":
      return `fix ${setting}; or, if you trust the certificate: export NODE_EXTRA_CA_CERTS=FILE, where FILE holds it or that of its issuer`;
    case "out-of-date":
      return `have the service's certificate renewed; or set this machine's clock, if it is wrong`;
    case "other-name":
      return `write a name that the certificate has in ${setting}`;
    case "unfit":
      return `have the service's certificate replaced, or fix ${setting}`;
    case "client-refused":
      return `have the service accept TLS 1.2 or 1.3, HTTP/1.1, and clients without a certificate; or fix ${setting}`;
    case undefined:
      return `start the service, or fix ${setting}; tokenbook connects directly, without a proxy`;
  }
}
