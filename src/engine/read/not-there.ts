import { type Operation, operationNamed } from "../../operations/operation.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { hasEntities } from "../../services/services.ts";
import { NO_CALLER } from "../service/caller.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { type ReadingCaller, type FailedRead, isNotThere, read } from "./read.ts";
import type { Reply } from "../service/reply.ts";

/** What a failed read proves: that the thing does not exist, nothing, or that the address is not the service's. */
export type Absence = "not there" | "nothing" | { readonly problem: StepProblem };

/**
 * Returns what a failed read proves. A 404 whose message is in the service description comes from the service. Any other 404 may come from
 * a gateway or a wrong address, so the service is asked for something that always exists (decision 85).
 */
export async function absenceIn(context: ReadingContext, { reply, asked }: FailedRead): Promise<Absence> {
  if (asked === undefined || !isNotThere(reply)) return "nothing";
  const { operation, ...reader } = asked;
  if (isListed(operation, reply)) return "not there";
  const problem = await unheardOf(context, operation, reader);
  return problem === undefined ? "not there" : { problem };
}

function isListed({ call }: Operation, { condition, message }: Reply): boolean {
  const said = [condition, message.replace(/^HTTP \d+: /, "")].map((text) => text?.toLowerCase());
  return call.conditions.some((listed) => listed.endsWith("not found") && said.includes(listed.toLowerCase()));
}

/** Returns the problem if even something that always exists is not found: a wrong address answers 404 to everything. */
export async function unheardOf(
  context: ReadingContext,
  { service }: Operation,
  reader: ReadingCaller,
): Promise<StepProblem | undefined> {
  const { operation: name, input } = service.harmless;
  const caller = hasEntities(service) ? NO_CALLER : reader.caller;
  const result = await read(context, { operation: operationNamed(name), input, pages: 1, ...reader, caller });
  if (result.kind === "read") return undefined;
  const { target } = context;
  return {
    ...result.problem,
    message: `${target[service.name]?.baseUrl ?? ""} does not answer as the service does: ${name}: ${result.problem.message}`,
    why: "so its HTTP 404 does not prove that the thing is missing",
    next: result.problem.next ?? `correct ${target.whereIs(service.name)}, or wait until the service answers there`,
  };
}
