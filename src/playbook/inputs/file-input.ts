import { Failure } from "../../base/failure.ts";
import type { Json } from "../../base/json/json.ts";
import type { SchemaProblem } from "../../schema/walk.ts";
import { child, nodeAt, type Range, type SourceNode, startOf, textOf, toJson } from "../../source/node.ts";
import { parseYaml } from "../../source/parse.ts";
import { formatOfPath, positionIn, readContent } from "./file-content.ts";
import type { CheckContext } from "../check-context.ts";
import { resolveFrom } from "../playbook-files.ts";
import { type GivenFields, PART } from "../keywords/input.ts";
import { fieldsOf } from "../keywords/keyword.ts";
import type { FileFormat, FileRule, InputDeclaration, ValueShape } from "../declarations.ts";
import { refusalOf } from "../file-placement.ts";
import { type ShapeReader, uniqueOf } from "./shape-reader.ts";
import { userSchema } from "./user-schema.ts";

/** Reads the declaration of a file input: the rules of its content, from a JSON Schema or keywords, and its default file. */
export class FileInputReader {
  readonly #shapes: ShapeReader;
  readonly #context: CheckContext;

  constructor(shapes: ShapeReader, context: CheckContext) {
    this.#shapes = shapes;
    this.#context = context;
  }

  /** Returns what the declaration of a file input says. Reports what is wrong in it. */
  read(
    name: string,
    node: SourceNode,
    { default: given, format: declared, schema }: GivenFields,
  ): Pick<InputDeclaration, "shape" | "default" | "file"> {
    const path = textOf(given);
    this.#shapes.checkRules("file", node, []);
    const format = declared ?? (path === undefined ? undefined : formatOfPath(path));
    if (path !== undefined && given !== undefined && format === undefined) {
      const message = `"${path}" has no extension of a known format`;
      this.#context.report({ code: "playbook.input-format", message, suggestion: "add format: json, yaml or csv" }, given.range);
    }
    const content = this.#content(node, schema, format);
    const file: FileRule = {
      format: declared,
      path: path === undefined ? undefined : resolveFrom(this.#context.file.path, path),
      validate: content.validate,
    };
    const value =
      given === undefined || format === undefined || !content.usable
        ? undefined
        : (this.#kept(name) ?? this.#data(given, content.shape, file));
    return { shape: content.shape, default: value, file };
  }

  #content(node: SourceNode, schema: SourceNode | undefined, format: FileFormat | undefined): FileContent {
    const by = (["schema", "items", "properties"] as const).find((rule) => child(node, rule) !== undefined);
    for (const rule of by === undefined ? [] : BESIDE[by]) {
      const place = keyOf(node, rule);
      if (place === undefined) continue;
      const message = `"${rule}" beside "${by}": the content is described once`;
      this.#context.report({ code: "playbook.input-rule", message, suggestion: "keep one of the two" }, place);
    }
    const content =
      schema === undefined ? { shape: this.#described(node, by), validate: undefined, usable: true } : this.#schema(schema);
    return format === "csv" ? { ...content, shape: this.#table(content.shape, node) } : content;
  }

  #described(node: SourceNode, by: string | undefined): ValueShape {
    const { items, minItems, maxItems, unique } = fieldsOf(node, PART);
    const limits = { minItems, maxItems, unique: uniqueOf(unique) };
    const listed = Object.values(limits).some((limit) => limit !== undefined);
    if (by === "properties") return { type: "object", ...this.#shapes.properties(fieldsOf(node, PART), []) };
    if (by === undefined && !listed) return { type: "any" };
    const shape: ValueShape = {
      type: "list",
      ...limits,
      items: items === undefined ? undefined : this.#shapes.shape(items, ["0"]),
    };
    this.#shapes.checkBounds(shape, node);
    this.#shapes.checkUnique(shape, unique);
    return shape;
  }

  // The rows of a table are objects with plain values.
  #table(shape: ValueShape, node: SourceNode): ValueShape {
    if (shape.type === "any") return { type: "list", items: TEXT_RECORD };
    const place = keyOf(node, "schema") ?? keyOf(node, "items") ?? keyOf(node, "properties") ?? node.range;
    const { items } = shape;
    if (shape.type !== "list" || (items !== undefined && items.type !== "object" && items.type !== "any")) {
      const message = "a table is a list of records";
      this.#context.report(
        { code: "playbook.input-csv", message, suggestion: "items: { type: object, properties: { … } }" },
        place,
      );
      return shape;
    }
    for (const [name, column] of items?.properties ?? []) {
      if (column.type !== "list" && column.type !== "object") continue;
      const message = `the cells of "${name}" cannot be of type ${column.type}`;
      this.#context.report(
        { code: "playbook.input-csv", message, suggestion: "a cell holds one plain value; use json or yaml" },
        place,
      );
    }
    return items === undefined || items.type === "any" ? { ...shape, items: TEXT_RECORD } : shape;
  }

