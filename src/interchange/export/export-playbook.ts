import { present } from "../../base/present.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import { pointerTo } from "../../schema/pointer.ts";
import { child, entriesIn, type SourceNode } from "../../source/node.ts";
import { parseYaml } from "../../source/parse.ts";
import { asNode, onOneLine, type WrittenField } from "../../source/write-yaml.ts";
import { evaluateNode, type Knowledge, valueOf } from "../expressions/evaluate.ts";
import { actorsOf } from "./export-actors.ts";
import { ExportedInputs } from "./export-inputs.ts";
import { type ExportedBlock, exportSteps } from "./export-steps.ts";
import { type OutStep, parts } from "./export-step.ts";
import { loseKeywords } from "./fates.ts";
import { type Translated, TranslationFindings } from "../findings.ts";
import { Names } from "../names.ts";
import { runtimeOf } from "../value.ts";
import { writeFormatted } from "../write-playbook.ts";

/** Translates a playbook, with the playbooks that it includes, to an Arazzo document. Never throws, whatever the text. */
export function exportPlaybook(path: string, text: string, files: FileReader): Translated {
  const { playbook, diagnostics } = checkPlaybook(path, text, files);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const { file, root } = parseYaml(path, text);
  if (playbook === undefined || root?.kind !== "map") return { text: undefined, diagnostics: errors };
  const findings = new TranslationFindings(file);
  const inputs = new ExportedInputs(findings);
  const names: Knowledge = {
    inputs: inputs.given(playbook, root),
    env: inputs.env(playbook.env),
    secrets: inputs.secrets(playbook.secrets),
    actors: actorsOf(playbook, inputs),
    run: parts({ key: inputs.runKey }),
  };
  loseKeywords("playbook", root, findings);
  const block = exportSteps({
    path,
    root,
    findings,
    files,
    names,
    prefix: "",
    about: undefined,
    ids: new Names(),
    words: new Names((id) => id.replaceAll("_", ""), ""),
    inputs,
    all: [],
    inIncluded: [],
    listed: new Map(),
  });
  if (block.all.length === 0)
    findings.refuse(root, "no step of this playbook can be written in Arazzo", "a workflow of Arazzo has at least one step");
  const outputs = outputsOf(child(root, "outputs"), { ...names, steps: block.steps }, findings);
  const steps = block.all.map(stepOf);
  const fields = arazzoFields(playbook, { block, steps, outputs, inputs: inputs.declared(JSON.stringify([steps, outputs])) });
  const made = writeFormatted(path, fields, () => undefined);
  return { text: findings.failed ? undefined : made, diagnostics: [...findings.all, ...block.inIncluded] };
}

function outputsOf(
  node: SourceNode | undefined,
  names: Knowledge,
  findings: TranslationFindings,
): Readonly<Record<string, string>> {
  const texts = entriesIn(node).flatMap(([name, { key, value }]) => {
    const found = valueOf(evaluateNode(value, names));
    const text = found === undefined ? undefined : runtimeOf(found);
    if (typeof text === "string" && text.includes("$")) return [[name, text] as const];
    findings.lose(key, `the output "${name}" is left out`, "an output of Arazzo is one value of an input or an answer");
    return [];
  });
  return Object.fromEntries(texts);
}

interface ExportedParts {
  readonly block: ExportedBlock;
  readonly steps: readonly object[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly inputs: object;
}

function arazzoFields(playbook: Playbook, { block, steps, outputs, inputs }: ExportedParts): readonly WrittenField[] {
  const interfaces = new Set(block.all.map(({ operation }) => operation.service.name));
  const info = {
    title: playbook.name,
    ...present({ description: playbook.description }),
    version: "1.0.0",
  };
  const workflow = {
    workflowId: "main",
    inputs,
    steps,
    ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
  };
  const sources = [...interfaces].map((name) => onOneLine({ name, url: `${name}.openapi.yaml`, type: "openapi" }));
  return [
    { key: "arazzo", value: asNode("1.0.1") },
    { key: "info", value: asNode(info) },
    { key: "sourceDescriptions", value: asNode(sources) },
    { key: "workflows", value: asNode([workflow]), apart: true },
  ];
}

function stepOf(step: OutStep): object {
  const { operation, body } = step;
  const place = pointerTo(["paths", operation.call.path, operation.call.method.toLowerCase()]);
  return {
    stepId: step.id,
    ...present({ description: step.description }),
    operationPath: `{$sourceDescriptions.${operation.service.name}.url}#${place}`,
    ...(step.parameters.length === 0 ? {} : { parameters: step.parameters }),
    ...(body === undefined ? {} : { requestBody: { contentType: "application/json", payload: runtimeOf(body) } }),
    successCriteria: step.criteria,
    ...(step.onSuccess.length === 0 ? {} : { onSuccess: step.onSuccess }),
    ...(step.onFailure.length === 0 ? {} : { onFailure: step.onFailure }),
    ...(step.outputs.size === 0 ? {} : { outputs: Object.fromEntries(step.outputs) }),
  };
}
