import { Failure } from "../base/failure.ts";
import { Decimal } from "../base/decimal.ts";
import { count, didYouMean } from "../base/text.ts";
import type { JsonObject } from "../base/json.ts";
import type { Target } from "../environment/target.ts";
import { type Operation, operationNamed } from "../operations/operation.ts";
import type { ActorUse, Playbook } from "../playbook/model.ts";
import { callsOf, type CallUse } from "../playbook/walk.ts";
import type { StepProblem } from "../protocol/record.ts";
import { ask, type Asked, type Asking, isTrouble, problemOf, spanOf } from "./asking.ts";
import type { Caller } from "./caller.ts";

/** Checks that the environment has every interface and credential that the playbook names. Sends nothing. Throws a Failure. */
export function checkTarget(playbook: Playbook, target: Target): void {
  for (const use of callsOf(playbook)) {
    const side = use.operation.call.interface;
    const credential = credentialOf(use.as);
    if (target[side] === undefined) throw lacks(use, `has no "${side}:"`, target.whereIs(""));
    if (side === "investor" && credential !== undefined && target.investor?.credentials.has(credential) !== true) {
      const near = didYouMean(credential, [...(target.investor?.credentials.keys() ?? [])]);
      const what = `has no credential "${credential}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
      throw lacks(use, what, target.whereIs("investor.credentials"));
    }
  }
}

function credentialOf(use: ActorUse | undefined): string | undefined {
  return use?.kind === "identity" ? use.identity.investor : undefined;
}

function lacks({ playbook, step, operation }: CallUse, what: string, where: string): Failure {
  return new Failure({
    code: "environment.incomplete",
    message: `the environment ${what}, which ${playbook.file}:${step.line} (${step.id}: ${operation.name}) needs`,
    next: `add it at ${where}, or choose another environment with --env NAME`,
  });
}

/**
 * Before the first write: asks each interface that will be written to for something harmless, so that a wrong address or key is
 * found while nothing is half done. Throws a Failure that names the setting to correct, or says that the service is in trouble.
 */
export async function checkReach(playbook: Playbook, asking: Asking): Promise<void> {
  const writes = [...callsOf(playbook)].filter(({ operation }) => operation.writes);
  const ledger = writes.find(({ operation }) => operation.call.interface === "ledger");
  const investor = writes.find(({ operation, as }) => operation.call.interface === "investor" && credentialOf(as) !== undefined);
  if (ledger !== undefined) await probe(asking, operationNamed("ledger.status"), {}, undefined);
  if (investor !== undefined)
    await probe(asking, operationNamed("investor.sales.list"), { limit: Decimal.of(1) }, credentialOf(investor.as));
}

async function probe(asking: Asking, operation: Operation, input: JsonObject, credential: string | undefined): Promise<void> {
  const caller: Caller = { actingEntity: undefined, credential, label: null };
  const asked = await ask(asking, { operation, input, caller });
  if (isReached(asked)) return;
  const { code, message, why, next } = unreached(asked, { operation, caller, target: asking.service.target });
  throw new Failure({ code, message, ...(why === undefined ? {} : { why }), ...(next === undefined ? {} : { next }) });
}

/** Whether a harmless question was answered as the service answers. */
export function isReached({ reply }: Asked): boolean {
  return reply.meaning === "acknowledged" && !reply.html;
}

/** Why an interface cannot be worked with: it is in trouble, which may pass, or the environment is wrong. */
export function unreached(asked: Asked, about: { operation: Operation; caller: Caller; target: Target }): StepProblem {
  const { reply, requests, tookMs } = asked;
  const { operation, target } = about;
  if (isTrouble(reply)) {
    return {
      code: "service.in-trouble",
      message: `the service gave no usable answer to ${operation.name}, asked ${count(requests, "time")} within ${spanOf(tookMs)}: ${reply.message}`,
      why: "the address leads somewhere and no key was refused, so this may pass; nothing was written",
      next: "try again later",
    };
  }
  const problem = problemOf(asked, about);
  const side = operation.call.interface;
  const setting = side === "ledger" && reply.status === 404 ? "ledger.appId" : side; // its paths are the app's
  if (requests === 1) return { ...problem, next: problem.next ?? `mend ${target.whereIs(setting)}` };
  return { ...problem, next: `try again later; if it stays so: ${problem.next ?? `mend ${target.whereIs(setting)}`}` };
}
