import type { Operation } from "../operations/operation.ts";
import { celPath, Expr } from "./value.ts";

/** A call of the translated playbook, whose answer later steps may use. */
export interface CallTarget {
  /** The id of its step in the playbook; empty for a read that is not a step of its own. */
  readonly id: string;
  readonly operation: Operation;
  /** Whether its step passes only if it is refused. Then it has no answer. */
  readonly isRefused?: boolean;
}

/**
 * Returns the expression for a place in the answer of a call, as the service sends it. Returns `undefined` for the paging fields around a page, which a
 * playbook does not see.
 */
export function answerPlace(call: CallTarget, path: readonly string[], owner = `steps.${call.id}`): Expr | undefined {
  const { operation } = call;
  const { service } = operation;
  const payload = owner === "response" ? owner : `${owner}.response`;
  const [first = "", ...rest] = path;
  if (service.envelope !== undefined) {
    if (first === "response") return new Expr(celPath(payload, rest));
    if (first !== "") return new Expr(celPath(`steps.${call.id}.envelope`, path));
  }
  const { paging } = operation.call;
  if (paging !== undefined && service.paging.gives !== "the answer") {
    if (first === paging.items) return new Expr(celPath(payload, rest));
    return first === "count" && rest.length === 0 ? new Expr(`${payload}.size()`) : undefined;
  }
  if (rest.length === 0 && operation.writes && Object.hasOwn(operation.yields, first))
    return new Expr(`steps.${call.id}.${first}`);
  return new Expr(celPath(payload, path));
}
