import { LIMITS } from "../base/limits.ts";
import { playbookOrder } from "../playbook/keywords/key-order.ts";
import { formatYaml, type KeyOrder } from "../source/format.ts";
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

type PlaybookSection = Readonly<Record<string, unknown>>;

/** A playbook that is generated from another document. */
interface MadePlaybook {
  /** The file that it is generated from. */
  readonly path: string;
  /** The name for people. If undefined, the path is used. */
  readonly name: string | undefined;
  /** The description for people; left out when there is none. */
  readonly description: string | undefined;
  readonly inputs: PlaybookSection;
  readonly secrets: PlaybookSection;
  readonly actors: PlaybookSection;
  /** The fields of each step in the order in which they are written. A field that is `undefined` is left out. */
  readonly steps: readonly PlaybookSection[];
  readonly outputs: PlaybookSection;
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
  return writeFormatted(
    path,
    fields.filter((each) => each !== undefined),
    playbookOrder,
  );
}

/** Writes a document in the format of `tokenbook fmt`. If the formatter would change its meaning, writes it unformatted. */
export function writeFormatted(path: string, fields: readonly WrittenField[], order: KeyOrder): string {
  const text = writeDocument(fields);
  const formatted = formatYaml(path, text, order);
  return "text" in formatted ? formatted.text : text;
}

function field(key: string, value: Node): WrittenField {
  return { key, value };
}

function section(key: string, values: PlaybookSection): WrittenField | undefined {
  const entries = Object.entries(values);
  if (entries.length === 0) return undefined;
  return { ...field(key, mapOf(entries.map(([name, value]) => ({ key: name, value: onOneLine(value) })))), apart: true };
}

const LONG_VALUE = 100;

function stepMap(fields: PlaybookSection): YAMLMap {
  return mapOf(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ({ key, value: isShort(value) ? onOneLine(value) : asNode(value) })),
  );
}

function isShort(value: unknown): boolean {
  return typeof value === "object" && JSON.stringify(value).length <= LONG_VALUE;
}

// A playbook would read this as an expression.
function plainText(text: string): string {
  return text.replaceAll("${{", "$ {{").trim().slice(0, LIMITS.expressionChars);
}
