import type { Target } from "../../environment/target.ts";
import { isPlainList } from "../../operations/answer.ts";
import type { Operation } from "../../operations/operation.ts";
import { isNotNow } from "../../protocol/meaning.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { hasEntities } from "../../services/services.ts";
import { connectionRemedy } from "../../base/connection-failure.ts";
import { type Caller, credentialFor } from "./caller.ts";
import { isRedirect } from "../../base/redirect.ts";
import type { Reply } from "./reply.ts";

/** Explains why a call has no usable answer, and names the setting of the environment that would fix it, if there is one. */
export function explain(reply: Reply, about: { operation: Operation; caller: Caller; target: Target }): StepProblem {
  const { operation, caller, target } = about;
  const side = operation.call.interface;
  const address = target[side]?.baseUrl ?? "";
  const baseUrl = target.whereIs(`${side}.baseUrl`);
  if (reply.meaning === "not-sent") {
    return {
      code: "service.unreachable",
      message: `${address} cannot be reached: ${reply.message}`,
      next: connectionRemedy(reply.tls, baseUrl),
    };
  }
  if (operation.writes && isDoubted(reply, target)) {
    const setting = target.whereIs(`profile.${side}.errors`);
    return {
      code: "service.foreign-answer",
      message: `${reply.message} (this is not the service's error format, so a gateway may have answered; if it was the service, declare its format at ${setting})`,
    };
  }
  if (reply.status === 401) {
    const key = hasEntities(operation.service) ? "apiKey" : `credentials.${credentialFor(operation.service, caller) ?? ""}`;
    const setting = `${side}.${key}`;
    return {
      code: "service.key-refused",
      message: `the service refused the key: ${reply.message}`,
      next: `fix the key that ${target.whereIs(setting)} names`,
    };
  }
  if (reply.fromCache) {
    return {
      code: "service.cached",
      message: `a cache in front of ${address} answered ${operation.name}: ${reply.message}`,
      why: "tokenbook asks for a new answer with each read, because what a cache has kept may have changed since",
      next: `exclude the paths below ${address} from the cache`,
    };
  }
  if (isRedirect(reply.status)) {
    return {
      code: "service.redirect",
      message: `${address} answered ${operation.name} with a redirect (${reply.message})`,
      why: "redirects are never followed, because the key would be sent along",
      next: `fix ${baseUrl} if the service has moved`,
    };
  }
  if (reply.html) {
    return {
      code: "service.not-json",
      message: `${address} answered ${operation.name} with a web page (HTTP ${reply.status}) instead of JSON`,
      why: "a proxy, a login page or a wrong address answers like this",
      next: `fix ${baseUrl}`,
    };
  }
  if (reply.tooLarge && !operation.writes) return tooLarge(reply, operation, target);
  const code =
    reply.meaning === "refused" ? "service.refused" : reply.status === null ? "service.no-answer" : "service.unreadable";
  return { code, message: reply.message };
}

function tooLarge({ message }: Reply, operation: Operation, target: Target): StepProblem {
  const { name, call, service } = operation;
  const next = isPlainList(operation)
    ? "compare it by `reconcile` with `read`, without `each` and `response`: its records are then used as they come"
    : call.paging === undefined
      ? "read a part of it if the service can give one"
      : `read smaller pages: \`${service.paging.size}\` of the read, or ${target.whereIs(`profile.${service.name}.pageSize`)}`;
  return {
    code: "service.answer-too-large",
    message: `${name}: ${message}`,
    why: "tokenbook limits what it reads of one answer",
    next,
  };
}

// In the service's own error format, this answer would be a refusal.
function isDoubted({ foreign, html, status, retryAfterMs }: Reply, { profile }: Target): boolean {
  if (!foreign || html || status === null) return false;
  return profile.refusals.includes(status) || isNotNow(status, retryAfterMs !== null);
}
