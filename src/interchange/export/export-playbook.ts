import { Decimal } from "../../base/numbers/decimal.ts";
import { readEntity } from "../../base/entity.ts";
import { hasEntities, services } from "../../services/services.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { formatYaml } from "../../source/format.ts";
import { child, type MapNode, type SourceNode, textOf, toJson } from "../../source/node.ts";
import { parseYaml } from "../../source/parse.ts";
import { asNode, onOneLine, writeDocument, type WrittenField } from "../../source/write-yaml.ts";
import { evaluateNode, type Known, type Knowledge, valueOf } from "../expressions/evaluate.ts";
import { ORGANIZATION_INPUT, RUN_KEY_INPUT } from "./export-call.ts";
import { type ExportedBlock, exportSteps } from "./export-steps.ts";
import { type OutStep, parts } from "./export-step.ts";
import { TranslationFindings } from "../findings.ts";
import { Names } from "../names.ts";
import { runtimeOf } from "../expressions/runtime-value.ts";
import { Expr, type WrittenValue } from "../value.ts";

/** The document that a playbook is exported to. */
export interface Exported {
  readonly text: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Translates a playbook, with those that it includes, to an Arazzo document. Never throws for any content of a text. */
export function exportPlaybook(path: string, text: string, files: FileReader): Exported {
  const { playbook, diagnostics } = checkPlaybook(path, text, files);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const { file, root } = parseYaml(path, text);
  if (playbook === undefined || root?.kind !== "map") return { text: undefined, diagnostics: errors };
  const findings = new TranslationFindings(file);
  const inputs = new ExportedInputs();
  const names: Knowledge = {
    inputs: inputs.named(playbook.inputs.map(({ name }) => name)),
    secrets: inputs.named(playbook.secrets.map(({ name }) => name)),
    env: inputs.named(playbook.env.map(({ name }) => name)),
    actors: actorsOf(playbook),
    run: parts({ key: new Expr(`$inputs.${RUN_KEY_INPUT}`) }),
  };
  loseSections(root, findings);
  const ids = new Names((id) => id);
  const block = exportSteps({ path, root, findings, files, names, prefix: "", ids, all: [], inIncluded: [], listed: new Map() });
  const outputs = outputsOf(child(root, "outputs"), { ...names, steps: block.steps }, findings);
  const document = writeArazzo(playbook, { block, outputs, inputs: inputs.declared(root, block.all, outputs) });
  const formatted = formatYaml(path, document, () => undefined);
  return { text: "text" in formatted ? formatted.text : document, diagnostics: [...findings.all, ...block.inIncluded] };
}

// Every input is known by its name; what a document uses of them is declared.
class ExportedInputs {
  named(names: readonly string[]): Known {
    return parts(Object.fromEntries(names.map((name) => [name, new Expr(`$inputs.${name}`)])));
  }

