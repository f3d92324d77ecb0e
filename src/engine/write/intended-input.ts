import { type JsonObject, writeJson } from "../../base/json/json.ts";
import { isMasked } from "../../base/secret.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { bindWrite } from "../service/bind-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Attempted } from "./attempted.ts";

/**
 * Returns the input with which a write was sent. The journal holds it with secrets masked, and a mask is never sent. So an input with a
 * mask is bound again from the playbook, and must give the recorded request.
 */
export function inputSent(
  context: RunContext,
  { place, step, state, caller }: Attempted,
): { readonly input: JsonObject } | { readonly problem: StepProblem } {
  const { input, request } = state.intended;
  if (!isMasked(writeJson(input))) return { input };
  const bound = bindWrite(context, place, step);
  if ("problem" in bound) return bound;
  const now = context.service.request({ operation: step.operation, input: bound.input, caller });
  return context.digestOf(now) === request.digest ? { input: bound.input } : { problem: NOT_THAT };
}

const NOT_THAT: StepProblem = {
  code: "write.not-the-same",
  message:
    "the request would differ from the one sent before: a secret in it has another value now, or the profile in tokenbook.yaml gives it another form",
  why: "a write is looked for, and sent again, only with the same content, and the journal holds no secrets; it was not sent again",
  next: "set the secret, or the profile, to its earlier value and resume, or check the ledger and begin a new run",
};
