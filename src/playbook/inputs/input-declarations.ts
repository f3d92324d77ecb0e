import type { Json } from "../../base/json/json.ts";
import { child, entriesIn, nodeAt, type SourceNode, startOf, textOf, toJson } from "../../source/node.ts";
import { SchemaSet } from "../../schema/validator.ts";
import { placeEssential } from "../../source/problems.ts";
import type { CheckContext } from "../check-context.ts";
import { inputFrame, inputPartFrame } from "../keywords/frame.ts";
import { FileInputReader } from "./file-input.ts";
import { GIVEN } from "../keywords/input.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import type { InputDeclaration, InputType, ValueShape } from "../declarations.ts";
import { coerce, shapeProblems, spellPath, problemSentence } from "./value-shape.ts";
import { ShapeReader } from "./shape-reader.ts";

/** Reads the `inputs` of a playbook. Defaults, and the files that they name, are checked against their own declarations. */
export function readInputs(node: SourceNode | undefined, context: CheckContext): readonly InputDeclaration[] {
  if (node?.kind !== "map") return [];
  return [...node.entries].map(([name, { value }]) =>
    fitsFrame(value, context) ? readInput(name, value, context) : { ...UNREADABLE, name },
  );
}

// A wrong declaration counts as any type: the playbook cannot run anyway, and the expressions that use the input are not at fault.
const UNREADABLE: Omit<InputDeclaration, "name"> = {
  type: "object",
  description: undefined,
  shape: { type: "any" },
  default: undefined,
  file: undefined,
};

const frames = new SchemaSet();
const inputRules = inputFrame();
const partRules = inputPartFrame();

function fitsFrame(node: SourceNode, context: CheckContext, rules: object = inputRules): boolean {
  const problems = placeEssential(frames.validator(rules)(toJson(node)), node);
  for (const { finding, range } of problems) context.report(finding, range);
  const isFit = partsFit(node, context);
  return problems.length === 0 && isFit;
}

/** Returns whether the parts of a declaration are valid. Reports those that are not. */
export function partsFit(node: SourceNode, context: CheckContext): boolean {
  return partsOf(node)
    .map((part) => part.kind === "map" && fitsFrame(part, context, partRules))
    .every((fits) => fits);
}

function partsOf(node: SourceNode): readonly SourceNode[] {
  const items = child(node, "items");
  return [...(items === undefined ? [] : [items]), ...entriesIn(child(node, "properties")).map(([, { value }]) => value)];
}

function readInput(name: string, node: SourceNode, context: CheckContext): InputDeclaration {
  const type = textOf(child(node, "type")) as InputType;
  const about = { name, type, description: textOf(child(node, "description")) };
  const shapes = new ShapeReader(name, context);
  const { default: otherwise, format, schema, ...rest } = fieldsOf(node, GIVEN);
  allRead(rest);
  if (type === "file")
    return { ...about, ...new FileInputReader(shapes, context).read(name, node, { default: otherwise, format, schema }) };
  const shape = shapes.shape(node, []);
  return { ...about, shape, default: readDefault(name, shape, { node: otherwise, context }), file: undefined };
}

function readDefault(
  name: string,
  shape: ValueShape,
  { node, context }: { node: SourceNode | undefined; context: CheckContext },
): Json | undefined {
  if (node === undefined) return undefined;
  const value = coerce(shape, toJson(node));
  for (const problem of shapeProblems(shape, value)) {
    const said = `the default of ${problemSentence(problem, (path) => `"${spellPath(name, path)}"`)}`;
    const range = startOf(nodeAt(node, problem.path));
    context.report({ code: "playbook.input-default", message: said, suggestion: problem.fix }, range);
  }
  return value;
}
