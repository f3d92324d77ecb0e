import { Decimal } from "../../base/numbers/decimal.ts";
import { didYouMeanOr } from "../../base/text/text.ts";
import { patternProblem } from "../../expression/pattern.ts";
import { child, type MapNode, type SourceNode, textOf, toJson } from "../../source/node.ts";
import type { TranslationFindings, FindingPlace } from "../findings.ts";
import { fieldName, Names, outsideName } from "../names.ts";
import { Expr, type WrittenValue } from "../value.ts";

const REFERENCES = 16;

/** The inputs of the translated playbook. */
export class ImportedInputs {
  readonly #findings: TranslationFindings;
  readonly #root: MapNode;
  readonly #names = new Names(fieldName);
  readonly #declared = new Map<string, SourceNode>();
  readonly #used = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #entities = new Set<string>();

  constructor(root: MapNode, findings: TranslationFindings) {
    this.#root = root;
    this.#findings = findings;
  }

  /** Declares the inputs of a workflow that no other workflow runs. */
  declare(schema: SourceNode | undefined): void {
    const resolved = this.#resolved(schema);
    const properties = child(resolved, "properties");
    if (properties?.kind !== "map") return;
    for (const [name, { value }] of properties.entries) {
      const known = this.#declared.get(name);
      const differs = known !== undefined && JSON.stringify(toJson(known)) !== JSON.stringify(toJson(value));
      if (differs)
        this.#findings.refuse(
          value,
          `two workflows declare the input "${name}" differently`,
          "a playbook has one input of a name",
        );
      else this.#declared.set(name, this.#resolved(value) ?? value);
    }
  }

  /** Returns the value of an input. */
  value(name: string, place: FindingPlace): WrittenValue | undefined {
    const schema = this.#declared.get(name);
    if (schema === undefined) {
      return this.#findings.refuse(
        place,
        `there is no input "${name}"`,
        "the workflow declares no such property of its inputs",
        didYouMeanOr(name, [...this.#declared.keys()], undefined),
      );
    }
    this.#used.add(name);
    return new Expr(isSecret(schema) ? `secrets.${outsideName(name)}` : `inputs.${this.#names.of(name)}`);
  }

  /** Returns whether an input of a workflow is a secret. */
  isSecretIn(workflow: SourceNode, name: string): boolean {
    const properties = child(this.#resolved(child(workflow, "inputs")), "properties");
    const schema = this.#resolved(child(properties, name));
    return schema !== undefined && isSecret(schema);
  }

  /** Notes that an input is the value of a header with a key, which the environment has. */
  isKey(name: string): void {
    this.#keys.add(name);
  }

  /** Returns the expression of an input that names the actor. */
  entity(name: string, place: FindingPlace): string | undefined {
    const value = this.value(name, place);
    this.#entities.add(name);
    return value instanceof Expr ? value.text : undefined;
  }

  /** Returns the declarations of inputs and secrets. */
  written(): { readonly inputs: Readonly<Record<string, object>>; readonly secrets: Readonly<Record<string, string>> } {
    const inputs: Record<string, object> = {};
    const secrets: Record<string, string> = {};
    for (const [name, schema] of this.#declared) {
      const used = this.#used.has(name);
      if (!used && (this.#keys.has(name) || isSecret(schema))) continue;
      if (isSecret(schema)) secrets[outsideName(name)] = `env:${outsideName(name)}`;
      else inputs[this.#names.of(name)] = this.#entities.has(name) ? { type: "entity" } : this.#declaration(schema, 0);
    }
    return { inputs, secrets };
  }

  // Follows the references of a schema.
  #resolved(schema: SourceNode | undefined): SourceNode | undefined {
    let [node, times] = [schema, 0];
    for (let reference = textOf(child(node, "$ref")); reference !== undefined && node !== undefined; times += 1) {
      const name = /^#\/components\/inputs\/([\w.-]+)$/.exec(reference)?.[1];
      const found = child(child(child(this.#root, "components"), "inputs"), name ?? "");
      const why = times >= REFERENCES ? "the references lead in a circle" : "only schemas of components/inputs are found";
      if (found === undefined || times >= REFERENCES) return this.#findings.refuse(node, `"${reference}" leads nowhere`, why);
      [node, reference] = [found, textOf(child(found, "$ref"))];
    }
    return node;
  }

  #declaration(given: SourceNode, depth: number): object {
    const schema = depth > REFERENCES ? undefined : this.#resolved(given);
    if (schema?.kind !== "map") return { type: "object" };
    const type = this.#typeOf(schema);
    const kept: [string, unknown][] = [["type", type]];
    for (const [name, { value }] of schema.entries) {
      const taken = name === "items" ? this.#declaration(value, depth + 1) : KEPT[type]?.has(name) ? toJson(value) : undefined;
      if (taken !== undefined && this.#fits(name, value)) kept.push([name, taken]);
      else if (!SILENT.has(name) && taken === undefined)
        this.#findings.lose(value, `"${name}" of an input is not checked`, `an input of type ${type} has no such rule`);
    }
    return Object.fromEntries(kept);
  }

  #fits(name: string, value: SourceNode): boolean {
    const problem = name === "pattern" ? patternProblem(textOf(value) ?? "") : undefined;
    if (problem !== undefined) this.#findings.lose(value, "this pattern cannot be used", problem);
    return problem === undefined;
  }

  #typeOf(schema: MapNode): string {
    const type = child(schema, "type");
    const name = textOf(type);
    if (name === "string" && textOf(child(schema, "format")) === "date") return "date";
    const known = TYPES[name ?? ""];
    if (known !== undefined) return known;
    const example = child(schema, "default");
    const guessed = example?.kind === "scalar" ? (example.value instanceof Decimal ? "decimal" : typeof example.value) : "string";
    this.#findings.lose(type ?? schema, "the type of this input is not one type", `tokenbook takes it for ${guessed}`);
    return guessed === "object" ? "string" : guessed;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "integer",
  number: "decimal",
  boolean: "boolean",
  array: "list",
  object: "object",
};

const COMMON = ["description", "default", "enum"];
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  string: new Set([...COMMON, "pattern"]),
  date: new Set(COMMON),
  integer: new Set([...COMMON, "minimum", "maximum"]),
  decimal: new Set([...COMMON, "minimum", "maximum"]),
  boolean: new Set(COMMON),
  list: new Set([...COMMON, "minItems", "maxItems"]),
  object: new Set(COMMON),
};

// Rules of a schema that a playbook does not need.
const SILENT: ReadonlySet<string> = new Set(["type", "title", "examples", "example", "format", "deprecated", "$comment"]);

function isSecret(schema: SourceNode): boolean {
  return textOf(child(schema, "format")) === "password";
}
