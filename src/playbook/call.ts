import { parseDuration } from "../base/duration.ts";
import { LIMITS } from "../base/limits.ts";
import type { Operation } from "../operations/operation.ts";
import { child, type MapNode, type SourceNode, textOf } from "../source/node.ts";
import { readUse } from "./acting.ts";
import { readCondition, readConditions } from "./bare.ts";
import { type Beside, readDiscover, readEnsure, readRetry } from "./beside.ts";
import { compileTemplate } from "./compile.ts";
import { readFails } from "./fails.ts";
import { readHead } from "./head.ts";
import { kindsMadeBy } from "./kinds.ts";
import type { ActorUse, CallStep, Waiting } from "./model.ts";
import { operationAt } from "./operation-name.ts";
import type { Outline } from "./outline.ts";
import { checkCallRules } from "./rules.ts";
import { scopeAt, type Spot, type Surroundings } from "./spot.ts";
import type { Template } from "./template.ts";
import { answerOf } from "./types.ts";
import { checkWith } from "./with.ts";

const RECEIPT_WAIT: Waiting = { timeoutMs: 60_000, everyMs: 25, backoff: 1.5, maxMs: 2_000 };
const UNTIL_WAIT: Waiting = { timeoutMs: 60_000, everyMs: 250, backoff: 1.5, maxMs: 5_000 };

/** Checks and compiles a step that calls an operation. */
export function readCall(outline: Outline, spot: Spot, around: Surroundings): CallStep | undefined {
  const { id, node } = outline;
  const operation = operationAt(child(node, "uses"), around.context);
  if (operation === undefined) return undefined;
  const { common, inside } = readHead(outline, operation.call.summary, spot, around);
  checkCallRules(node, operation, around);
  const { response, types: answer } = answerOf(operation);
  const after = scopeAt(around, inside, { id, answered: common.foreach === undefined, answer }, { response });
  const beside: Beside = { spot: inside, around, as: child(node, "as"), own: id };
  return {
    kind: "call",
    id: common.id,
    name: common.name,
    line: common.line,
    if: common.if,
    foreach: common.foreach,
    operation,
    with: readWith(node, operation, inside, around),
    as: readAs(node, { id, operation }, inside, around),
    expect: readConditions(child(node, "expect"), around.context, after),
    until: operation.writes ? undefined : readCondition(child(node, "until"), around.context, after),
    onTimeout: textOf(child(node, "on_timeout")) === "pending" ? "pending" : "fail",
    wait: readWait(node, operation),
    fails: readFails(child(node, "fails"), operation, around.context),
    pages: readPages(child(node, "pages")),
    retry: operation.writes ? undefined : readRetry(child(node, "retry")),
    ensure: operation.writes ? readEnsure(child(node, "ensure"), beside) : undefined,
    discover: operation.writes ? readDiscover(child(node, "discover"), beside) : undefined,
  };
}

function readWith(node: MapNode, operation: Operation, spot: Spot, around: Surroundings): Template {
  const uses = child(node, "uses") ?? node;
  const input: SourceNode = child(node, "with") ?? { kind: "map", entries: new Map(), range: uses.range };
  const scope = { ...scopeAt(around, spot, ownOf(node)), makes: kindsMadeBy(operation) };
  return compileTemplate(input, checkWith(input, operation, around.context), around.context, scope);
}

function ownOf(node: MapNode): { readonly id: string } | undefined {
  const id = textOf(child(node, "id"));
  return id === undefined ? undefined : { id };
}

function readAs(
  node: MapNode,
  { id, operation }: { readonly id: string; readonly operation: Operation },
  spot: Spot,
  around: Surroundings,
): ActorUse | undefined {
  const own = child(node, "as");
  const use = own?.range ?? (child(node, "uses") ?? node).range;
  return readUse(own ?? around.defaultAs, {
    context: around.context,
    actors: around.actors,
    operation,
    scope: scopeAt(around, spot, { id }),
    place: own?.range ?? around.defaultAs?.range ?? use,
    use,
  });
}

function readWait(step: MapNode, operation: Operation): Waiting | undefined {
  const node = child(step, "wait");
  if (textOf(node) === "none") return undefined;
  const defaults = operation.writes ? RECEIPT_WAIT : UNTIL_WAIT;
  if (node === undefined && !step.entries.has("timeout")) return defaults;
  const timeout = duration(child(step, "timeout")) ?? duration(child(node, "timeout"));
  const everyMs = duration(child(node, "every")) ?? defaults.everyMs;
  const backoff = child(node, "backoff");
  return {
    timeoutMs: timeout ?? defaults.timeoutMs,
    everyMs,
    backoff: backoff?.kind === "scalar" ? Number(backoff.value) : defaults.backoff,
    maxMs: duration(child(node, "max")) ?? Math.max(defaults.maxMs, everyMs),
  };
}

function readPages(node: SourceNode | undefined): number {
  if (node?.kind !== "scalar" || node.value === "all") return LIMITS.pages;
  return node.value === "first" ? 1 : Number(node.value);
}

function duration(node: SourceNode | undefined): number | undefined {
  const text = textOf(node);
  return text === undefined ? undefined : parseDuration(text);
}
