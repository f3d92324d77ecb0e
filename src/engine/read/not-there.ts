import { type Operation, operationNamed } from "../../operations/operation.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { hasEntities } from "../../services/services.ts";
import { NOBODY } from "../service/caller.ts";
import type { Looking } from "../run/reading-context.ts";
import { isNotThere, read, type ReadRequest, type ReadResult } from "./read.ts";
import type { Reply } from "../service/service.ts";

/** Who asks, and until when they wait for a busy service. */
type Asking = Pick<ReadRequest, "caller" | "by">;

/** What a failed read says of what was asked for: that it is not there, nothing, or that nobody there knows the service. */
export type Absence = "not there" | "nothing" | { readonly problem: StepProblem };

/**
 * Returns what a failed read says of what was asked for. A 404 in words that the description lists is the service's. Any other 404 may be that of
 * a gateway, or of a wrong address, which knows nothing at all: so the service is asked for something that is always there (decision 85).
 */
export async function absenceIn(context: Looking, { reply, asked }: Extract<ReadResult, { kind: "failed" }>): Promise<Absence> {
  if (asked === undefined || !isNotThere(reply)) return "nothing";
  const { operation, ...asking } = asked;
  if (isListed(operation, reply)) return "not there";
  const problem = await unheardOf(context, operation, asking);
  return problem === undefined ? "not there" : { problem };
}

function isListed({ call }: Operation, { condition, message }: Reply): boolean {
  const said = [condition, message.replace(/^HTTP \d+: /, "")].map((text) => text?.toLowerCase());
  return call.conditions.some((listed) => listed.endsWith("not found") && said.includes(listed.toLowerCase()));
}

/** Returns what is wrong where even what is always there is not found. Somebody who knows none of the service's paths says so of everything. */
export async function unheardOf(context: Looking, { service }: Operation, asking: Asking): Promise<StepProblem | undefined> {
  const { operation: name, input } = service.harmless;
  const caller = hasEntities(service) ? NOBODY : asking.caller;
  const result = await read(context, { operation: operationNamed(name), input, pages: 1, ...asking, caller });
  if (result.kind === "read") return undefined;
  const { target } = context;
  return {
    ...result.problem,
    message: `${target[service.name]?.baseUrl ?? ""} does not answer as the service does: ${name}: ${result.problem.message}`,
    why: "so its HTTP 404 does not say that what was asked for is not there",
    next: result.problem.next ?? `correct ${target.whereIs(service.name)}, or wait until the service answers there`,
  };
}
