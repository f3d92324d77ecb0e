import { Decimal } from "../../base/numbers/decimal.ts";
import { present } from "../../base/present.ts";
import { DEFAULT_PROFILE } from "../../contract/profile.ts";
import { type Operation, operations } from "../../operations/operation.ts";
import { conditionsOf, plainWords } from "../../operations/refusal.ts";
import { fieldsOf } from "../../playbook/keywords/keyword.ts";
import type { RetryFields } from "../../playbook/keywords/shared.ts";
import { STEP, WAITS } from "../../playbook/keywords/step.ts";
import { KEY_ACTS } from "../../playbook/steps/identity.ts";
import { child, itemsIn, type SourceNode, textOf } from "../../source/node.ts";
import { evaluateNode, join, type Known, type Knowledge, parseExpression } from "../expressions/evaluate.ts";
import { type ExportedRequest, sentBy } from "./export-call.ts";
import { criteriaOf, type Criterion, isDouble, rounded } from "./export-criteria.ts";
import { ORGANIZATION } from "./export-inputs.ts";
import { AnswerPlace, bothOf, named, OutStep, parts, payloadOf } from "./export-step.ts";
import type { Exporting, StepPlace } from "../exporting.ts";
import { isMap, Joined, runtimeOf, type ValueMap, type WrittenValue } from "../value.ts";

const SUCCESS: Criterion = { condition: "$statusCode >= 200 && $statusCode < 300" };
const REFUSED: Criterion = { condition: "$statusCode >= 400" };

/** Exports a call of an operation, with the reads that belong to it. */
export function exportCall(place: StepPlace, operation: Operation, around: Exporting): Known | undefined {
  const { node, id, names } = place;
  const { findings, all } = around;
  const input = evaluateNode(child(node, "with") ?? EMPTY, names);
  const as = actingIn(writtenAs(node, around), operation, place, around);
  if (!isMap(input) || as === undefined)
    return findings.lose(
      child(node, "with") ?? node,
      "the step is left out",
      "a value of it is known only in a run, which Arazzo cannot write",
    );
  const step = new OutStep(around.ids.fresh(id), operation);
  step.description = aboutOf(node, around);
  const ensured = ensure(place, step, around);
  const sent = sentBy(step, input, around);
  all.push(step);
  fill(step, sent, as);
  reportValues(sent, node, around);
  expectations(step, place, around);
  repeats(step, place, around);
  if (operation.writes && child(node, "fails") === undefined) awaitReceipt(step, as, { node, around });
  const after = ensured === undefined ? undefined : ensured();
  const found = sent.yields.part("id") === undefined ? discovered(step, sent, { as, around, node }) : undefined;
  return knownOf(step, sent, { found, ensured: after });
}

/** Returns the name of a step for people, with the names of the blocks and includes around it. */
export function aboutOf(node: SourceNode, { about }: Exporting): string | undefined {
  return [about, textOf(child(node, "name"))].filter((each) => each !== undefined).join(": ") || undefined;
}

const EMPTY: SourceNode = { kind: "map", entries: new Map(), range: { start: 0, end: 0 } };

function knownOf(
  step: OutStep,
  { yields }: ExportedRequest,
  more: { readonly found: AnswerPlace | undefined; readonly ensured: Known | undefined },
): Known {
  const own: Record<string, Known | undefined> = {
    response: payloadOf(step, false),
    envelope: new AnswerPlace(step, [], false),
    ensured: more.ensured,
    ...present({ id: more.found }),
  };
  return named((key) => own[key] ?? yields.part(key));
}

function writtenAs(node: SourceNode, { root }: Exporting): SourceNode | undefined {
  return child(node, "as") ?? child(child(root, "defaults"), "as");
}

/** The parameters that identify the actor. */
type ActingParameters = readonly object[];

function actingIn(
  node: SourceNode | undefined,
  operation: Operation,
  { names }: StepPlace,
  around: Exporting,
): ActingParameters | undefined {
  const { service } = operation;
  const { identity, keyHeader, name } = service;
  const declared = textOf(node) === undefined ? node : child(child(around.root, "actors"), textOf(node) ?? "");
  const own = textOf(child(declared, name));
  const header = (credential: string): object => ({
    name: keyHeader,
    in: "header",
    value: around.inputs.key(credential).text,
  });
  if (identity.kind === "credential") return own === undefined ? undefined : [header(own)];
  const key = header(`${name.toUpperCase()}_API_KEY`);
  if (node === undefined || own === KEY_ACTS) return [key];
  const entity = own ?? entityText(evaluateNode(node, names));
  if (entity === undefined) return undefined;
  const { in: where, name: parameter } = identity.onBehalfOf(DEFAULT_PROFILE);
  return [key, { name: parameter, in: where, value: runtimeOf(entity) }];
}

