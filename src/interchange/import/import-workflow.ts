import { LIMITS } from "../../base/limits.ts";
import { present } from "../../base/present.ts";
import type { Operation } from "../../operations/operation.ts";
import { services } from "../../services/services.ts";
import { child, entriesIn, itemsIn, type MapNode, type Range, type SourceNode, textOf } from "../../source/node.ts";
import type { ArazzoDocument } from "../arazzo-document.ts";
import type { TranslationFindings } from "../findings.ts";
import { type ActedStep, type Repeats, repeatsOf, type Skips, skipAfter, whenRun } from "./import-actions.ts";
import type { ImportedActors } from "./import-actors.ts";
import { type ImportedCall, readCall } from "./import-call.ts";
import { allOf, readCriteria } from "./import-criteria.ts";
import type { ImportedInputs } from "./import-inputs.ts";
import type { CallTarget } from "../answer-place.ts";
import { type GivenParameter, type Outputs, type ValueOfName, WorkflowScope } from "./import-scope.ts";
import type { Names } from "../names.ts";
import { operationAtPath, operationOfId } from "../operation-reference.ts";
import { Expr, type WrittenValue } from "../value.ts";

/** A step of the translated playbook: its fields, and the place from which it was translated. */
interface ImportedStep {
  /** Its id in the playbook. */
  readonly id: string;
  /** The place of its step's name in the document. */
  readonly range: Range;
  /** The fields of the step in the order in which they are written. A field that is `undefined` is left out. */
  readonly [field: string]: unknown;
}

/** What all workflows of a document share during the translation. */
export interface Importing {
  /** The document that is translated. */
  readonly document: ArazzoDocument;
  /** The inputs and secrets of the playbook. */
  readonly inputs: ImportedInputs;
  /** The actors of the playbook. */
  readonly actors: ImportedActors;
  /** The workflows of the document by id, in order. */
  readonly workflows: ReadonlyMap<string, MapNode>;
  /** The names of its source descriptions. */
  readonly sources: ReadonlySet<string>;
  /** The steps of the playbook so far, in order. */
  readonly steps: ImportedStep[];
  /** The outputs of the workflows that were already translated. */
  readonly outputs: Map<string, Outputs>;
  /** The ids of all steps, which are unique. */
  readonly ids: Names;
}

/** How a workflow is run: by itself, or by a step of another workflow. */
interface WorkflowCall {
  readonly id: string;
  /** The prefix of its steps' ids in the playbook; empty if it is the only workflow that no other one runs. */
  readonly prefix: string;
  /** The workflows around it, and the workflow itself. */
  readonly chain: readonly string[];
  readonly input: ValueOfName;
}

/** Translates the steps of a workflow where they are used, and returns its outputs. */
export function importWorkflow(workflow: MapNode, call: WorkflowCall, importing: Importing): Outputs {
  const { document, outputs: known } = importing;
  const { findings } = document;
  for (const dependency of itemsIn(child(workflow, "dependsOn"))) dependOn(dependency, call, importing);
  const scope = new WorkflowScope(findings, call.input, known);
  const steps = itemsIn(child(workflow, "steps")).map((node) => actedStep(node, workflow, document));
  const skips: Skips = new Map();
  const guards: Guards = new Map();
  steps.forEach((step, at) => importStep(step, { guards, at, steps, skips, scope, workflow, call, importing }));
  const outputs = valuesIn(child(workflow, "outputs"), (node) => scope.value(node));
  known.set(call.id, outputs);
  return outputs;
}

function valuesIn(node: SourceNode | undefined, read: (node: SourceNode) => WrittenValue | undefined): Outputs {
  const values = entriesIn(node).map(([name, { value }]) => [name, read(value)] as const);
  return new Map(values.filter((pair): pair is readonly [string, WrittenValue] => pair[1] !== undefined));
}

function dependOn(node: SourceNode, { chain }: WorkflowCall, importing: Importing): void {
  const id = textOf(node) ?? "";
  if (importing.outputs.has(id)) return;
  const workflow = workflowNamed(id, node, chain, importing);
  if (workflow === undefined) return;
  const input: ValueOfName = (name, place) => importing.inputs.value(name, place);
  importing.inputs.declare(child(workflow, "inputs"));
  importWorkflow(workflow, { id, prefix: `${id}_`, chain: [...chain, id], input }, importing);
}

