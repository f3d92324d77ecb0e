import type { JsonObject } from "../../base/json/json.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { bindWrite } from "../service/bind-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Attempted } from "./attempted.ts";

/**
 * Returns the input that a write was sent with. The journal has it with secrets masked, and a mask is never sent: where the recorded input
 * does not make the recorded request, it is bound again from the playbook, and must make that very request.
 */
export function inputSent(
  context: RunContext,
  { place, step, state, caller }: Attempted,
): { readonly input: JsonObject } | { readonly problem: StepProblem } {
  const { input, request } = state.intended;
  const isThat = (candidate: JsonObject): boolean =>
    context.digestOf(context.service.request({ operation: step.operation, input: candidate, caller })) === request.digest;
  if (isThat(input)) return { input };
  const bound = bindWrite(context, place, step);
  if ("problem" in bound) return bound;
  return isThat(bound.input) ? { input: bound.input } : { problem: NOT_THAT };
}

const NOT_THAT: StepProblem = {
  code: "write.not-the-same",
  message: "the request would differ from the one sent before, because a secret in it has another value now",
  why: "a write is sent again only with the same content, and the journal holds no secrets; nothing more was sent",
  next: "set the secret to its earlier value and resume, or check the ledger and begin a new run",
};
