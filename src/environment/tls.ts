import { Failure } from "../base/failure.ts";
import { services } from "../services/services.ts";
import type { Target } from "./target.ts";
import type { Variables } from "../base/variables.ts";

const UNCHECKED = "NODE_TLS_REJECT_UNAUTHORIZED";

/**
 * Throws a Failure if a variable makes Node accept any certificate. tokenbook checks certificates anyway, but the person who set the
 * variable expects that it does not.
 */
export function assertTlsChecked(target: Target, variables: Variables): void {
  const secured = services.find(({ name }) => target[name]?.baseUrl.startsWith("https:") === true);
  if (secured === undefined || variables[UNCHECKED] !== "0") return;
  throw new Failure({
    code: "environment.tls-unchecked",
    message: `${UNCHECKED} is 0: any server would be accepted as the service`,
    why: `the key would be sent to any server that poses as it (${target.whereIs(`${secured.name}.baseUrl`)}); nothing was sent`,
    next: `unset ${UNCHECKED}; for a certificate of your own: export NODE_EXTRA_CA_CERTS=FILE`,
  });
}
