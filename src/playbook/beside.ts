import { parseDuration } from "../base/duration.ts";
import { LIMITS } from "../base/limits.ts";
import type { TypeName } from "../expression/types.ts";
import type { Operation } from "../operations/operation.ts";
import { child, type MapNode, type SourceNode, textOf } from "../source/node.ts";
import { readUse } from "./acting.ts";
import { readBare, readCondition } from "./bare.ts";
import { compileTemplate } from "./compile.ts";
import type { Discover, Ensure, Retry, SideRead } from "./model.ts";
import { operationAt } from "./operation-name.ts";
import { withoutSecrets } from "./outside.ts";
import { scopeAt, type Spot, type Surroundings } from "./spot.ts";
import { responseType } from "./types.ts";
import { checkWith } from "./with.ts";

/** Where a read stands beside a step. */
export interface Beside {
  readonly spot: Spot;
  readonly around: Surroundings;
  /** Who acts when the read does not say so itself. */
  readonly as: SourceNode | undefined;
  readonly own?: string;
}

/** Reads `{read, with, as}`: a read that is made beside a step. */
export function readSideRead(node: MapNode, { spot, around, as: otherwise, own }: Beside): SideRead | undefined {
  const { context } = around;
  const read = child(node, "read");
  const operation = operationAt(read, context);
  if (operation === undefined || read === undefined) return undefined;
  if (operation.writes) {
    return context.report(
      { code: "playbook.not-a-read", message: `${operation.name} writes; here a read belongs`, suggestion: readsNear(operation) },
      read.range,
    );
  }
  const scope = scopeAt(around, spot, own === undefined ? undefined : { id: own });
  const input = child(node, "with") ?? { kind: "map", entries: new Map(), range: read.range };
  const use = child(node, "as") ?? otherwise ?? around.defaultAs;
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

// A read that comes right after a commit may be served by a peer that has not seen it yet.
const DEFAULT_WITHIN_MS = 10_000;

function readWithin(node: SourceNode): number {
  return parseDuration(textOf(child(node, "within")) ?? "") ?? DEFAULT_WITHIN_MS;
}

/** Reads `ensure`. */
export function readEnsure(node: SourceNode | undefined, beside: Beside): Ensure | undefined {
  if (node?.kind !== "map") return undefined;
  const read = readSideRead(node, beside);
  const that = conditionOver(read, child(node, "that"), beside);
  return read === undefined || that === undefined ? undefined : { read, that, withinMs: readWithin(node) };
}

/** Reads a condition over the `response` of a read. */
export function conditionOver(
  read: SideRead | undefined,
  node: SourceNode | undefined,
  { spot, around, own }: Beside,
): ReturnType<typeof readCondition> {
  if (read === undefined) return undefined;
  const response = responseType(read.operation);
  return readCondition(node, around.context, scopeAt(around, spot, own === undefined ? undefined : { id: own }, { response }));
}

/** Reads `discover`. */
export function readDiscover(node: SourceNode | undefined, beside: Beside): Discover | undefined {
  if (node?.kind !== "map") return undefined;
  const { spot, around, own = "" } = beside;
  const read = readSideRead(node, beside);
  if (read === undefined) return undefined;
  const response = responseType(read.operation);
  const one = readBare(child(node, "one"), around.context, scopeAt(around, spot, { id: own }, { response }));
  if (one === undefined) return undefined;
  const item = itemOf(one.type);
  if (item === undefined) {
    const oneNode = child(node, "one") ?? node;
    return around.context.report(
      {
        code: "expression.wrong-type",
        message: `\`one\` must give a list, and gives ${one.type}`,
        suggestion: "filter the records that were read: response.filter(r, …)",
      },
      oneNode.range,
    );
  }
  const scope = withoutSecrets(scopeAt(around, spot, { id: own }, { response, one: item }));
  const outputs = child(node, "outputs");
  const named = outputs?.kind === "map" ? [...outputs.entries] : [];
  const found = named.flatMap(([name, { value }]) => {
    const output = readBare(value, around.context, scope);
    return output === undefined ? [] : [[name, output.expression] as const];
  });
  return { read, withinMs: readWithin(node), one: one.expression, outputs: new Map(found) };
}

function itemOf(type: TypeName): TypeName | undefined {
  return type === "dyn" ? "dyn" : /^list<(.*)>$/.exec(type)?.[1];
}

/** Reads `retry`; `otherwiseMs` is the pause when it says none. */
export function readRetry(node: SourceNode | undefined, otherwiseMs: number = DEFAULT_EVERY_MS): Retry | undefined {
  if (node?.kind !== "map") return undefined;
  const number = (field: string): number | undefined => {
    const value = child(node, field);
    return value?.kind === "scalar" ? Number(value.value) : undefined;
  };
  return {
    attempts: number("attempts") ?? 1,
    everyMs: parseDuration(textOf(child(node, "every")) ?? "") ?? otherwiseMs,
    backoff: number("backoff") ?? 2,
    maxMs: LIMITS.pauseMs,
  };
}

const DEFAULT_EVERY_MS = 1_000;
