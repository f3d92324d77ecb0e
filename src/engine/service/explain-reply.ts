import type { Target } from "../../environment/target.ts";
import type { Operation } from "../../operations/operation.ts";
import { isNotNow } from "../../protocol/meaning.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { hasEntities } from "../../services/services.ts";
import { type Caller, credentialFor } from "./caller.ts";
import type { Reply } from "./service.ts";

/** Why a call has no answer of use, and the line of the environment that would mend it, where there is one. */
export function explain(reply: Reply, about: { operation: Operation; caller: Caller; target: Target }): StepProblem {
  const { operation, caller, target } = about;
  const side = operation.call.interface;
  const address = target[side]?.baseUrl ?? "";
  const baseUrl = target.whereIs(`${side}.baseUrl`);
  if (reply.meaning === "not-sent") {
    return {
      code: "service.unreachable",
      message: `${address} cannot be reached: ${reply.message}`,
      next: `start the service, or mend ${baseUrl}`,
    };
  }
  if (operation.writes && isDoubted(reply, target)) {
    const setting = target.whereIs(`profile.${side}.errors`);
    return {
      code: "service.foreign-answer",
      message: `${reply.message} (this is not how the service writes errors, so a gateway may have answered; if it was the service, declare the form at ${setting})`,
    };
  }
  if (reply.status === 401) {
    const key = hasEntities(operation.service) ? "apiKey" : `credentials.${credentialFor(operation.service, caller) ?? ""}`;
    const setting = `${side}.${key}`;
    return {
      code: "service.key-refused",
      message: `the service refused the key: ${reply.message}`,
      next: `mend the key that ${target.whereIs(setting)} names`,
    };
  }
  if (reply.html) {
    return {
      code: "service.not-json",
      message: `${address} answered ${operation.name} with a web page (HTTP ${reply.status}) instead of JSON`,
      why: "this is what a proxy, a login page or a wrong address looks like",
      next: `mend ${baseUrl}`,
    };
  }
  if (reply.status !== null && reply.status >= 300 && reply.status < 400) {
    return {
      code: "service.redirect",
      message: `${address} answered ${operation.name} with a redirect (HTTP ${reply.status})`,
      why: "redirects are never followed: the key would go along",
      next: `mend ${baseUrl}, if the service has moved`,
    };
  }
  const code =
    reply.meaning === "refused" ? "service.refused" : reply.status === null ? "service.no-answer" : "service.unreadable";
  return { code, message: reply.message };
}

// In the service's own form it would be a refusal.
function isDoubted({ foreign, html, status, retryAfterMs }: Reply, { profile }: Target): boolean {
  if (!foreign || html || status === null) return false;
  return profile.refusals.includes(status) || isNotNow(status, retryAfterMs !== null);
}