function workflowNamed(id: string, place: SourceNode, chain: readonly string[], importing: Importing): MapNode | undefined {
  const { findings } = importing.document;
  const found = importing.workflows.get(id);
  if (found === undefined) return findings.refuse(place, `there is no workflow "${id}" in this document`, "nothing could be run");
  if (chain.includes(id))
    return findings.refuse(
      place,
      `the workflows run one another in a circle: ${[...chain, id].join(" → ")}`,
      "the run would never end",
    );
  if (chain.length > LIMITS.includeDepth)
    return findings.refuse(place, `more than ${LIMITS.includeDepth} workflows inside one another`, "tokenbook keeps a limit");
  return found;
}

/** Returns the object that a reusable object refers to. */
function resolved(node: SourceNode, document: ArazzoDocument): SourceNode {
  const reference = textOf(child(node, "reference"));
  const [, kind = "", name = ""] = /^\$components\.(\w+)\.([\w.-]+)$/.exec(reference ?? "") ?? [];
  if (reference === undefined) return node;
  const found = child(child(child(document.root, "components"), kind), name);
  if (found === undefined) document.findings.refuse(node, `"${reference}" leads nowhere`, "the document has no such component");
  return found ?? node;
}

function actedStep(node: SourceNode, workflow: MapNode, document: ArazzoDocument): ActedStep {
  const actions = (own: string, shared: string): readonly SourceNode[] => {
    const given = [...itemsIn(child(node, own)), ...itemsIn(child(workflow, shared))].map((action) => resolved(action, document));
    // An action of the step replaces the workflow's action of the same name.
    return [...new Map(given.toReversed().map((action) => [textOf(child(action, "name")), action])).values()].toReversed();
  };
  return {
    id: textOf(child(node, "stepId")) ?? "",
    node,
    onSuccess: actions("onSuccess", "successActions"),
    onFailure: actions("onFailure", "failureActions"),
  };
}

/**
 * For each write that a read guards, its `ensure`: the read jumps over the write if its effect is already there. A receipt that belongs to such a write is
 * marked as awaited, because a run awaits it itself.
 */
type Guards = Map<number, object | typeof AWAITED>;

const AWAITED = "awaited";

interface AtStep {
  readonly guards: Guards;
  readonly at: number;
  readonly steps: readonly ActedStep[];
  readonly skips: Skips;
  readonly scope: WorkflowScope;
  readonly workflow: MapNode;
  readonly call: WorkflowCall;
  readonly importing: Importing;
}

function importStep(step: ActedStep, around: AtStep): void {
  const { scope, importing } = around;
  const { findings } = importing.document;
  const { node, id } = step;
  if (scope.steps.has(id))
    findings.refuse(child(node, "stepId") ?? node, `two steps are called "${id}"`, "a reference to it would have two meanings");
  if (importing.steps.length >= LIMITS.steps) {
    findings.refuse(
      node,
      `more than ${LIMITS.steps} steps, with those of the workflows that steps run`,
      "a playbook has no more",
    );
    return;
  }
  for (const needed of itemsIn(child(node, "dependsOn")))
    if (!scope.steps.has(textOf(needed) ?? ""))
      findings.refuse(
        needed,
        `"${textOf(needed)}" does not come before this step`,
        "the steps of a playbook run one after the other",
      );
  const workflowId = child(node, "workflowId");
  if (workflowId !== undefined) return runWorkflow(step, workflowId, around);
  const operation = operationOf(node, importing);
  if (operation === undefined) return;
  if (around.guards.get(around.at) === AWAITED) return;
  const receipt = operation.writes ? undefined : guardedReceipt(step, around);
  const guard = receipt === undefined ? undefined : guardOf(step, operation, around);
  if (receipt === undefined || guard === undefined) return callOperation(step, operation, around);
  around.guards.set(around.at + 1, guard);
  for (const at of receipt) around.guards.set(at, AWAITED);
}

// If a read guards the next step, returns where that write's receipt is, if it is read. Such a read goes to the next step if it fails, and otherwise jumps over
// the write and its receipt. Nothing jumps over the read alone, and the write has no jumps of its own (decision 212).
function guardedReceipt({ onSuccess, onFailure }: ActedStep, { at, steps, skips }: AtStep): readonly number[] | undefined {
  const [write, next, last] = [steps[at + 1], steps[at + 2], steps[at + 3]];
  if (skips.has(at) || !goesTo(onFailure, write) || write?.onSuccess.length !== 0) return undefined;
  if (goesTo(onSuccess, next)) return [];
  const isReceipt = RECEIPTS.has(operationNamed(next?.node)?.name ?? "") && next?.onSuccess.length === 0;
  return isReceipt && goesTo(onSuccess, last) ? [at + 2] : undefined;
}

