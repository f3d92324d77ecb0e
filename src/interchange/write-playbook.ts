import { LIMITS } from "../base/limits.ts";
import { playbookOrder } from "../playbook/keywords/key-order.ts";
import { formatYaml } from "../source/format.ts";
import {
  asNode,
  listOf,
  mapOf,
  type Node,
  onOneLine,
  writeDocument,
  type WrittenField,
  type YAMLMap,
} from "../source/write-yaml.ts";

type Section = Readonly<Record<string, unknown>>;

/** A playbook that is made of something else. */
export interface MadePlaybook {
  /** The file that it is made of. */
  readonly path: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly inputs: Section;
  readonly secrets: Section;
  readonly actors: Section;
  readonly steps: readonly Section[];
  readonly outputs: Section;
}

/** Writes a playbook in the format of `tokenbook fmt`. */
export function writePlaybook(made: MadePlaybook): string {
  const { path, name = path, description, inputs, secrets, actors, steps, outputs } = made;
  const fields: (WrittenField | undefined)[] = [
    field("playbook", asNode(1)),
    field("name", asNode(plainText(name))),
    description === undefined ? undefined : field("description", asNode(plainText(description))),
    section("inputs", inputs),
    section("secrets", secrets),
    section("actors", actors),
    { ...field("steps", listOf(steps.map(stepMap))), apart: true },
    section("outputs", outputs),
  ];
  const text = writeDocument(fields.filter((each) => each !== undefined));
  const formatted = formatYaml(path, text, playbookOrder);
  return "text" in formatted ? formatted.text : text;
}

function field(key: string, value: Node): WrittenField {
  return { key, value };
}

function section(key: string, values: Section): WrittenField | undefined {
  const entries = Object.entries(values);
  if (entries.length === 0) return undefined;
  return { ...field(key, mapOf(entries.map(([name, value]) => ({ key: name, value: onOneLine(value) })))), apart: true };
}

const LONG_VALUE = 100;

function stepMap(fields: Section): YAMLMap {
  return mapOf(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ({ key, value: isShort(value) ? onOneLine(value) : asNode(value) })),
  );
}

function isShort(value: unknown): boolean {
  return typeof value === "object" && JSON.stringify(value).length <= LONG_VALUE;
}

// A playbook would read an expression there.
function plainText(text: string): string {
  return text.replaceAll("${{", "$ {{").trim().slice(0, LIMITS.expressionChars);
}
