import { Failure } from "../base/failure.ts";
import { services } from "../services/services.ts";
import type { Variables } from "./key.ts";
import type { Target } from "./target.ts";

const UNCHECKED = "NODE_TLS_REJECT_UNAUTHORIZED";

/**
 * Throws a Failure when the process is told to take whoever answers for the service. Certificates are checked all the same; but who has set the variable
 * expects that they are not.
 */
export function assertTlsChecked(target: Target, variables: Variables): void {
  const secured = services.find(({ name }) => target[name]?.baseUrl.startsWith("https:") === true);
  if (secured === undefined || variables[UNCHECKED] !== "0") return;
  throw new Failure({
    code: "environment.tls-unchecked",
    message: `${UNCHECKED} is 0: whoever answers would be taken for the service`,
    why: `the key would be sent to whoever poses as it (${target.whereIs(`${secured.name}.baseUrl`)}); nothing was sent`,
    next: `unset ${UNCHECKED}; for a certificate of your own: export NODE_EXTRA_CA_CERTS=FILE`,
  });
}
