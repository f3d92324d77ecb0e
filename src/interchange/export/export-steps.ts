import { Decimal } from "../../base/decimal.ts";
import { type Operation, operations } from "../../operations/operation.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import { isShipped, resolvePlaybook } from "../../playbook/playbook-files.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { child, type MapNode, type SourceNode, textOf } from "../../source/node.ts";
import { parseYaml } from "../../source/parse.ts";
import { evaluate, evaluateNode, type Known, type Knowledge, parseExpression, valueOf } from "../expressions/evaluate.ts";
import { exportCall } from "./export-one.ts";
import type { Exporting, StepPlace } from "../exporting.ts";
import { type OutStep, parts } from "./export-step.ts";
import { TranslationFindings } from "../findings.ts";
import type { WrittenValue } from "../value.ts";

/** The steps of a playbook as steps of a workflow. */
export interface ExportedBlock {
  readonly all: readonly OutStep[];
  /** `steps`, as later expressions know it. */
  readonly steps: Known;
  /** What was found in the playbooks that it includes. */
  readonly inIncluded: readonly Diagnostic[];
}

/** Exports the steps and the checks of a playbook. */
export function exportSteps(around: Exporting): ExportedBlock {
  const known: Record<string, Known> = {};
  const names = { ...around.names, steps: parts(known) };
  exportList(child(around.root, "steps"), names, { around, known, id: around.prefix });
  exportChecks(child(around.root, "checks"), names, around);
  return { all: around.all, steps: names.steps, inIncluded: around.inIncluded };
}

interface Into {
  readonly around: Exporting;
  /** What later steps know of these. */
  readonly known: Record<string, Known>;
  /** What the ids of these steps begin with. */
  readonly id: string;
}

function exportList(list: SourceNode | undefined, names: Knowledge, into: Into): void {
  for (const node of list?.kind === "list" ? list.items : []) if (node.kind === "map") exportStep(node, names, into);
}

function exportStep(node: MapNode, names: Knowledge, into: Into): void {
  const { around, known, id: prefix } = into;
  const id = textOf(child(node, "id")) ?? "";
  if (!isMade(node, names, around)) return;
  const foreach = child(node, "foreach");
  if (foreach === undefined) {
    const made = exportOnce({ node, id: prefix + id, names }, into);
    if (made !== undefined) known[id] = made;
    return;
  }
  const rounds = roundsOf(foreach, names, around);
  const made = rounds.map(([key, bound]) => {
    const round = exportOnce({ node, id: `${prefix}${id}_${key.replaceAll(/\W+/g, "_")}`, names: { ...names, ...bound } }, into);
    return [key, round] as const;
  });
  known[id] = parts(Object.fromEntries(made));
}

// A condition that is known before a run decides here; any other cannot be written.
function isMade(node: MapNode, names: Knowledge, { findings }: Exporting): boolean {
  const condition = child(node, "if");
  if (condition?.kind !== "scalar") return true;
  const known =
    typeof condition.value === "string" ? valueOf(evaluate(parseExpression(condition.value), names)) : condition.value;
  if (typeof known === "boolean") return known;
  findings.lose(
    condition,
    "the step is left out",
    "its condition cannot be written in Arazzo, and without it the step would always run",
  );
  return false;
}

function roundsOf(foreach: SourceNode, names: Knowledge, { findings }: Exporting): readonly (readonly [string, Knowledge])[] {
  const [variable, entry] =
    foreach.kind === "map" ? ([...foreach.entries].find(([name]) => name !== "key" && name !== "parallel") ?? []) : [];
  const list = entry === undefined ? undefined : evaluateNode(entry.value, names);
  if (variable === undefined || !Array.isArray(list)) {
    findings.lose(foreach, "the rounds of this step are left out", "Arazzo has no loops, and the list is known only in a run");
    return [];
  }
  const key = textOf(child(foreach, "key")) ?? "";
  return (list as readonly WrittenValue[]).map((item, at) => {
    const bound = { [variable]: item };
    const name = valueOf(evaluate(parseExpression(key), { ...names, ...bound }));
    return [typeof name === "string" ? name : String(at + 1), bound] as const;
  });
}

