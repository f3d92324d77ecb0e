import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, jsonEquals } from "../../base/json/json.ts";
import { objectOf } from "../../base/maps.ts";
import { present } from "../../base/present.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { InputDeclaration, SecretDeclaration, ValueShape, VariableDeclaration } from "../../playbook/declarations.ts";
import { withOrganization } from "../../playbook/inputs/value-shape.ts";
import { child, type MapNode, type SourceNode } from "../../source/node.ts";
import type { Known, Named } from "../expressions/evaluate.ts";
import type { TranslationFindings } from "../findings.ts";
import { Names } from "../names.ts";
import { Expr, type WrittenValue } from "../value.ts";
import { isDouble, rounded } from "./export-criteria.ts";
import { partsOf } from "./export-step.ts";

const PASSWORD = { type: "string", format: "password" };

/** The attribute with the organization of an entity. */
export const ORGANIZATION = "orgId";

/**
 * The inputs of a workflow. Arazzo gives all values in one place, so a playbook's inputs, variables and secrets, the keys, the organization and the key of the
 * run get distinct names.
 */
export class ExportedInputs {
  readonly #names = new Names((name) => name.replaceAll(/\W/g, "_"));
  readonly #schemas = new Map<string, object>();
  readonly #findings: TranslationFindings;

  constructor(findings: TranslationFindings) {
    this.#findings = findings;
  }

