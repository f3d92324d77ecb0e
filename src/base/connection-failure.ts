import { messageOf } from "./failure.ts";

/** Why a connection cannot be secured: the server does not use TLS, or its certificate is not accepted. */
export type TlsObstacle = "no-tls" | "untrusted" | "out-of-date" | "other-name";

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
};

/** Explains an error of the network in one line. */
export function connectionFailure(error: unknown): ConnectionFailure {
  const { code, reason } = error as { readonly code?: string; readonly reason?: unknown };
  const tls = code === undefined || !Object.hasOwn(OBSTACLES, code) ? undefined : OBSTACLES[code];
  const message = tls === "no-tls" ? "the server does not answer with TLS" : messageFor(error, reason);
  const why = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return tls === undefined ? { why } : { why, tls };
}

// OpenSSL's own message has two lines, with memory addresses and line numbers of its source. Node adds a hint for its own command line.
function messageFor(error: unknown, reason: unknown): string {
  const code = (error as { readonly code?: string }).code ?? "";
  if (code.startsWith("ERR_SSL_") && typeof reason === "string") return reason;
  return messageOf(error)
    .replace(/; if the root CA is installed locally.*$/, "")
    .trim();
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
    case undefined:
      return `start the service, or fix ${setting}`;
  }
}
