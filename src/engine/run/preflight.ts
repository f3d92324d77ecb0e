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
    const what = `has no credential "${credential}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
    throw lacks(use, what, target.whereIs(`${name}.credentials`));
  }
}

// A credential from an expression is known only during the run.
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
 * Makes one harmless read of each interface that will be written to, so that a wrong address or key is found before the first write.
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

/** Returns a call that changes nothing and that every caller may make, by a credential where the service takes one. */
export function harmlessCall(service: Service, credential: string | undefined): Pick<Call, "operation" | "input" | "caller"> {
  const { operation, input } = service.harmless;
  const identities = credential === undefined ? {} : { [service.name]: credential };
  return { operation: operationNamed(operation), input, caller: { identities, label: null } };
}

/** Whether a harmless read was answered as the service answers. */
export function isReached({ reply }: AskedReply): boolean {
  return reply.meaning === "acknowledged" && !reply.html;
}

/** Explains why an interface is not usable: it is in trouble, which may pass, or the environment is wrong. */
export function unreached(asked: AskedReply, about: { operation: Operation; caller: Caller; target: Target }): StepProblem {
  const { reply, requests, tookMs } = asked;
  const { operation, target } = about;
  if (isTrouble(reply)) {
    return {
      code: "service.in-trouble",
      message: `the service gave no usable answer to ${operation.name}, asked ${count(requests, "time")} within ${spanOf(tookMs)}: ${reply.message}`,
      why: "the address answers and no key was refused, so this may pass; nothing was written",
      next: "try again later",
    };
  }
  const problem = problemOf(asked, about);
  const setting = reply.status === 404 ? pathSettingOf(operation.service) : operation.service.name;
  if (requests === 1) return { ...problem, next: problem.next ?? `fix ${target.whereIs(setting)}` };
  return { ...problem, next: `try again later; if it happens again: ${problem.next ?? `fix ${target.whereIs(setting)}`}` };
}

// After a 404 the setting with the path prefix may be wrong.
function pathSettingOf(service: Service): string {
  return (
    placeOf(service)
      .map((field, at) => (at === 0 ? field : `${service.name}.${field}`))
      .at(-1) ?? service.name
  );
}
