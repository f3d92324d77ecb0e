import { type TypeEnvironment, TypeEnvironment as Types } from "../expression/types.ts";
import { SchemaSet } from "../schema/validator.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import { type ListNode, type MapNode, type SourceNode, textOf, toJson } from "../source/node.ts";
import { essential, placeProblem } from "../source/problems.ts";
import { parseYaml, type SourceFile } from "../source/yaml.ts";
import { compileTemplate } from "./compile.ts";
import { CheckContext, type ExpressionScope } from "./context.ts";
import { readActors, section } from "./declarations.ts";
import type { FileReader } from "./files.ts";
import { playbookFrame } from "./frame.ts";
import { readInputs } from "./input-declarations.ts";
import type { ActorDeclaration, InputDeclaration, Playbook, Step } from "./model.ts";
import { type StepName, StepNames } from "./names.ts";
import { readStep } from "./step.ts";
import type { Template } from "./template.ts";
import { actorsType, inputsType, runType, stepType } from "./types.ts";
import { operations } from "../operations/operation.ts";

/** What a check gives: the playbook when nothing is wrong, and what was found. */
export interface CheckResult {
  readonly playbook: Playbook | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const frames = new SchemaSet();

/**
 * Checks a playbook's text, and the files that it names when there is a reader for them: no network, no environment. Never throws
 * for what the texts hold.
 */
export function checkPlaybook(path: string, text: string, files?: FileReader): CheckResult {
  const { file, root, diagnostics } = parseYaml(path, text);
  if (root === undefined) return { playbook: undefined, diagnostics };
  const context = new CheckContext(file, files);
  const framed = checkFrame(root, context);
  const playbook = framed === undefined ? undefined : new PlaybookReader(framed, file, context).read();
  return { playbook: context.failed ? undefined : playbook, diagnostics: context.diagnostics() };
}

function checkFrame(root: SourceNode, context: CheckContext): MapNode | undefined {
  for (const problem of essential(frames.validator(playbookFrame)(toJson(root)))) {
    const { finding, range } = placeProblem(problem, root);
    context.report(finding, range);
  }
  return !context.failed && root.kind === "map" ? root : undefined;
}

class PlaybookReader {
  readonly #root: MapNode;
  readonly #file: SourceFile;
  readonly #context: CheckContext;

  constructor(root: MapNode, file: SourceFile, context: CheckContext) {
    this.#root = root;
    this.#file = file;
    this.#context = context;
  }

  read(): Playbook {
    const inputs = readInputs(section(this.#root, "inputs"), this.#context);
    const actors = readActors(section(this.#root, "actors"));
    const nodes = this.#stepNodes();
    const names = this.#stepNames(nodes);
    const types = this.#types(inputs, actors, nodes, names);
    const readOnly = textOf(section(this.#root, "mode")) === "read-only";
    return {
      file: this.#file.path,
      text: this.#file.text,
      name: textOf(section(this.#root, "name")) ?? this.#file.path,
      readOnly,
      inputs,
      actors,
      steps: this.#steps(nodes, names, { types, actors, readOnly }),
      outputs: this.#outputs(names, types),
    };
  }

  #stepNodes(): readonly MapNode[] {
    const list = section(this.#root, "steps") as ListNode;
    return list.items.filter((item): item is MapNode => item.kind === "map");
  }

  // A step without an id gets one by its place, so that reports and the journal can name it.
  #stepNames(nodes: readonly MapNode[]): readonly StepName[] {
    const names = new Map<string, StepName>();
    return nodes.map((node, at) => {
      const idNode = node.entries.get("id")?.value;
      const id = textOf(idNode) ?? `step${at + 1}`;
      const first = names.get(id);
      if (first !== undefined) {
        this.#context.report(
          {
            code: "playbook.duplicate-step",
            message: `a step "${id}" is already on line ${first.line}`,
            suggestion: "give each step an id of its own",
          },
          idNode?.range ?? node.range,
        );
      }
      const name = { id, line: this.#file.lineOf(node.range.start), conditional: node.entries.has("if") };
      names.set(id, first ?? name);
      return name;
    });
  }

  #types(
    inputs: readonly InputDeclaration[],
    actors: ReadonlyMap<string, ActorDeclaration>,
    nodes: readonly MapNode[],
    names: readonly StepName[],
  ): TypeEnvironment {
    const types = Types.empty();
    const fields = names.map(({ id }, at) => [id, this.#stepField(types, nodes[at])] as const);
    return types.with({
      inputs: inputsType(types, inputs),
      actors: actorsType(types, actors),
      run: runType(types),
      steps: types.define("Steps", Object.fromEntries(fields)),
    });
  }

  #stepField(types: TypeEnvironment, node: MapNode | undefined): string {
    const operation = operations.get(textOf(node?.entries.get("uses")?.value) ?? "");
    if (operation === undefined) return "dyn";
    const type = stepType(types, operation);
    return node?.entries.has("foreach") === true ? `map<string, ${type}>` : type;
  }

  #steps(
    nodes: readonly MapNode[],
    list: readonly StepName[],
    known: { types: TypeEnvironment; actors: ReadonlyMap<string, ActorDeclaration>; readOnly: boolean },
  ): readonly Step[] {
    const defaults = section(this.#root, "defaults");
    const defaultAs = defaults?.kind === "map" ? defaults.entries.get("as")?.value : undefined;
    const names = byId(list);
    const done = new Set<string>();
    return nodes.flatMap((node, at) => {
      const name = list[at];
      const step =
        name === undefined ? undefined : readStep(node, name, done, { context: this.#context, names, defaultAs, ...known });
      if (name !== undefined) done.add(name.id);
      return step === undefined ? [] : [step];
    });
  }

  #outputs(list: readonly StepName[], types: TypeEnvironment): ReadonlyMap<string, Template> {
    const node = section(this.#root, "outputs");
    if (node?.kind !== "map") return new Map();
    const names = byId(list);
    const finder = new StepNames(names, new Set(names.keys()));
    const scope: ExpressionScope = { types, names: (expression) => finder.check(expression) };
    return new Map([...node.entries].map(([name, { value }]) => [name, compileTemplate(value, undefined, this.#context, scope)]));
  }
}

function byId(names: readonly StepName[]): ReadonlyMap<string, StepName> {
  return new Map(names.map((name) => [name.id, name]));
}
