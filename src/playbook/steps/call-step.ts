import type { Operation } from "../../operations/operation.ts";
import { child, type SourceNode, textOf } from "../../source/node.ts";
import type { CheckContext, ExpressionScope } from "../check-context.ts";
import { readUse } from "./actor-use.ts";
import { readCondition, readConditions } from "../expressions/bare-expression.ts";
import { type Beside, readDiscover, readEnsure, retryOf } from "./side-reads.ts";
import { compileTemplate } from "../expressions/compile-template.ts";
import { readFails } from "./expected-refusal.ts";
import { readHead } from "./step-head.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import { type CallFields, WAITS } from "../keywords/step.ts";
import { kindsMadeBy } from "../types/id-kinds.ts";
import type { CallStep, Waiting } from "../model.ts";
import { operationAt } from "./operation-name.ts";
import type { Outline } from "../outline.ts";
import { checkCallRules } from "./call-rules.ts";
import { scopeAt, type Spot, type Surroundings } from "../expressions/expression-scope.ts";
import type { Template } from "../expressions/template.ts";
import { warnOfEmpty } from "../predictions/warnings.ts";
import { answerOf } from "../types/value-types.ts";
import { checkWith } from "./call-input.ts";

/** Checks and compiles a step that calls an operation. */
export function readCall(outline: Outline, spot: Spot, around: Surroundings): CallStep | undefined {
  const { node } = outline;
  const { context } = around;
  const {
    uses,
    with: input,
    as,
    expect,
    until,
    timeout,
    on_timeout,
    wait,
    fails,
    pages,
    retry,
    ensure,
    discover,
    ...rest
  }: CallFields = outline.fields;
  allRead(rest);
  const operation = operationAt(uses, context);
  if (operation === undefined) return undefined;
  const { common, inside } = readHead(outline, operation.call.summary, spot, around);
  const own = { id: common.id };
  checkCallRules(node, operation, around);
  const { response, types: answer } = answerOf(operation);
  const after = scopeAt(around, inside, { ...own, answered: common.foreach === undefined, answer }, { response });
  const beside: Beside = { spot: inside, around, as, own };
  const place = (uses ?? node).range;
  return {
    kind: "call",
    ...common,
    operation,
    with: readWith(input ?? { kind: "map", entries: new Map(), range: place }, operation, outline, { inside, around }),
    as: readUse(as ?? around.defaultAs, {
      context,
      actors: around.actors,
      operation,
      scope: scopeAt(around, inside, own),
      place: as?.range ?? around.defaultAs?.range ?? place,
      use: as?.range ?? place,
    }),
    expect: readConditions(expect, context, after),
    until: operation.writes ? undefined : readUntil(until, context, after),
    onTimeout: on_timeout,
    wait: isUnwaited(wait, fails) ? undefined : readWait(wait, timeout, operation),
    fails: fails === undefined ? undefined : readFails(fails, operation, context),
    pages,
    retry: operation.writes ? undefined : retryOf(retry),
    ensure: operation.writes ? readEnsure(ensure, beside) : undefined,
    discover: operation.writes ? readDiscover(discover, beside, operation) : undefined,
  };
}

function readWith(
  input: SourceNode,
  operation: Operation,
  { fields }: Outline,
  { inside, around }: { readonly inside: Spot; readonly around: Surroundings },
): Template {
  const own = textOf(fields.id);
  const scope = { ...scopeAt(around, inside, own === undefined ? undefined : { id: own }), makes: kindsMadeBy(operation) };
  return compileTemplate(input, checkWith(input, operation, around.context), around.context, scope);
}

function readUntil(node: SourceNode | undefined, context: CheckContext, scope: ExpressionScope): CallStep["until"] {
  const until = readCondition(node, context, scope);
  warnOfEmpty(until, node, context);
  return until;
}

// The service may accept a write and refuse it in its receipt. Without waiting for the receipt, an expected refusal would never be seen.
function isUnwaited(wait: SourceNode | undefined, fails: CallFields["fails"]): boolean {
  return textOf(wait) === "none" && fails === undefined;
}

function readWait(node: SourceNode | undefined, timeout: number | undefined, { writes }: Operation): Waiting {
  const { timeout: timeoutMs, every, backoff, max, ...rest } = fieldsOf(node, writes ? WAITS.receipt : WAITS.until);
  allRead(rest);
  const maxMs = child(node, "max") === undefined ? Math.max(max, every) : max;
  return { timeoutMs: timeout ?? timeoutMs, everyMs: every, backoff, maxMs };
}