function exportOnce(place: StepPlace, into: Into): Known | undefined {
  const { node } = place;
  const { around } = into;
  const uses = textOf(child(node, "uses"));
  if (uses === undefined) return exportBlock(place, into);
  const operation = operations.get(uses);
  return operation === undefined ? include(place, uses, around) : exportCall(place, operation, around);
}

const BLOCK_PARTS = {
  rescue: "Arazzo has no steps for the failure of several others",
  retry: "Arazzo repeats one step, and not several",
} as const;

function exportBlock({ node, names }: StepPlace, { around, known, id }: Into): Known {
  for (const [part, why] of Object.entries(BLOCK_PARTS)) {
    const entry = node.entries.get(part);
    if (entry !== undefined) around.findings.lose(entry.key, `\`${part}\` is left out`, why);
  }
  const inside: Record<string, Known> = { ...known };
  exportList(child(node, "block"), { ...names, steps: parts(inside) }, { around, known: inside, id });
  const always = node.entries.get("always");
  if (always !== undefined) {
    around.findings.lose(always.key, "`always` runs only after a success", "Arazzo has no steps that run after a failure");
    exportList(always.value, { ...names, steps: parts(inside) }, { around, known: inside, id });
  }
  Object.assign(known, inside);
  return parts({});
}

function include({ node, id, names }: StepPlace, uses: string, around: Exporting): Known | undefined {
  const { files, findings } = around;
  const path = resolvePlaybook(around.path, uses);
  const text = isShipped(path) ? files.shipped?.read(path) : files.read(path);
  const { playbook } = text === undefined ? {} : checkPlaybook(path, text, files);
  const { file, root } = parseYaml(path, text ?? "");
  if (playbook === undefined || root?.kind !== "map")
    return findings.lose(node, `${uses} cannot be read`, "the step is left out");
  const inner = new TranslationFindings(file);
  const given = child(node, "with");
  const inputs = playbook.inputs.map(({ name }) => {
    const own = child(given, name);
    const usual = child(child(child(root, "inputs"), name), "default");
    const value = own === undefined ? usual && evaluateNode(usual, {}) : evaluateNode(own, names);
    return [name, fitted(value, playbook.inputs.find((each) => each.name === name)?.type)] as const;
  });
  const inside = {
    ...around,
    path,
    root,
    findings: inner,
    names: { ...names, inputs: parts(Object.fromEntries(inputs)), actors: parts(actorsIn(root)) },
    prefix: `${id}_`,
  };
  const block = exportSteps(inside);
  const outputs = child(root, "outputs");
  const values = outputs?.kind === "map" ? [...outputs.entries] : [];
  const known = values.map(([name, { value }]) => [name, evaluateNode(value, { ...inside.names, steps: block.steps })] as const);
  around.inIncluded.push(...inner.all);
  return parts({ outputs: parts(Object.fromEntries(known)) });
}

// Identities by key have no value that could be sent.
function actorsIn(root: MapNode): Readonly<Record<string, Known>> {
  const actors = child(root, "actors");
  return Object.fromEntries(Array.from(actors?.kind === "map" ? actors.entries.keys() : [], (name) => [name, parts({})]));
}

function fitted(value: WrittenValue | undefined, type: string | undefined): WrittenValue | undefined {
  const isNumber = type === "decimal" || type === "integer";
  return isNumber && typeof value === "string" ? (Decimal.parse(value) ?? value) : value;
}

// A check is a read with a condition, after all steps.
function exportChecks(list: SourceNode | undefined, names: Knowledge, around: Exporting): void {
  (list?.kind === "list" ? list.items : []).forEach((node, at) => {
    const read = textOf(child(node, "read"));
    const operation: Operation | undefined = read === undefined ? undefined : operations.get(read);
    if (node.kind !== "map" || operation === undefined || textOf(child(node, "severity")) === "warn") {
      around.findings.lose(
        node,
        "this check is left out",
        "Arazzo has steps, and no checks of what is conserved or only reported",
      );
      return;
    }
    exportCall({ node, id: `${around.prefix}check_${at + 1}`, names }, operation, around);
  });
}
