import { LIMITS } from "../../base/limits.ts";
import { itemType, type TypeName } from "../../expression/types.ts";
import type { Operation } from "../../operations/operation.ts";
import { entriesIn, type SourceNode } from "../../source/node.ts";
import { readUse } from "./actor-use.ts";
import { readBare, readCondition } from "../expressions/bare-expression.ts";
import { compileTemplate } from "../expressions/compile-template.ts";
import { allRead } from "../keywords/keyword.ts";
import type { RetryFields, SideReadFields } from "../keywords/shared.ts";
import type { DiscoverFields, EnsureFields } from "../keywords/step.ts";
import type { Discover, Ensure, Retry, SideRead } from "../model.ts";
import { operationAt } from "./operation-name.ts";
import { withoutSecrets } from "../settings/secrets-and-variables.ts";
import { scopeAt, type Spot, type Surroundings } from "../expressions/expression-scope.ts";
import { warnOfEmpty } from "../predictions/warnings.ts";
import { isFieldOfStep, responseType } from "../types/value-types.ts";
import { checkWith } from "./call-input.ts";

/** The place of a read beside a step. */
export interface Beside {
  /** The place in the playbook, with the names that may be used there. */
  readonly spot: Spot;
  /** What every part of the playbook is checked against. */
  readonly around: Surroundings;
  /** The actor of a read without its own `as`. */
  readonly as: SourceNode | undefined;
  /** The step of the read; left out in a check or a comparison. */
  readonly own?: { readonly id: string };
}

/** Reads `{read, with, as}`: a read beside a step. */
export function readSideRead(fields: SideReadFields, { spot, around, as: otherwise, own }: Beside): SideRead | undefined {
  const { read, with: given, as, ...rest } = fields;
  allRead(rest);
  const { context } = around;
  const operation = operationAt(read, context);
  if (operation === undefined || read === undefined) return undefined;
  if (operation.writes) {
    return context.report(
      {
        code: "playbook.not-a-read",
        message: `${operation.name} writes; a read is expected here`,
        suggestion: readsNear(operation),
      },
      read.range,
    );
  }
  const scope = scopeAt(around, spot, own);
  const input = given ?? { kind: "map", entries: new Map(), range: read.range };
  const use = as ?? otherwise ?? around.defaultAs;
  const place = use?.range ?? read.range;
  return {
    operation,
    with: compileTemplate(input, checkWith(input, operation, context), context, scope),
    as: readUse(use, { context, actors: around.actors, operation, scope, place, use: read.range }),
  };
}

function readsNear({ name }: Operation): string {
  return `to look at it, take a read such as ${name.replace(/\.[^.]+$/, ".get")}`;
}

/** Reads `ensure`. */
export function readEnsure(fields: EnsureFields | undefined, beside: Beside): Ensure | undefined {
  if (fields === undefined) return undefined;
  const { read: reads, with: input, as, that: condition, within: withinMs, ...rest } = fields;
  allRead(rest);
  const read = readSideRead({ read: reads, with: input, as }, beside);
  const that = conditionOver(read, condition, beside);
  warnOfEmpty(that, condition, beside.around.context);
  return read === undefined || that === undefined ? undefined : { read, that, withinMs };
}

/** Reads a condition over the `response` of a read. */
export function conditionOver(
  read: SideRead | undefined,
  node: SourceNode | undefined,
  { spot, around, own }: Beside,
): ReturnType<typeof readCondition> {
  if (read === undefined) return undefined;
  const response = responseType(read.operation);
  return readCondition(node, around.context, scopeAt(around, spot, own, { response }));
}

/** Reads `discover` of a step that calls this operation. */
export function readDiscover(fields: DiscoverFields | undefined, beside: Beside, operation: Operation): Discover | undefined {
  if (fields === undefined) return undefined;
  const { read: reads, with: input, as, within: withinMs, one: expression, outputs, ...rest } = fields;
  allRead(rest);
  const { spot, around, own } = beside;
  const read = readSideRead({ read: reads, with: input, as }, beside);
  if (read === undefined) return undefined;
  const response = responseType(read.operation);
  const one = readBare(expression, around.context, scopeAt(around, spot, own, { response }));
  if (one === undefined || expression === undefined) return undefined;
  const item = itemOf(one.type);
  if (item === undefined) {
    return around.context.report(
      {
        code: "expression.wrong-type",
        message: `\`one\` must give a list, and gives ${one.type}`,
        suggestion: "filter the records that were read: response.filter(r, …)",
      },
      expression.range,
    );
  }
  const scope = withoutSecrets(scopeAt(around, spot, own, { response, one: item }));
  const found = entriesIn(outputs).flatMap(([name, { key, value }]) => {
    if (isFieldOfStep(operation, name)) {
      const message = `steps.${own?.id ?? ""}.${name} is a field of the step itself, which an output of this name would hide`;
      around.context.report({ code: "schema.name", message, suggestion: "choose another name" }, key);
      return [];
    }
    const output = readBare(value, around.context, scope);
    return output === undefined ? [] : [[name, output.expression] as const];
  });
  return { read, withinMs, one: one.expression, outputs: new Map(found) };
}

function itemOf(type: TypeName): TypeName | undefined {
  return type === "dyn" ? "dyn" : itemType(type);
}

/** Returns how to retry a failed step. */
export function retryOf(fields: RetryFields | undefined): Retry | undefined {
  if (fields === undefined) return undefined;
  const { attempts = 1, every: everyMs, backoff, ...rest } = fields;
  allRead(rest);
  return { attempts, everyMs, backoff, maxMs: LIMITS.pauseMs };
}
