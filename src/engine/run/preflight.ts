import { Failure, failureFrom } from "../../base/failure.ts";
import { count, didYouMean } from "../../base/text/text.ts";
import { credentialsOf, placeOf, type Target } from "../../environment/target.ts";
import { type Operation, operationNamed } from "../../operations/operation.ts";
import type { ActorUse, Playbook } from "../../playbook/model.ts";
import { callsOf, type CallUse } from "../../playbook/playbook-walk.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { ask, type AskedReply, type Asking, isTrouble, problemOf, spanOf } from "../read/ask.ts";
import { hasEntities, type Service, services } from "../../services/services.ts";
import { type Caller, credentialFor } from "../service/caller.ts";
import type { Call } from "../service/service.ts";

/** Checks that the environment has every interface and credential that the playbook names. Sends nothing. Throws a Failure. */
export function checkTarget(playbook: Playbook, target: Target): void {
  for (const use of callsOf(playbook)) {
    const { name } = use.operation.service;
    const credential = credentialFor(use.operation.service, namedBy(use.as));
    if (target[name] === undefined) throw lacks(use, `has no "${name}:"`, target.whereIs(""));
    const known = credentialsOf(target[name]);
    if (credential === undefined || known.has(credential)) continue;
    const near = didYouMean(credential, [...known.keys()]);
    const others = near === undefined ? `it has ${[...known.keys()].join(", ") || "none"}` : `did you mean "${near}"?`;
    const what = `has no credential "${credential}" (${others})`;
    throw lacks(use, what, target.whereIs(`${name}.credentials`));
  }
}

// The value of a credential's expression is known only during the run.
function namedBy(use: ActorUse | undefined): Pick<Caller, "identities"> {
  return { identities: use?.kind === "identity" ? use.identity : {} };
}

function lacks({ playbook, step, operation }: CallUse, what: string, where: string): Failure {
  return new Failure({
    code: "environment.incomplete",
    message: `the environment ${what}, which ${playbook.file}:${step.line} (${step.id}: ${operation.name}) needs`,
    next: `add it at ${where}, or choose another environment with --env NAME`,
  });
}

/**
 * Makes one harmless read of each interface to which the run will write, so that a wrong address or key is found before the first write.
 * Throws a Failure that names the setting to fix, or says that the service is in trouble.
 */
export async function checkReach(playbook: Playbook, asking: Asking): Promise<void> {
  const writes = [...callsOf(playbook)].filter(({ operation }) => operation.writes);
  for (const service of services) {
    const own = writes.filter(({ operation }) => operation.service.name === service.name);
    const credentials = own.map(({ as }) => credentialFor(service, namedBy(as)));
    const credential = credentials.find((each) => each !== undefined);
    if (own.length > 0 && (hasEntities(service) || credential !== undefined)) await probe(asking, service, credential);
  }
}

async function probe(asking: Asking, service: Service, credential: string | undefined): Promise<void> {
  const { operation, input, caller } = harmlessCall(service, credential);
  const asked = await ask(asking, { operation, input, caller });
  if (isReached(asked)) return;
  throw failureFrom(unreached(asked, { operation, caller, target: asking.service.target }));
}

/** Returns a call that changes nothing and that every caller may make, with a credential if the service takes one. */
export function harmlessCall(service: Service, credential: string | undefined): Pick<Call, "operation" | "input" | "caller"> {
  const { operation, input } = service.harmless;
  const identities = credential === undefined ? {} : { [service.name]: credential };
  return { operation: operationNamed(operation), input, caller: { identities, label: null } };
}

/** Whether the answer to a harmless read is one of the service. */
export function isReached({ reply }: AskedReply): boolean {
  return reply.meaning === "acknowledged" && !reply.html;
}

/** Explains why an interface cannot be used: it is in trouble, which may pass, or the environment is wrong. */
export function unreached(asked: AskedReply, about: { operation: Operation; caller: Caller; target: Target }): StepProblem {
  const { reply, requests, tookMs } = asked;
  const { operation, target } = about;
  if (isTrouble(reply)) {
    return {
      code: "service.in-trouble",
      message: `the service gave no usable answer to ${operation.name}, asked ${count(requests, "time")} within ${spanOf(tookMs)}: ${reply.message}`,
      why: "the address answers and no key was refused, so this may pass; nothing was written",
      next: reply.status === null ? `try again later; if it happens again: ${addressFix(about)}` : "try again later",
    };
  }
  const problem = problemOf(asked, about);
  const settings = reply.status === 404 ? pathSettings(operation.service) : [operation.service.name];
  const next = problem.next ?? `fix ${settings.map((name) => target.whereIs(name)).join(", or ")}`;
  const mayPass = requests > 1 && reply.tls === undefined;
  return { ...problem, next: mayPass ? `try again later; if it happens again: ${next}` : next };
}

// A server with TLS closes a connection without TLS, or one without a certificate; another kind of server does not speak HTTP.
function addressFix({ operation, target }: { readonly operation: Operation; readonly target: Target }): string {
  const side = operation.call.interface;
  const where = target.whereIs(`${side}.baseUrl`);
  return target[side]?.baseUrl.startsWith("http:") === true
    ? `write https:// in ${where} if the service has TLS; otherwise fix its port there`
    : `fix ${where}; tokenbook has no certificate of its own, so a service that requires one needs a gateway that has it`;
}

// After a 404, each setting that is part of the path may be wrong.
function pathSettings(service: Service): readonly string[] {
  const [, ...settings] = placeOf(service);
  return [...settings, "baseUrl"].map((field) => `${service.name}.${field}`);
}
