import type { Json } from "../base/json.ts";
import { child, nodeAt, type SourceNode, textOf, toJson } from "../source/node.ts";
import type { CheckContext } from "./context.ts";
import { FileInputReader } from "./file-input.ts";
import type { InputDeclaration, InputType, Shape } from "./model.ts";
import { coerce, shapeProblems, spellPath, tellProblem } from "./shape.ts";
import { ShapeReader, startOf } from "./shape-reader.ts";

/** The `inputs` of a playbook; defaults, and the files that they name, are checked against their own declaration. */
export function readInputs(node: SourceNode | undefined, context: CheckContext): readonly InputDeclaration[] {
  if (node?.kind !== "map") return [];
  return [...node.entries].map(([name, { value }]) => readInput(name, value, context));
}

function readInput(name: string, node: SourceNode, context: CheckContext): InputDeclaration {
  const type = textOf(child(node, "type")) as InputType;
  const about = { name, type, description: textOf(child(node, "description")) };
  const shapes = new ShapeReader(name, context);
  if (type === "file") return { ...about, ...new FileInputReader(shapes, context).read(node) };
  const shape = shapes.shape(node, []);
  return { ...about, shape, default: readDefault(name, shape, { node: child(node, "default"), context }), file: undefined };
}

function readDefault(
  name: string,
  shape: Shape,
  { node, context }: { node: SourceNode | undefined; context: CheckContext },
): Json | undefined {
  if (node === undefined) return undefined;
  const value = coerce(shape, toJson(node));
  for (const problem of shapeProblems(shape, value)) {
    const said = `the default of ${tellProblem(problem, (path) => `"${spellPath(name, path)}"`)}`;
    const range = startOf(nodeAt(node, problem.path));
    context.report({ code: "playbook.input-default", message: said, suggestion: problem.mend }, range);
  }
  return value;
}
