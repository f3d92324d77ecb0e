import { Decimal } from "../../base/numbers/decimal.ts";
import { type Operation, operations } from "../../operations/operation.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import { isShipped, resolvePlaybook } from "../../playbook/playbook-files.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { child, type MapNode, type SourceNode, textOf } from "../../source/node.ts";
import { parseYaml } from "../../source/parse.ts";
import {
  evaluate,
  evaluateNode,
  isNamed,
  type Known,
  type Knowledge,
  type Named,
  parseExpression,
  valueOf,
} from "../expressions/evaluate.ts";
import { exportCall } from "./export-one.ts";
import type { Exporting, StepPlace } from "../exporting.ts";
import { type OutStep, parts } from "./export-step.ts";
import { TranslationFindings } from "../findings.ts";
import { stepId } from "../names.ts";
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
  if (!isMade(node, names, around)) return;
  const own = textOf(child(node, "id"));
  const id = prefix + (own ?? stepId(textOf(child(node, "uses")) ?? "block"));
  const foreach = child(node, "foreach");
  if (foreach === undefined) {
    Object.assign(known, exportOnce({ node, id, names }, into));
    return;
  }
  const rounds = roundsOf(foreach, names, around).map(([key, bound]) => {
    const round = `${id}_${key.replaceAll(/\W+/g, "_")}`;
    return [key, exportOnce({ node, id: round, names: { ...names, ...bound } }, { ...into, id: `${round}_` })] as const;
  });
  for (const step of new Set([...(own === undefined ? [] : [own]), ...rounds.flatMap(([, made]) => Object.keys(made))]))
    known[step] = parts(Object.fromEntries(rounds.map(([key, made]) => [key, made[step]])));
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

/** What later steps know of steps, by their ids. */
type KnownSteps = Readonly<Record<string, Known>>;

function exportOnce(place: StepPlace, into: Into): KnownSteps {
  const { node } = place;
  const { around } = into;
  const uses = textOf(child(node, "uses"));
  if (uses === undefined) return exportBlock(place, into);
  const operation = operations.get(uses);
  const made = operation === undefined ? include(place, uses, around) : exportCall(place, operation, around);
  const own = textOf(child(node, "id"));
  return made === undefined || own === undefined ? {} : { [own]: made };
}

const BLOCK_PARTS = {
  rescue: "Arazzo has no steps for the failure of several others",
  retry: "Arazzo repeats one step, and not several",
} as const;

function exportBlock({ node, names }: StepPlace, { around, id }: Into): KnownSteps {
  for (const [part, why] of Object.entries(BLOCK_PARTS)) {
    const entry = node.entries.get(part);
    if (entry !== undefined) around.findings.lose(entry.key, `\`${part}\` is left out`, why);
  }
  const own: Record<string, Known> = {};
  const inside: Into = { around, known: own, id };
  const namesInside = { ...names, steps: bothOf(parts(own), names["steps"]) };
  exportList(child(node, "block"), namesInside, inside);
  const always = node.entries.get("always");
  if (always !== undefined) {
    around.findings.lose(always.key, "`always` runs only after a success", "Arazzo has no steps that run after a failure");
    exportList(always.value, namesInside, inside);
  }
  return own;
}

// The steps of a block and those before it.
function bothOf(own: Named, before: Known | undefined): Named {
  return {
    part: (key) => own.part(key) ?? (before !== undefined && isNamed(before) ? before.part(key) : undefined),
    value: () => undefined,
  };
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
