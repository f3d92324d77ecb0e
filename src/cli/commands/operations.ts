import { EXIT } from "../../base/exit.ts";
import { resolve, schemaName } from "../../contract/contract.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { exampleWith } from "../../operations/example.ts";
import { responseSchema } from "../../operations/input.ts";
import type { EffectClass } from "../../operations/meaning.ts";
import { type Operation, operationNamed, operations as all } from "../../operations/operation.ts";
import { withSchema } from "../../playbook/with.ts";
import { writeYaml } from "../../source/yaml.ts";
import type { Command } from "../shell.ts";

interface OperationsOptions {
  readonly name?: string;
  readonly json?: boolean;
}

const REPEATING: Readonly<Record<EffectClass, string>> = {
  read: "yes: it changes nothing",
  unique: "sent once; a second one would be refused by the service",
  absolute: "sent once; a second one would set the same value, unless something else was written in between",
  marked: "sent once; it carries our mark, by which it is found again",
  transition: "sent once; it moves a named thing from one state to another",
  additive: "sent once, never again while an earlier sending may still take effect: a second one adds again",
};

/** `tokenbook operations`: what can be called, with what, and how it can fail. */
export const operations: Command<OperationsOptions> = async (shell, { name, json }) => {
  if (name === undefined) {
    const list = [...all.values()];
    shell.stdout.write(
      json === true ? `${JSON.stringify({ format: 1, operations: list.map(asData) }, undefined, 2)}\n` : table(list),
    );
    return EXIT.passed;
  }
  const operation = operationNamed(name);
  shell.stdout.write(json === true ? `${JSON.stringify(asData(operation), undefined, 2)}\n` : page(operation));
  return EXIT.passed;
};

function table(list: readonly Operation[]): string {
  const width = Math.max(...list.map(({ name }) => name.length));
  const groups = Map.groupBy(list, ({ call }) => `${call.section} ${call.group} (${call.interface})`);
  const parts = [...groups].map(([group, members]) => {
    const rows = members.map(
      ({ name, writes, call }) => `  ${name.padEnd(width)}  ${writes ? "write" : "read "}  ${call.summary}`,
    );
    return `${group}\n${rows.join("\n")}\n`;
  });
  return `${parts.join("\n")}\n${list.length} operations. \`tokenbook operations NAME\` tells more about one.\n`;
}

function page(operation: Operation): string {
  const { call, meaning } = operation;
  return [
    `${operation.name}: ${call.summary}`,
    `  ${call.method} ${call.path} on the ${call.interface} interface (service description ${call.section})`,
    "",
    wrap(call.description),
    "",
    `Kind:            ${operation.writes ? `write (${meaning.effect})` : "read"}`,
    `Safe to repeat:  ${REPEATING[meaning.effect]}`,
    ...(meaning.readBack === undefined ? [] : [`Read back by:    ${meaning.readBack}`]),
    ...(call.paging === undefined ? [] : ["Pages:           read to the end; `pages: first` or a number reads fewer"]),
    "",
    "Input (`with`):",
    ...inputLines(operation),
    "",
    "Yields:",
    ...yieldLines(operation),
    "",
    "Refused with:",
    ...(call.conditions.length === 0
      ? ["  the description lists no condition"]
      : call.conditions.map((condition) => `  ${condition}`)),
    "",
    "Example:",
    example(operation),
  ].join("\n");
}

function inputLines(operation: Operation): readonly string[] {
  const { properties = {}, required = [] } = withSchema(operation, false);
  const entries = Object.entries(properties);
  if (entries.length === 0) return ["  none"];
  const rows = entries.map(
    ([name, schema]) =>
      [
        required.includes(name) ? `${name} *` : name,
        typeWords(schema),
        schema.description ?? resolve(schema).description ?? "",
      ] as const,
  );
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) as [number, number];
  const lines = rows.map(([name, type, description]) =>
    `  ${name.padEnd(first)}  ${type.padEnd(second)}  ${description}`.trimEnd(),
  );
  return [
    ...lines,
    ...(required.length === 0 ? [] : ["  * required"]),
    ...(operation.batches ? ["  or `items:` with a list of these, for a deliberate batch"] : []),
  ];
}

function yieldLines(operation: Operation): readonly string[] {
  const response = responseSchema(operation);
  const named = Object.entries(operation.yields).map(
    ([name, { type, description }]) => `  steps.ID.${name}: ${type}, ${description}`,
  );
  return [`  steps.ID.response: ${response === undefined ? "nothing" : typeWords(response)}`, ...named];
}

/** A schema's type in a few words: `list of Entity`, `text: fungible | nonfungible`. */
function typeWords(schema: JsonSchema): string {
  const resolved = resolve(schema);
  const choices = resolved.oneOf ?? resolved.anyOf;
  if (choices !== undefined) return choices.map(typeWords).join(" or ");
  if (resolved.enum !== undefined) return resolved.enum.join(" | ");
  if (resolved.type === "array") return `list of ${typeWords(resolved.items ?? {})}`;
  const name = schemaName(schema);
  if (name !== undefined && resolved.type === "object") return name;
  const types = typeof resolved.type === "string" ? [resolved.type] : (resolved.type ?? ["any"]);
  return types
    .map((type) => ({ string: "text", number: "number", integer: "whole number" })[type as string] ?? type)
    .join(" or ");
}

function example(operation: Operation): string {
  const step = { id: "example", uses: operation.name, ...exampleWith(operation) };
  return writeYaml([step]).replaceAll(/^(?=.)/gm, "  ");
}

function asData(operation: Operation): object {
  const { name, call, meaning, writes, yields } = operation;
  return {
    name,
    interface: call.interface,
    section: call.section,
    group: call.group,
    method: call.method,
    path: call.path,
    summary: call.summary,
    writes,
    effect: meaning.effect,
    readBack: meaning.readBack ?? null,
    conditions: call.conditions,
    paged: call.paging !== undefined,
    input: withSchema(operation, false),
    yields: Object.fromEntries(Object.entries(yields).map(([field, { type, description }]) => [field, { type, description }])),
  };
}

function wrap(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length + 1 > 100) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `  ${each}`).join("\n");
}