const RECEIPTS = new Set<string>(services.flatMap(({ receipts }) => receipts?.read("").operation ?? []));

function goesTo([action, ...more]: readonly SourceNode[], target: ActedStep | undefined): boolean {
  if (action === undefined || more.length > 0 || child(action, "criteria") !== undefined) return false;
  return target !== undefined && textOf(child(action, "stepId")) === target.id;
}

function guardOf({ node }: ActedStep, operation: Operation, around: AtStep): object | undefined {
  const { scope } = around;
  const own: CallTarget = { id: "", operation };
  const { expect } = readCriteria(itemsIn(child(node, "successCriteria")), { scope, own, owner: "response" });
  const made = callIn(node, operation, around);
  if (expect.length === 0 || made === undefined) return undefined;
  const { as, with: input } = made;
  return { as, read: operation.name, ...present({ with: input }), that: allOf(expect) };
}

function callIn(node: SourceNode, operation: Operation, { scope, workflow, importing }: AtStep): ImportedCall | undefined {
  const { document, actors } = importing;
  const parameters = parametersOf(node, workflow, document);
  return readCall(operation, { parameters, body: child(node, "requestBody"), node }, { scope, actors });
}

function parametersOf(node: SourceNode, workflow: MapNode | undefined, document: ArazzoDocument): readonly GivenParameter[] {
  const given = [...itemsIn(child(workflow, "parameters")), ...itemsIn(child(node, "parameters"))].map((item) => {
    const parameter = resolved(item, document);
    const value = child(item, "value") ?? child(parameter, "value") ?? parameter;
    return { name: textOf(child(parameter, "name")) ?? "", in: textOf(child(parameter, "in")) ?? "", value, node: item };
  });
  return [...new Map(given.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}

// Translates the steps of a workflow in the place of the step that runs it.
function runWorkflow(step: ActedStep, workflowId: SourceNode, { scope, call, importing, skips, at }: AtStep): void {
  const { findings } = importing.document;
  const id = textOf(workflowId) ?? "";
  const workflow = workflowNamed(id, workflowId, call.chain, importing);
  if (workflow === undefined) return;
  for (const part of [...step.onSuccess, ...step.onFailure, ...itemsIn(child(step.node, "successCriteria"))])
    findings.refuse(
      part,
      "a step that runs a workflow has no actions and criteria of its own here",
      "write them at the steps of the workflow",
    );
  if (skips.has(at)) findings.refuse(step.node, "a workflow cannot be jumped over", "write the condition at its steps");
  const parameters = parametersOf(step.node, undefined, importing.document);
  const given = new Map(parameters.map(({ name, value }) => [name, { value: scope.value(value), node: value }]));
  const defaults = child(child(workflow, "inputs"), "properties");
  const input: ValueOfName = (name, place) => {
    const usual = child(child(defaults, name), "default");
    const known = given.get(name) ?? (usual === undefined ? undefined : { value: scope.value(usual), node: usual });
    if (known !== undefined && !(known.value instanceof Expr) && importing.inputs.isSecretIn(workflow, name))
      return findings.refuse(
        known.node,
        `the secret input "${name}" of the workflow "${id}" is given as a text`,
        "a secret that is written into a document would be copied into the playbook, shown and kept",
        "give it the value of an input with format: password",
      );
    if (known !== undefined) return known.value;
    return findings.refuse(
      place,
      `the workflow "${id}" is run without its input "${name}"`,
      "the step that runs it does not give it",
    );
  };
  const prefix = `${call.prefix}${step.id}_`;
  const outputs = importWorkflow(workflow, { id, prefix, chain: [...call.chain, id], input }, importing);
  scope.steps.set(
    step.id,
    (name, place) =>
      outputs.get(name) ??
      findings.refuse(place, `the step "${step.id}" has no output "${name}"`, "its workflow has none of this name"),
  );
}

function operationOf(node: SourceNode, { document, sources }: Importing): Operation | undefined {
  const { findings } = document;
  const path = child(node, "operationPath");
  const id = child(node, "operationId");
  const place = path ?? id ?? node;
  const text = textOf(place) ?? "";
  if (child(node, "action") !== undefined)
    return findings.refuse(node, "a message cannot be sent", "the service has no messages");
  const source = /\$sourceDescriptions\.([\w-]+)/.exec(text)?.[1];
  if (source !== undefined && !sources.has(source))
    return findings.refuse(place, `there is no source description "${source}"`, "the operation cannot be found");
  const operation = operationNamed(node);
  if (operation !== undefined) return operation;
  return findings.refuse(
    place,
    "this is no operation of the service",
    "an operation is recognised by its method and path in the two contracts, or by its name there",
    "write {$sourceDescriptions.NAME.url}#/paths/~1token~1mint/post, or ledger.token.mint",
  );
}

function operationNamed(node: SourceNode | undefined): Operation | undefined {
  const path = textOf(child(node, "operationPath"));
  return path === undefined ? operationOfId(textOf(child(node, "operationId")) ?? "") : operationAtPath(path);
}

function callOperation(step: ActedStep, operation: Operation, around: AtStep): void {
  const { scope, call, importing, skips, at, steps } = around;
  const { document, ids } = importing;
  const { node } = step;
  const target: CallTarget = { id: ids.fresh(call.prefix + step.id), operation };
  const made = callIn(node, operation, around);
  const { expect, fails } = readCriteria(itemsIn(child(node, "successCriteria")), { scope, own: target, owner: "response" });
  const outputs = child(node, "outputs");
  const ended = { ...target, isRefused: fails !== undefined };
  scope.steps.set(step.id, (name, place) => {
    const found = child(outputs, name);
    if (found !== undefined) return scope.value(found, ended);
    return document.findings.refuse(place, `the step "${step.id}" has no output "${name}"`, "it lists its outputs under outputs");
  });
  skipAfter(at, steps, { scope, own: ended, owner: `steps.${target.id}` }, skips);
  const repeats = repeatsOf(step, operation.writes, document.findings);
  if (made === undefined) return;
  const runs = whenRun(skips.get(at));
  importing.steps.push({
    range: (child(node, "stepId") ?? node).range,
    id: target.id,
    name: nameOf(node),
    if: runs === "" ? undefined : runs,
    as: made.as,
    uses: operation.name,
    with: made.with,
    pages: operation.call.paging === undefined ? undefined : "first",
    ensure: around.guards.get(at),
    ...repeated(expect, repeats, { timeout: child(node, "timeout"), findings: document.findings }),
    fails: fails === undefined ? undefined : failsOf(fails),
  });
}

function nameOf(node: SourceNode): string | undefined {
  const [line = ""] = (textOf(child(node, "description")) ?? "").trim().split("\n");
  return line === "" ? undefined : line.replaceAll("${{", "$ {{");
}

function failsOf({ condition, status }: { readonly condition?: string; readonly status?: readonly number[] }): object {
  const [only, ...more] = status ?? [];
  const statuses = only === undefined ? {} : { status: more.length === 0 ? only : status };
  return { ...present({ condition }), ...statuses };
}

// A read is polled if its answer must become as expected. If it may only fail, it is retried.
function repeated(
  expect: readonly string[],
  repeats: Repeats | undefined,
  { timeout, findings }: { readonly timeout: SourceNode | undefined; readonly findings: TranslationFindings },
): Readonly<Record<string, unknown>> {
  const polls = repeats !== undefined && expect.length > 0;
  if (timeout !== undefined && !polls)
    findings.lose(timeout, "the timeout of this step is not kept", "the environment has one timeout for all requests");
  if (repeats === undefined) return expect.length === 0 ? {} : { expect };
  const every = `${Math.max(1, repeats.everyMs)}ms`;
  if (!polls) {
    if (repeats.attempts > LIMITS.retries)
      findings.lose(repeats.action, `the read is repeated ${LIMITS.retries} times at most`, "every repetition has a limit");
    return { retry: { attempts: Math.min(repeats.attempts, LIMITS.retries), every, backoff: 1 } };
  }
  const given = timeout?.kind === "scalar" ? Number(timeout.value) : Infinity;
  const timeoutMs = Math.min(given, Math.max(1000, repeats.everyMs * repeats.attempts));
  return { until: allOf(expect), wait: { timeout: `${timeoutMs}ms`, every, backoff: 1, max: every } };
}