  #schema(node: SourceNode): FileContent {
    const unusable: FileContent = { shape: { type: "any" }, validate: undefined, usable: false };
    const path = textOf(node);
    if (path !== undefined && this.#context.files === undefined) return unusable;
    const written = path === undefined ? { value: toJson(node) } : this.#schemaFile(path, node);
    if (written === undefined) return unusable;
    const ready = userSchema(written.value);
    if (!("message" in ready)) return { ...ready, usable: true };
    const where = written.source === undefined ? "this schema" : `the schema in ${placeIn(written.source, ready)}`;
    this.#context.report(
      { code: "playbook.input-schema", message: `${where} ${ready.message}` },
      startOf(path === undefined ? nodeAt(node, ready.path) : node),
    );
    return unusable;
  }

  #schemaFile(path: string, node: SourceNode): WrittenSchema | undefined {
    const resolved = resolveFrom(this.#context.file.path, path);
    const text = this.#text(resolved, node);
    if (text === undefined) return undefined;
    const content = readContent({
      path: resolved,
      text,
      shape: { type: "any" },
      rule: { format: formatOfPath(path) === "json" ? "json" : "yaml", path: resolved, validate: undefined },
      isQuoted: true,
    });
    if ("value" in content) return { value: content.value, source: { path: resolved, text } };
    for (const problem of content.problems)
      this.#context.report({ code: "playbook.input-schema", message: problem.message, suggestion: problem.fix }, node.range);
    return undefined;
  }

  #kept(name: string): Json | undefined {
    return this.#context.files?.data?.[this.#context.file.path]?.[name];
  }

  #data(given: SourceNode, shape: ValueShape, rule: FileRule): Json | undefined {
    const { files } = this.#context;
    if (files === undefined || Object.hasOwn(files.data ?? {}, this.#context.file.path) || rule.path === undefined)
      return undefined;
    const text = this.#text(rule.path, given);
    if (text === undefined) return undefined;
    const content = readContent({ path: rule.path, text, shape, rule, isQuoted: true });
    if ("value" in content) return content.value;
    for (const { message, fix } of content.problems)
      this.#context.report({ code: "playbook.input-content", message, suggestion: fix }, given.range);
    return undefined;
  }

  #text(path: string, node: SourceNode): string | undefined {
    if (!mayReadData(path, node, this.#context)) return undefined;
    try {
      const text = this.#context.files?.read(path);
      if (text !== undefined) return text;
      const message = `there is no file ${path}`;
      this.#context.report(
        { code: "playbook.input-file", message, suggestion: "a path here begins at the folder of the playbook" },
        node.range,
      );
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#context.report(
        { code: "playbook.input-file", message: error.message, why: error.why, suggestion: error.next },
        node.range,
      );
    }
    return undefined;
  }
}

/** Returns whether the playbook may read a file of data. Reports why it must not. */
export function mayReadData(path: string, { range }: SourceNode, context: CheckContext): boolean {
  const { files, named } = context;
  const refusal = files === undefined ? undefined : refusalOf(files, { path, use: "data", named });
  if (refusal === undefined) return true;
  const { message, ...rest } = refusal;
  context.report({ code: "playbook.input-file", message: `${path} ${message}`, ...rest }, range);
  return false;
}

interface WrittenSchema {
  readonly value: Json;
  /** The file that it was read from, unless the playbook itself contains it. */
  readonly source?: SchemaSource;
}

interface SchemaSource {
  readonly path: string;
  readonly text: string;
}

// JSON is parsed again as YAML in order to get positions.
function placeIn({ path, text }: SchemaSource, problem: SchemaProblem): string {
  const { file, root } = parseYaml(path, text);
  return root === undefined ? path : positionIn(file, root, problem.path);
}

interface FileContent extends Pick<FileRule, "validate"> {
  readonly shape: ValueShape;
  /** Whether a file can be checked against it. */
  readonly usable: boolean;
}

const TEXT_RECORD: ValueShape = { type: "object", values: { type: "string" } };

const OF_LISTS = ["minItems", "maxItems", "unique"];

/** The rules that exclude one another. */
const BESIDE: Readonly<Record<"schema" | "items" | "properties", readonly string[]>> = {
  schema: ["items", "properties", "required", ...OF_LISTS],
  items: ["properties", "required"],
  properties: OF_LISTS,
};

function keyOf(node: SourceNode, key: string): Range | undefined {
  return node.kind === "map" ? node.entries.get(key)?.key : undefined;
}
