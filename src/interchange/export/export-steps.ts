import { Decimal } from "../../base/numbers/decimal.ts";
import { operations } from "../../operations/operation.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import { isShipped, resolvePlaybook } from "../../playbook/playbook-files.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { child, entriesIn, itemsIn, type MapNode, type SourceNode, textOf } from "../../source/node.ts";
import { parseYaml } from "../../source/parse.ts";
import { evaluate, evaluateNode, type Knowledge, type Known, parseExpression, valueOf } from "../expressions/evaluate.ts";
import { actorsOf } from "./export-actors.ts";
import { aboutOf, exportCall } from "./export-one.ts";
import type { Exporting, StepPlace } from "../exporting.ts";
import { bothOf, type OutStep, parts, partsOf } from "./export-step.ts";
import { loseKeywords } from "./fates.ts";
import { namesIn } from "../../playbook/keywords/shared.ts";
import { TranslationFindings } from "../findings.ts";
import { stepId } from "../names.ts";
import type { WrittenValue } from "../value.ts";

/** The steps of a playbook as steps of a workflow. */
export interface ExportedBlock {
  /** The steps of the workflow, in order. */
  readonly all: readonly OutStep[];
  /** `steps` for later expressions. */
  readonly steps: Known;
  /** The findings in the playbooks that it includes. */
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
  /** The steps of this list that later steps can refer to. */
  readonly known: Record<string, Known>;
  /** The prefix of these steps' ids. */
  readonly id: string;
}

function exportList(list: SourceNode | undefined, names: Knowledge, into: Into): void {
  for (const node of itemsIn(list)) if (node.kind === "map") exportStep(node, names, into);
}

function exportStep(node: MapNode, names: Knowledge, into: Into): void {
  const { around, known, id: prefix } = into;
  if (!isMade(node, names, around)) return;
  const own = textOf(child(node, "id"));
  const id = prefix + (own ?? stepId(textOf(child(node, "uses")) ?? "block"));
  if (child(node, "foreach") === undefined) {
    Object.assign(known, exportOnce({ node, id, names }, into));
    return;
  }
  const rounds = roundsOf({ node, id, names }, around).map(
    ({ key, place }) => [key, exportOnce(place, { ...into, id: `${place.id}_` })] as const,
  );
  for (const step of new Set([...(own === undefined ? [] : [own]), ...rounds.flatMap(([, made]) => Object.keys(made))]))
    known[step] = partsOf(rounds.map(([key, made]) => [key, made[step]]));
}

// If the condition is known before a run, it is decided here. Any other condition cannot be written.
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

interface ExportedRound {
  readonly key: string;
  readonly place: StepPlace;
}

// Returns the rounds of a `foreach`. Without one, the step itself is the only round.
function roundsOf(place: StepPlace, { findings }: Exporting): readonly ExportedRound[] {
  const { node, id, names } = place;
  const foreach = child(node, "foreach");
  if (foreach === undefined) return [{ key: "", place }];
  const [[variable, entry] = []] = foreach.kind === "map" ? namesIn(foreach) : [];
  const list = entry === undefined ? undefined : evaluateNode(entry.value, names);
  if (variable === undefined || !Array.isArray(list)) {
    findings.lose(foreach, "the rounds of this step are left out", "Arazzo has no loops, and the list is known only in a run");
    return [];
  }
  const asked = parseExpression(textOf(child(foreach, "key")) ?? "");
  return (list as readonly WrittenValue[]).map((item, at) => {
    const inRound = { ...names, [variable]: item };
    const name = valueOf(evaluate(asked, inRound));
    const key = typeof name === "string" ? name : String(at + 1);
    return { key, place: { node, id: `${id}_${key.replaceAll(/\W+/g, "_")}`, names: inRound } };
  });
}

/** The steps that later steps can refer to, by id. */
type KnownSteps = Readonly<Record<string, Known>>;

function exportOnce(place: StepPlace, into: Into): KnownSteps {
  const { node } = place;
  const { around } = into;
  const uses = textOf(child(node, "uses"));
  const operation = operations.get(uses ?? "");
  loseKeywords(uses === undefined ? "block" : operation === undefined ? "include" : "call", node, around.findings);
  if (uses === undefined) return exportBlock(place, into);
  const made = operation === undefined ? include(place, uses, around) : exportCall(place, operation, around);
  const own = textOf(child(node, "id"));
  return made === undefined || own === undefined ? {} : { [own]: made };
}

function exportBlock({ node, names }: StepPlace, { around: outside, id }: Into): KnownSteps {
  const around = { ...outside, about: aboutOf(node, outside) };
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
  const inputs = playbook.inputs.map(({ name, type, default: usual }) => {
    const own = child(given, name);
    const value = own === undefined ? usual : evaluateNode(own, names);
    return [name, fitted(value, type)] as const;
  });
  const inside = {
    ...around,
    path,
    root,
    findings: inner,
    names: {
      ...names,
      inputs: partsOf(inputs),
      env: around.inputs.env(playbook.env),
      secrets: around.inputs.secrets(playbook.secrets),
      actors: actorsOf(playbook, around.inputs),
    },
    prefix: `${id}_`,
    about: aboutOf(node, around),
  };
  const block = exportSteps(inside);
  const known = entriesIn(child(root, "outputs")).map(
    ([name, { value }]) => [name, evaluateNode(value, { ...inside.names, steps: block.steps })] as const,
  );
  around.inIncluded.push(...inner.all);
  return parts({ outputs: partsOf(known) });
}

function fitted(value: WrittenValue | undefined, type: string | undefined): WrittenValue | undefined {
  const isNumber = type === "decimal" || type === "integer";
  return isNumber && typeof value === "string" ? (Decimal.parse(value) ?? value) : value;
}

// A check becomes a read with a condition, after all steps.
function exportChecks(list: SourceNode | undefined, names: Knowledge, around: Exporting): void {
  itemsIn(list).forEach((node, at) => {
    if (node.kind !== "map") return;
    const operation = operations.get(textOf(child(node, "read")) ?? "");
    if (operation === undefined || textOf(child(node, "severity")) === "warn") {
      around.findings.lose(
        node,
        "this check is left out",
        "Arazzo has steps, and no checks of what is conserved or only reported",
      );
      return;
    }
    loseKeywords("check", node, around.findings);
    const id = `${around.prefix}check_${at + 1}`;
    for (const { place } of roundsOf({ node, id, names }, around)) exportCall(place, operation, around);
  });
}
