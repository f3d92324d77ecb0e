import type { FunctionWords } from "./functions.ts";
import { typeText } from "./type-text.ts";
import type { TypeEnvironment, TypeName } from "../expression/types.ts";
import type { Operation } from "../operations/operation.ts";
import { pageOf } from "../operations/page.ts";
import type { Playbook } from "../playbook/model.ts";

// Descriptions in Markdown.

/** Describes an operation: what it does, what sending it again would do, and what it returns. */
export function operationWords(operation: Operation): string {
  const page = pageOf(operation);
  return [
    `**${page.name}**: ${page.summary}`,
    page.call,
    page.description,
    listed(page.facts.map(({ label, text }) => `${label}: ${text}`)),
    "**Yields**",
    listed(
      page.yields.map(({ name, type, description }) => `\`${name}\`: ${type}${description === "" ? "" : `, ${description}`}`),
    ),
  ].join("\n\n");
}

/** Returns the conditions for which an operation can be refused, and the source of their words. */
export function conditionWords(operation: Operation): readonly { readonly condition: string; readonly words: string }[] {
  const { conditions, furtherConditions } = pageOf(operation);
  return [
    ...conditions.map((condition) => ({ condition, words: "listed by the service description" })),
    ...furtherConditions.map((condition) => ({ condition, words: "of the sandbox; your service may use other words" })),
  ];
}

/** Describes a playbook that a step runs: its inputs and outputs. */
export function playbookWords({ name, file, inputs, outputs }: Playbook): string {
  const given = inputs.map((input) => {
    const optional = input.default === undefined ? "" : ", has a default";
    return `\`${input.name}\`: ${input.type}${optional}${input.description === undefined ? "" : `, ${input.description}`}`;
  });
  return [
    `**${name}** (${file})`,
    ...(given.length === 0 ? [] : ["**Inputs**", listed(given)]),
    ...(outputs.size === 0 ? [] : ["**Outputs**", listed([...outputs.keys()].map((output) => `\`${output}\``))]),
  ].join("\n\n");
}

/** Describes a function, with every way to call it. */
export function functionWords({ signatures, description }: FunctionWords): string {
  return `${code(signatures.join("\n"))}\n\n${description}`;
}

/** Describes a value of an expression: its type, its meaning, and its fields. */
export function valueWords(
  { name, type, description }: { readonly name: string; readonly type: TypeName; readonly description: string | undefined },
  types: TypeEnvironment,
): string {
  const fields = types.fieldsOf(type).map((field) => {
    return `\`${field.name}\`: ${typeText(field.type)}${field.description === undefined ? "" : `, ${field.description}`}`;
  });
  return [
    code(`${name}: ${typeText(type)}`),
    ...(description === undefined ? [] : [description]),
    ...(fields.length === 0 ? [] : [listed(fields.slice(0, SHOWN_FIELDS))]),
    ...(fields.length > SHOWN_FIELDS ? [`and ${fields.length - SHOWN_FIELDS} more`] : []),
  ].join("\n\n");
}

const SHOWN_FIELDS = 24;

function listed(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

function code(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``;
}