  declared(root: MapNode, steps: readonly OutStep[], outputs: Readonly<Record<string, string>>): object {
    const used = new Set<string>();
    const look = (text: string): void => {
      for (const [, name = ""] of text.matchAll(/\$inputs\.(\w+)/g)) used.add(name);
    };
    for (const step of steps)
      look(JSON.stringify([step.parameters, runtimeOf(step.body ?? null), step.criteria, step.onSuccess]));
    look(JSON.stringify(outputs));
    const given = child(root, "inputs");
    const properties = [...used].map((name) => [name, inputSchemaOf(name, child(given, name))] as const);
    const required = properties.filter(([, schema]) => !("default" in schema)).map(([name]) => name);
    return { type: "object", properties: Object.fromEntries(properties), ...(required.length === 0 ? {} : { required }) };
  }
}

const TYPES: Readonly<Record<string, object>> = {
  decimal: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
  entity: { type: "object" },
  list: { type: "array" },
  object: { type: "object" },
};

const KEPT = ["description", "enum", "pattern", "minimum", "maximum", "minItems", "maxItems", "default"] as const;

function inputSchemaOf(name: string, node: SourceNode | undefined): object {
  if (node === undefined) {
    if (name === RUN_KEY_INPUT)
      return { type: "string", description: "Letters and digits that no earlier run was given: ids are made of it." };
    if (name === ORGANIZATION_INPUT) return { type: "string", description: "The organization of the entities." };
    return { type: "string", format: "password" };
  }
  const type = textOf(child(node, "type")) ?? "string";
  const isNumber = type === "decimal" || type === "integer";
  const kept = KEPT.flatMap((key) => {
    const value = child(node, key);
    if (value === undefined) return [];
    const json = toJson(value);
    return [[key, isNumber && key !== "description" && typeof json === "string" ? (Decimal.parse(json) ?? json) : json] as const];
  });
  return { ...(TYPES[type] ?? { type: "string" }), ...Object.fromEntries(kept) };
}

function actorsOf({ actors }: Playbook): Known {
  const entities = [...actors.values()].map(({ name, group, identities }) => {
    const all = identities.map((identity): WrittenValue => {
      const text = services.filter(hasEntities).flatMap((service) => identity[service.name] ?? [])[0];
      const entity = readEntity(text ?? "");
      const organization = { [ORGANIZATION_INPUT]: new Expr(`$inputs.${ORGANIZATION_INPUT}`) };
      return entity === undefined ? { ...identity } : { ...organization, [entity.attribute]: entity.value };
    });
    return [name, group ? all : all[0]] as const;
  });
  return parts(Object.fromEntries(entities));
}

const LOST_SECTIONS: Readonly<Record<string, string>> = {
  schedule: "Arazzo has no schedule",
  concurrency: "Arazzo has no groups of runs",
  reconcile: "Arazzo compares no two sides",
};

function loseSections(root: MapNode, findings: TranslationFindings): void {
  for (const [name, why] of Object.entries(LOST_SECTIONS)) {
    const entry = root.entries.get(name);
    if (entry !== undefined) findings.lose(entry.key, `\`${name}\` is left out`, why);
  }
}

function outputsOf(
  node: SourceNode | undefined,
  names: Knowledge,
  findings: TranslationFindings,
): Readonly<Record<string, string>> {
  const entries = node?.kind === "map" ? [...node.entries] : [];
  const texts = entries.flatMap(([name, { key, value }]) => {
    const found = valueOf(evaluateNode(value, names));
    const text = found === undefined ? undefined : runtimeOf(found);
    if (typeof text === "string" && text.includes("$")) return [[name, text] as const];
    findings.lose(key, `the output "${name}" is left out`, "an output of Arazzo is one value of an input or an answer");
    return [];
  });
  return Object.fromEntries(texts);
}

interface Parts {
  readonly block: ExportedBlock;
  readonly outputs: Readonly<Record<string, string>>;
  readonly inputs: object;
}

function writeArazzo(playbook: Playbook, { block, outputs, inputs }: Parts): string {
  const interfaces = new Set(block.all.map(({ operation }) => operation.service.name));
  const info = {
    title: playbook.name,
    ...(playbook.description === undefined ? {} : { description: playbook.description }),
    version: "1.0.0",
  };
  const workflow = {
    workflowId: "main",
    inputs,
    steps: block.all.map(stepOf),
    ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
  };
  const sources = [...interfaces].map((name) => onOneLine({ name, url: `${name}.openapi.yaml`, type: "openapi" }));
  const fields: readonly WrittenField[] = [
    { key: "arazzo", value: asNode("1.0.1") },
    { key: "info", value: asNode(info) },
    { key: "sourceDescriptions", value: asNode(sources) },
    { key: "workflows", value: asNode([workflow]), apart: true },
  ];
  return writeDocument(fields);
}

function stepOf(step: OutStep): object {
  const { operation, body } = step;
  const path = operation.call.path.replaceAll("~", "~0").replaceAll("/", "~1");
  return {
    stepId: step.id,
    ...(step.description === undefined ? {} : { description: step.description }),
    operationPath: `{$sourceDescriptions.${operation.service.name}.url}#/paths/${path}/${operation.call.method.toLowerCase()}`,
    ...(step.parameters.length === 0 ? {} : { parameters: step.parameters }),
    ...(body === undefined ? {} : { requestBody: { contentType: "application/json", payload: runtimeOf(body) } }),
    successCriteria: step.criteria,
    ...(step.onSuccess.length === 0 ? {} : { onSuccess: step.onSuccess }),
    ...(step.onFailure.length === 0 ? {} : { onFailure: step.onFailure }),
    ...(step.outputs.size === 0 ? {} : { outputs: Object.fromEntries(step.outputs) }),
  };
}
