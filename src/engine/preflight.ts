import { Failure } from "../base/failure.ts";
import { Decimal } from "../base/decimal.ts";
import { didYouMean } from "../base/text.ts";
import type { JsonObject } from "../base/json.ts";
import type { Target } from "../environment/target.ts";
import { type Operation, operationNamed } from "../operations/operation.ts";
import type { ActorUse, Playbook } from "../playbook/model.ts";
import { callsOf, type CallUse } from "../playbook/walk.ts";
import type { Caller } from "./caller.ts";
import { explain } from "./explain.ts";
import type { ReadingPort } from "./reading.ts";

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
 * found while nothing is half done. Throws a Failure that names the line to mend.
 */
export async function checkReach(playbook: Playbook, service: ReadingPort): Promise<void> {
  const writes = [...callsOf(playbook)].filter(({ operation }) => operation.writes);
  const ledger = writes.find(({ operation }) => operation.call.interface === "ledger");
  const investor = writes.find(({ operation, as }) => operation.call.interface === "investor" && credentialOf(as) !== undefined);
  if (ledger !== undefined) await probe(service, operationNamed("ledger.status"), {}, undefined);
  if (investor !== undefined)
    await probe(service, operationNamed("investor.sales.list"), { limit: Decimal.of(1) }, credentialOf(investor.as));
}

async function probe(
  service: ReadingPort,
  operation: Operation,
  input: JsonObject,
  credential: string | undefined,
): Promise<void> {
  const caller: Caller = { actingEntity: undefined, credential, label: null };
  const reply = await service.call({ operation, input, caller });
  if (reply.meaning === "acknowledged" && !reply.html) return;
  const side = operation.call.interface;
  const setting = side === "ledger" && reply.status === 404 ? "ledger.appId" : side; // its paths are the app's
  const { code, message, why, next } = explain(reply, { operation, caller, target: service.target });
  throw new Failure({
    code,
    message,
    ...(why === undefined ? {} : { why }),
    next: next ?? `mend ${service.target.whereIs(setting)}`,
  });
}