  /** Returns the inputs of the exported playbook. */
  given({ inputs }: Playbook, root: MapNode): Named {
    const declared = child(root, "inputs");
    for (const { name } of inputs) this.#names.of(name, "input");
    return partsOf(inputs.map((input) => [input.name, this.#input(input, child(declared, input.name) ?? root)]));
  }

  /** Returns the variables of the playbook, or of an included one. */
  env(variables: readonly VariableDeclaration[]): Named {
    return partsOf(
      variables.map(({ name, default: usual }) => {
        const description = `The variable ${name}.`;
        const schema = { type: "string", description, ...present({ default: usual }) };
        return [name, this.#of("variable", name, schema)];
      }),
    );
  }

  /** Returns the secrets of the playbook, or of an included one. */
  secrets(secrets: readonly SecretDeclaration[]): Named {
    return partsOf(secrets.map(({ name }) => [name, this.#of("secret", name, PASSWORD)]));
  }

  /** Returns the key of a caller. */
  key(name: string): Expr {
    return this.#of("key", name, PASSWORD);
  }

  /** Returns the organization for entities that name none. */
  get organization(): Expr {
    return this.#of("own", "orgId", { type: "string", description: "The organization of the entities." });
  }

  /** Returns the key that is part of the ids of one run and of no other run. */
  get runKey(): Expr {
    const description = "Letters and digits that no earlier run was given: ids are made of it.";
    return this.#of("own", "runKey", { type: "string", description });
  }

  /** Returns the schema of the inputs that a text uses. */
  declared(text: string): object {
    const used = new Set(Array.from(text.matchAll(/\$inputs\.(\w+)/g), ([, name = ""]) => name));
    const properties = [...used].flatMap((name) => {
      const schema = this.#schemas.get(name);
      return schema === undefined ? [] : [[name, schema] as const];
    });
    const required = properties.filter(([, schema]) => !("default" in schema)).map(([name]) => name);
    return { type: "object", properties: Object.fromEntries(properties), ...(required.length === 0 ? {} : { required }) };
  }

  #of(kind: string, name: string, schema: object): Expr {
    const written = this.#names.of(name, kind);
    this.#schemas.set(written, schema);
    return new Expr(`$inputs.${written}`, "type" in schema && schema.type === "string");
  }

  #input({ name, shape, description, default: usual, file }: InputDeclaration, node: SourceNode): Known | undefined {
    if (file !== undefined)
      return this.#findings.lose(
        node,
        `the file of the input "${name}" is not read`,
        "Arazzo has no files: steps that use it are left out",
      );
    const about = description === undefined ? {} : { description };
    const entity = shape.type === "entity" && isObject(usual) ? attributeOf(usual) : undefined;
    if (entity !== undefined) {
      const [attribute, value] = entity;
      const schema = { type: "string", ...about, default: value };
      this.#findings.lose(
        node,
        `the input "${name}" gives the ${attribute} alone`,
        "the organization of an entity is an input of its own in the document",
      );
      return { [ORGANIZATION]: this.organization, [attribute]: this.#of("input", name, schema) };
    }
    const isWhole = usual !== undefined && jsonEquals(withOrganization(shape, usual, ""), usual);
    if (usual !== undefined && !isWhole)
      this.#findings.lose(
        node,
        `the default of the input "${name}" is left out`,
        "its entities are of the environment's organization, which a document does not know",
      );
    const loses = (rule: string, why: string): undefined =>
      this.#findings.lose(node, `${rule} of the input "${name}" is not checked`, why);
    const schema = { ...schemaOf(shape, loses), ...about, ...(isWhole ? { default: usual } : {}) };
    for (const number of numbersIn(schema)) if (!isDouble(number)) this.#findings.lose(node, ...rounded(number));
    const written = this.#of("input", name, schema);
    return shape.type === "list" || shape.type === "object" || shape.type === "entity" ? whole(written) : written;
  }
}

// Arazzo 1.0 can only refer to a whole input, not to a part of it.
function whole(input: Expr): Named {
  return { part: () => undefined, value: (): WrittenValue => input };
}

function numbersIn(value: unknown): readonly Decimal[] {
  if (value instanceof Decimal) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function attributeOf(entity: Json & object): readonly [string, string] | undefined {
  const [first, ...more] = Object.entries(entity);
  if (first === undefined || more.length > 0 || first[0] === ORGANIZATION || typeof first[1] !== "string") return undefined;
  return [first[0], first[1]];
}

const TYPES: Readonly<Record<ValueShape["type"], object>> = {
  string: { type: "string" },
  decimal: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
  entity: { type: "object", required: [ORGANIZATION] },
  list: { type: "array" },
  object: { type: "object" },
  any: {},
};

/** How each rule of a value is written as fields of a JSON Schema. */
type RuleWords = {
  readonly [Rule in Exclude<keyof ValueShape, "type">]-?: (shape: ValueShape, loses: Loses) => object | undefined;
};

type Loses = (rule: string, why: string) => undefined;

const RULES: RuleWords = {
  pattern: ({ pattern }) => ({ pattern }),
  enum: ({ enum: choices }) => ({ enum: choices }),
  minimum: (shape, loses) => bound("minimum", shape, loses),
  maximum: (shape, loses) => bound("maximum", shape, loses),
  items: ({ items }, loses) => items && { items: schemaOf(items, loses) },
  minItems: ({ minItems }) => ({ minItems }),
  maxItems: ({ maxItems }) => ({ maxItems }),
  unique: ({ unique }, loses) =>
    unique === true ? { uniqueItems: true } : loses("`unique`", "JSON Schema compares whole items, and not one field of them"),
  properties: ({ properties = new Map<string, ValueShape>() }, loses) => ({
    properties: objectOf(properties, (shape) => schemaOf(shape, loses)),
    additionalProperties: false,
  }),
  values: ({ values }, loses) => values && { additionalProperties: schemaOf(values, loses) },
  required: ({ required = new Set<string>() }) => ({ required: [...required] }),
  open: () => ({ additionalProperties: true }),
  nullable: () => undefined,
};

function schemaOf(shape: ValueShape, loses: Loses): object {
  const rules = Object.entries(RULES).filter(([rule]) => shape[rule as keyof ValueShape] !== undefined);
  return Object.assign({ ...TYPES[shape.type] }, ...rules.map(([, write]) => write(shape, loses))) as object;
}

function bound(rule: "minimum" | "maximum", { type, [rule]: limit = "" }: ValueShape, loses: Loses): object | undefined {
  if (type === "date") return loses(`\`${rule}\``, "JSON Schema knows no earliest and no latest date");
  return { [rule]: Decimal.parse(limit) };
}
