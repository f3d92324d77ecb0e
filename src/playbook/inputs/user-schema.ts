import { messageOf } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { partAt } from "../../base/json/parts.ts";
import { LIMITS } from "../../base/limits.ts";
import { patternOf } from "../../expression/pattern.ts";
import { SchemaFault, SchemaRefused, userValidator } from "../../schema/user.ts";
import type { Validate } from "../../schema/validator.ts";
import type { SchemaProblem } from "../../schema/walk.ts";
import { essential, restOfSentence } from "../../source/problems.ts";
import type { ValueShape } from "../declarations.ts";
import { spellPath } from "./value-shape.ts";
import { pathOfFragment } from "../../schema/pointer.ts";

/** A JSON Schema that a user wrote, ready for use. */
export interface UserSchema {
  /** Validates a value against the schema. */
  readonly validate: Validate;
  /** The types in the schema. They are checked before a run, and decide how the cells of a table are read. */
  readonly shape: ValueShape;
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Compiles a schema. If it is wrong, returns the problem as the rest of a sentence, and the place. */
export function userSchema(schema: Json): UserSchema | SchemaProblem {
  if (!isObject(schema)) return { path: [], message: "must be a map of JSON Schema keywords" };
  const dialect = schema["$schema"];
  if (typeof dialect === "string" && dialect.replace(/#$/, "") !== DIALECT) {
    const message = `is written for ${dialect}; tokenbook reads JSON Schema 2020-12 ($schema: ${DIALECT})`;
    return { path: ["$schema"], message };
  }
  try {
    return { validate: userValidator(schema, patternOf), shape: new SchemaShapes(schema).shapeOf(schema) };
  } catch (error) {
    const { path, message } = problemOf(error);
    return { path, message: `cannot be used: ${message}` };
  }
}

function problemOf(error: unknown): SchemaProblem {
  if (error instanceof SchemaRefused) return { ...error.problem, message: inside(error.problem) };
  if (!(error instanceof SchemaFault)) return { path: [], message: messageOf(error) };
  const [first] = essential(error.problems);
  if (first === undefined) return { path: [], message: "it is not a valid JSON Schema" };
  return { path: first.path, message: inside({ path: first.path, message: restOfSentence(first).message }) };
}

function inside({ path, message }: SchemaProblem): string {
  return path.length === 0 ? `it ${message}` : `"${spellPath("", path)}" ${message}`;
}

const OPEN: ValueShape = { type: "any" };

class SchemaShapes {
  readonly #root: JsonObject;
  /** The references that are being followed. A schema may contain itself. */
  readonly #following = new Set<string>();
  #made = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  shapeOf(schema: Json | undefined): ValueShape {
    if (!isObject(schema) || ++this.#made > LIMITS.schemaShapes) return OPEN;
    const { $ref: reference } = schema;
    if (typeof reference === "string") return this.#followed(reference);
    const { type, nullable } = typeOf(schema["type"]);
    return { ...this.#typed(schema, type), nullable };
  }

  #typed(schema: JsonObject, type: string | undefined): ValueShape {
    switch (type) {
      case "string":
      case "boolean":
      case "integer":
        return { type };
      case "number":
        return { type: "decimal" };
      case "array":
        return { type: "list", items: this.shapeOf(schema["items"]) };
      case "object":
        return this.#object(schema);
      default:
        return OPEN;
    }
  }

  #object({ properties, required, additionalProperties }: JsonObject): ValueShape {
    if (!isObject(properties)) return { type: "object", ...this.#values(additionalProperties) };
    if (additionalProperties === true || isObject(additionalProperties)) return { type: "object" };
    return {
      type: "object",
      properties: new Map(Object.entries(properties).map(([name, each]) => [name, this.shapeOf(each)])),
      required: new Set(Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : []),
      open: additionalProperties !== false,
    };
  }

  #values(schema: Json | undefined): Pick<ValueShape, "values"> {
    return isObject(schema) ? { values: this.shapeOf(schema) } : {};
  }

  #followed(reference: string): ValueShape {
    if (!reference.startsWith("#") || this.#following.has(reference)) return OPEN;
    this.#following.add(reference);
    const shape = this.shapeOf(partAt(this.#root, pathOfFragment(reference)));
    this.#following.delete(reference);
    return shape;
  }
}

function typeOf(type: Json | undefined): { readonly type: string | undefined; readonly nullable: boolean } {
  if (typeof type === "string") return { type, nullable: false };
  if (!Array.isArray(type)) return { type: undefined, nullable: false };
  const others = type.filter((each) => each !== "null");
  const [only] = others;
  return { type: others.length === 1 && typeof only === "string" ? only : undefined, nullable: others.length < type.length };
}
