import { child, itemsIn, type MapNode, type Range, textOf } from "../../source/node.ts";
import type { Translated } from "../findings.ts";
import { type ArazzoDocument, readArazzo } from "../arazzo-document.ts";
import { ImportedActors } from "./import-actors.ts";
import { ImportedInputs } from "./import-inputs.ts";
import { fieldName, Names, stepId } from "../names.ts";
import { type WrittenValue, written } from "../value.ts";
import { writePlaybook } from "../write-playbook.ts";
import type { ValueOfName } from "./import-scope.ts";
import { importWorkflow, type Importing } from "./import-workflow.ts";

/** A translated document. */
export interface Translation extends Translated {
  /** The place in the document from which each step was translated. */
  readonly places: ReadonlyMap<string, Range>;
}

/** Translates an Arazzo document to a playbook. Never throws, whatever the text. */
export function importArazzo(path: string, text: string): Translation & Partial<ArazzoDocument> {
  const document = readArazzo(path, text);
  const { findings } = document;
  if (!("root" in document)) return { text: undefined, diagnostics: findings.all, places: new Map() };
  const inputs = new ImportedInputs(document.root, findings);
  const actors = new ImportedActors(findings, inputs);
  const importing: Importing = {
    document,
    inputs,
    actors,
    workflows: workflowsOf(document),
    sources: sourcesOf(document),
    steps: [],
    outputs: new Map(),
    ids: new Names(stepId),
  };
  const outputs = importAll(importing);
  const places = new Map(importing.steps.map(({ id, range }) => [id, range]));
  const made = findings.failed ? undefined : playbookOf(importing, outputs);
  return { text: made, diagnostics: findings.all, places, file: document.file };
}

function workflowsOf({ root, findings }: ArazzoDocument): ReadonlyMap<string, MapNode> {
  const found = new Map<string, MapNode>();
  for (const node of itemsIn(child(root, "workflows"))) {
    const id = child(node, "workflowId");
    const name = textOf(id) ?? "";
    if (found.has(name))
      findings.refuse(id ?? node, `two workflows are called "${name}"`, "a reference to it would have two meanings");
    if (node.kind === "map") found.set(name, node);
  }
  return found;
}

function sourcesOf({ root, findings }: ArazzoDocument): ReadonlySet<string> {
  const names = new Set<string>();
  for (const source of itemsIn(child(root, "sourceDescriptions"))) {
    const type = child(source, "type");
    if (textOf(type) === "asyncapi") findings.refuse(type ?? source, "AsyncAPI is not translated", "the service has no messages");
    if (textOf(type) === "arazzo")
      findings.refuse(
        type ?? source,
        "workflows of another document are not translated",
        "tokenbook translates one document at a time",
        "move its workflows into this document",
      );
    names.add(textOf(child(source, "name")) ?? "");
  }
  return names;
}

// Translates the workflows that no other workflow runs, in order.
function importAll(importing: Importing): ReadonlyMap<string, WrittenValue> {
  const { workflows, document, inputs } = importing;
  const used = new Set(
    [...workflows.values()].flatMap((workflow) => [
      ...itemsIn(child(workflow, "steps")).map((step) => textOf(child(step, "workflowId"))),
      ...itemsIn(child(workflow, "dependsOn")).map(textOf),
    ]),
  );
  const roots = [...workflows].filter(([id]) => !used.has(id));
  const [first] = workflows;
  if (roots.length === 0 && first !== undefined) {
    const place = child(first[1], "workflowId") ?? first[1];
    document.findings.refuse(place, "every workflow is run by another one", "the workflows run one another in a circle");
    return new Map();
  }
  for (const [, workflow] of roots) inputs.declare(child(workflow, "inputs"));
  const input: ValueOfName = (name, place) => inputs.value(name, place);
  const made = roots.map(([id, workflow]) => {
    const prefix = roots.length > 1 ? `${id}_` : "";
    return [...importWorkflow(workflow, { id, prefix, chain: [id], input }, importing)].map(
      ([name, value]) => [prefix + name, value] as const,
    );
  });
  return new Map(made.flat());
}

function playbookOf(
  { document, inputs, actors, steps, workflows }: Importing,
  outputs: ReadonlyMap<string, WrittenValue>,
): string {
  const info = child(document.root, "info");
  const [workflow] = workflows.size === 1 ? workflows.values() : [];
  const about = [textOf(child(workflow, "description")), textOf(child(info, "description")), textOf(child(info, "summary"))];
  const names = new Names(fieldName);
  return writePlaybook({
    path: document.file.path,
    name: textOf(child(info, "title")),
    description: about.find((text) => text !== undefined && text.trim() !== ""),
    ...inputs.written(),
    actors: actors.declared.written(),
    steps: steps.map(({ range: _range, ...fields }) => fields),
    outputs: Object.fromEntries([...outputs].map(([name, value]) => [names.of(name), written(value)])),
  });
}
