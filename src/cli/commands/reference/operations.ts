import { count, wrap } from "../../../base/text/text.ts";
import { inputSchema } from "../../../operations/input.ts";
import { type Operation, operationNamed, operations as all } from "../../../operations/operation.ts";
import { HEADINGS, type OperationPage, type PageFact, pageOf } from "../../../operations/page.ts";
import type { PageField } from "../../../operations/page-types.ts";
import { type TextColumns, columnsIn, indented, sectionsOf, widthOn } from "../../print/columns.ts";
import { printData, printText } from "../../print/result.ts";
import type { Command } from "../../shell.ts";

interface OperationsOptions {
  readonly name: readonly string[];
  readonly json?: boolean;
}

/** `tokenbook operations`: lists the operations, searches them by words, or shows those that are named in full. */
export const operations: Command<OperationsOptions> = async (shell, { name, json }) => {
  const list = matching(name);
  if (list !== undefined) {
    if (json === true) return printData(shell, { operations: list.map(asData) });
    return printText(shell, table(list));
  }
  const named = name.some(isFullName) ? name.map(operationNamed) : [operationNamed(name.join(" "))];
  const [first = {}, ...others] = named.map(asData);
  if (json === true) return printData(shell, others.length === 0 ? first : { operations: [first, ...others] });
  return printText(shell, named.map((operation) => text(pageOf(operation), widthOn(shell.stdout))).join("\n"));
};

function isFullName(typed: string): boolean {
  return typed.includes(".");
}

// A full name shows that operation, even if other names contain it.
function matching(typed: readonly string[]): readonly Operation[] | undefined {
  const list = [...all.values()];
  if (typed.length === 0) return list;
  if (typed.some((name) => all.has(name))) return undefined;
  const words = typed.map((word) => word.toLowerCase());
  const found = list.filter(({ name, call }) => {
    const searched = `${name} ${call.section} ${call.group} ${call.summary}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  return found.length === 0 ? undefined : found;
}

function table(list: readonly Operation[]): string {
  const width = Math.max(...list.map(({ name }) => name.length));
  const groups = Map.groupBy(list, ({ call }) => `${call.section} ${call.group} (${call.interface})`);
  const parts = [...groups].map(([group, members]) => {
    const rows = members.map(
      ({ name, writes, call }) => `  ${name.padEnd(width)}  ${writes ? "write" : "read "}  ${call.summary}`,
    );
    return `${group}\n${rows.join("\n")}\n`;
  });
  return `${parts.join("\n")}\n${count(list.length, "operation")}. To see one in full:\ntokenbook operations ${list.length === all.size ? "NAME" : (list[0]?.name ?? "NAME")}\n`;
}

function text(page: OperationPage, width: number): string {
  const columns = columnsIn(width);
  const factLines = (facts: readonly PageFact[]): readonly string[] =>
    columns(facts.map(({ label, text: words }) => [label, words]));
  const fieldLines = (fields: readonly PageField[]): readonly string[] => columns(fields.map(fieldRow));
  const sections = sectionsOf([
    ["", factLines(page.facts)],
    [HEADINGS.input, [...fieldLines(page.input), ...columns(page.inputNotes.map((note) => [note]))]],
    [HEADINGS.yields, fieldLines(page.yields)],
    [HEADINGS.failures, [...factLines(page.failures), ...conditionLines(page, columns)]],
    [HEADINGS.example, page.example.trimEnd().split("\n")],
    [HEADINGS.types, page.types.flatMap(({ name, fields }) => [name, ...indented(fieldLines(fields))])],
    [HEADINGS.restsOn, columns(page.restsOn.map((each) => [each]))],
  ]);
  return `${[`${page.name}: ${page.summary}\n${page.call}`, wrap(page.description, width).join("\n"), ...sections].join("\n\n")}\n`;
}

function fieldRow({ name, required, type, description }: PageField): readonly string[] {
  return [required ? `${name} *` : name, type, description];
}

function conditionLines({ conditions, furtherConditions }: OperationPage, columns: TextColumns): readonly string[] {
  const listed = (heading: string, words: readonly string[]): readonly string[] =>
    words.length === 0 ? [] : [...columns([[heading]]), ...indented(words)];
  const described = conditions.length === 0 ? columns([[HEADINGS.noConditions]]) : listed(HEADINGS.conditions, conditions);
  return [...described, ...listed(HEADINGS.furtherConditions, furtherConditions)];
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
    fills: meaning.fills ?? null,
    foundBy: meaning.discovery?.read ?? null,
    readBack: meaning.effect === "read" ? null : meaning.readBack,
    conditions: call.conditions,
    furtherConditions: call.furtherConditions,
    paged: call.paging !== undefined,
    restsOn: call.restsOn,
    input: inputSchema(operation),
    yields: Object.fromEntries(Object.entries(yields).map(([field, { type, description }]) => [field, { type, description }])),
  };
}