function entityText(value: WrittenValue | undefined): WrittenValue | undefined {
  if (typeof value === "string") return value;
  const [attribute, name] = isMap(value) ? (Object.entries(value).find(([key]) => key !== ORGANIZATION) ?? []) : [];
  return attribute === undefined || name === undefined ? undefined : join([`${attribute}:`, name]);
}

function fill(step: OutStep, sent: ExportedRequest, as: ActingParameters): void {
  step.parameters = [...as, ...sent.parameters.map((parameter) => ({ ...parameter, value: runtimeOf(parameter.value) }))];
  step.body = sent.body;
}

function reportValues(sent: ExportedRequest, node: SourceNode, { findings }: Exporting): void {
  const values = [...sent.parameters.map(({ value }) => value), sent.body ?? null].flatMap(leaves);
  const place = child(node, "with") ?? node;
  if (sent.unmarked)
    findings.tighten(place, "requests have no mark of the run", "Arazzo would not look for it: a lost answer stays lost");
  for (const value of values) {
    if (value instanceof Decimal && !isDouble(value)) findings.lose(place, ...rounded(value));
    if (typeof value === "string" && /^\$|\{\$/.test(value))
      findings.lose(
        place,
        `the text "${value}" would be read as an expression`,
        "a text that begins with $ cannot be written in Arazzo",
      );
  }
}

function leaves(value: WrittenValue): readonly WrittenValue[] {
  if (Array.isArray(value)) return (value as readonly WrittenValue[]).flatMap(leaves);
  if (isMap(value)) return Object.values(value).flatMap(leaves);
  return value instanceof Joined ? value.parts.filter((part) => typeof part === "string" && part.includes("{$")) : [value];
}

function textsIn(node: SourceNode | undefined): readonly SourceNode[] {
  return node === undefined || node.kind === "list" ? itemsIn(node) : [node];
}

function expectations(step: OutStep, { node, names }: StepPlace, { findings }: Exporting): void {
  const fails = child(node, "fails");
  if (fails !== undefined) {
    step.criteria = refusal(fails, step);
    return;
  }
  const own = ownNames(step, node, names);
  const asked = [...textsIn(child(node, "expect")), ...textsIn(child(node, "until")), ...textsIn(child(node, "that"))];
  const criteria = asked.flatMap((each) => {
    const found = criteriaOf(parseExpression(textOf(each) ?? ""), own, (message, why) => findings.lose(each, message, why));
    if (found === undefined) findings.lose(each, "this expectation is not checked", "the criteria of Arazzo cannot say it");
    return found ?? [];
  });
  step.criteria = [SUCCESS, ...criteria];
}

// The names that the step's own criteria can use: `response`, and the step by its own id.
function ownNames(step: OutStep, node: SourceNode, names: Knowledge): Knowledge {
  const response = payloadOf(step, true);
  const own = textOf(child(node, "id")) ?? "";
  const yields = Object.keys(step.operation.yields).map((name) => [name, new AnswerPlace(step, [name], true)] as const);
  const self = parts({ response, ...Object.fromEntries(step.operation.service.envelope === undefined ? yields : []) });
  return { ...names, response, steps: bothOf(parts({ [own]: self }), names["steps"]) };
}

function refusal(fails: SourceNode, step: OutStep): readonly Criterion[] {
  const asked = textOf(child(fails, "condition"));
  // The condition is written as the service spells it, because runners compare texts exactly.
  const condition = conditionsOf(step.operation.call).find((each) => plainWords(each) === plainWords(asked ?? "")) ?? asked;
  const status = child(fails, "status");
  const codes = textsIn(status).map((each) => `$statusCode == ${each.kind === "scalar" ? String(each.value) : ""}`);
  const place = new AnswerPlace(step, ["condition"], true).value().text;
  return [
    codes.length === 0 ? REFUSED : { condition: codes.join(" || ") },
    ...(condition === undefined ? [] : [{ condition: `${place} == '${condition}'` }]),
  ];
}

// How often a workflow polls if the playbook leaves this to tokenbook.
const POLL_MS = 1_000;

function repeats(step: OutStep, { node }: StepPlace, { findings, root }: Exporting): void {
  const retry = STEP.retry.read(child(node, "retry"));
  if (retry !== undefined) step.onFailure = [again(retry)];
  else if (child(node, "until") !== undefined) {
    const wait = child(node, "wait");
    const usual = fieldsOf(wait, WAITS.until);
    const every = child(wait, "every") === undefined ? POLL_MS : usual.every;
    step.onFailure = [polled(STEP.timeout.read(child(node, "timeout")) ?? usual.timeout, every)];
    const pending = child(node, "on_timeout");
    if (textOf(pending) === "pending")
      findings.lose(pending ?? node, "the step fails when the time is over", "a run of Arazzo cannot be pending");
  }
  const { paging } = step.operation.call;
  if (paging !== undefined && child(node, "fails") === undefined && textOf(child(node, "pages")) !== "first")
    findings.lose(child(node, "uses") ?? child(node, "read") ?? root, "only the first page is read", "Arazzo has no pages");
}

// Makes as many attempts in the same total time, because the pauses of Arazzo do not grow.
function again({ attempts = 2, every, backoff }: RetryFields): object {
  const pauses = Array.from({ length: attempts - 1 }, (_, at) => every * backoff ** at);
  const totalMs = pauses.reduce((sum, pause) => sum + pause, 0);
  return retrying(pauses.length, totalMs / pauses.length);
}

function polled(timeoutMs: number, everyMs: number): object {
  return retrying(Math.max(1, Math.ceil(timeoutMs / everyMs)), everyMs);
}

function retrying(limit: number, everyMs: number): object {
  return { name: "again", type: "retry", retryAfter: Math.round(everyMs) / 1000, retryLimit: limit };
}

// Exports a write with `ensure`, which is only sent if its effect is missing. A read before the write jumps over it, and a read after the write checks the
// effect.
function ensure(place: StepPlace, step: OutStep, around: Exporting): (() => Known) | undefined {
  const { node, id, names } = place;
  const ensured = child(node, "ensure");
  const that = child(ensured, "that");
  const read = operations.get(textOf(child(ensured, "read")) ?? "");
  if (ensured === undefined || that === undefined || read === undefined) return undefined;
  const sideRead = (suffix: string): OutStep | undefined => {
    const side = new OutStep(around.ids.fresh(`${id}_${suffix}`), read);
    const input = evaluateNode(child(ensured, "with") ?? EMPTY, names);
    const as = actingIn(child(ensured, "as") ?? writtenAs(node, around), read, place, around);
    const known = { ...names, response: payloadOf(side, true) };
    const criteria = criteriaOf(parseExpression(textOf(that) ?? ""), known, (message, why) => {
      if (suffix === "before") around.findings.lose(that, message, why);
    });
    if (!isMap(input) || as === undefined || criteria === undefined) return undefined;
    fill(side, sentBy(side, input, around), as);
    side.criteria = [SUCCESS, ...criteria];
    return side;
  };
  const before = sideRead("before");
  const after = sideRead("ensured");
  if (before === undefined || after === undefined) {
    around.findings.lose(
      that,
      "`ensure` is left out: the write is always sent",
      "the criteria of Arazzo cannot say when it is done already",
    );
    return undefined;
  }
  before.onSuccess = [{ name: "done", type: "goto", stepId: after.id }];
  before.onFailure = [{ name: "make", type: "goto", stepId: step.id }];
  around.all.push(before);
  return () => {
    after.onFailure = [polled(STEP.ensure.read(ensured)?.within ?? POLL_MS, POLL_MS)];
    around.all.push(after);
    return payloadOf(after, false);
  };
}

// A run finds what it created by its mark. A workflow takes it from its place in the list.
function discovered(
  step: OutStep,
  { input }: ExportedRequest,
  { as, around, node }: { readonly as: ActingParameters; readonly around: Exporting; readonly node: SourceNode },
): AnswerPlace | undefined {
  const { discovery } = step.operation.meaning;
  const read = discovery && operations.get(discovery.read);
  if (discovery === undefined || read === undefined || child(node, "fails") !== undefined) return undefined;
  const asked = discovery.with(input as never) as ValueMap;
  const key = JSON.stringify([discovery.read, runtimeOf(asked), as]);
  const index = around.listed.get(key) ?? 0;
  around.listed.set(key, index + 1);
  const list = new OutStep(around.ids.fresh(`${step.id}_found`), read);
  fill(list, sentBy(list, asked, around), as);
  list.criteria = [SUCCESS];
  around.all.push(list);
  around.findings.lose(
    node,
    `what is made is taken from place ${index + 1} of a list`,
    "the answer does not name it, and Arazzo cannot look for a mark",
  );
  return payloadOf(list, false).part(String(index)).part("id");
}

// If a write is answered before its commit, its receipt is polled.
function awaitReceipt(
  step: OutStep,
  as: ActingParameters,
  { node, around }: { readonly node: SourceNode; readonly around: Exporting },
): void {
  const wait = child(node, "wait");
  if (textOf(wait) === "none") return;
  const { service, async } = step.operation;
  const { receipts } = service;
  if (receipts === undefined || async) return;
  const receiptId = new AnswerPlace(step, ["receiptId"], false).value();
  const { operation, input } = receipts.read(MARKED);
  const read = operations.get(operation);
  if (read === undefined) return;
  const receipt = new OutStep(around.ids.fresh(`${step.id}_receipt`), read);
  const given = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, value === MARKED ? receiptId : value]),
  ) as ValueMap;
  fill(receipt, sentBy(receipt, given, around), as);
  const [committed = ""] = receipts.rules(DEFAULT_PROFILE).committed;
  receipt.criteria = [SUCCESS, { condition: `$response.body#/status == '${committed}'` }];
  receipt.onFailure = [polled(fieldsOf(wait, WAITS.receipt).timeout, POLL_MS)];
  around.all.push(receipt);
}

const MARKED = "\uE003";
