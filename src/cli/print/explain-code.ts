import { command } from "../../base/command-line.ts";
import { CATALOGUE, type Code, CODES, isCode } from "../../base/catalogue/catalogue.ts";
import type { ExitCode } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { didYouMean, indentedText, wrap } from "../../base/text/text.ts";
import examples from "../generated/examples.json" with { type: "json" };
import { INDENT, indented, widthOn } from "./columns.ts";
import { printData, printText } from "./result.ts";
import type { Shell } from "../shell.ts";

/** A playbook with one mistake, and what a check prints about it. */
export interface Example {
  /** The text of the playbook. */
  readonly text: string;
  /** What the check prints. */
  readonly printed: string;
}

/** Prints the catalogue entry of a code; for `all`, lists the codes. Throws a Failure for an unknown code. */
export function explain(shell: Shell, name: string, json: boolean): ExitCode {
  const code = name === "all" ? undefined : codeNamed(name);
  if (json) {
    const codes = code === undefined ? CODES : [code];
    return printData(shell, { codes: codes.map((each) => ({ code: each, ...CATALOGUE[each], example: exampleOf(each) })) });
  }
  return printText(shell, code === undefined ? list() : page(code, widthOn(shell.stdout)));
}

function codeNamed(name: string): Code {
  if (isCode(name)) return name;
  const near = didYouMean(name, CODES) ?? CODES.find((code) => code.includes(name));
  throw new Failure({
    code: "check.unknown-code",
    message: `no finding of the check has the code "${name}"`,
    why: "all other messages are explained in docs/troubleshooting.md",
    next: near === undefined ? command`check --explain all` : command`check --explain ${near}`,
  });
}

function exampleOf(code: Code): Example {
  return (examples as Readonly<Record<Code, Example>>)[code];
}

function list(): string {
  const width = Math.max(...CODES.map(({ length }) => length));
  const rows = CODES.map((code) => `${code.padEnd(width)}  ${CATALOGUE[code].severity.padEnd(7)}  ${CATALOGUE[code].title}`);
  return `${rows.join("\n")}\n\n\`tokenbook check --explain CODE\` explains one.\n`;
}

function page(code: Code, columns: number): string {
  const { severity, title, meaning, cure } = CATALOGUE[code];
  const { text, printed } = exampleOf(code);
  const parts = [
    `${severity} ${code}: ${title}`,
    paragraph(meaning, columns),
    "Example:",
    indentedText(text),
    "`tokenbook check` reports:",
    indentedText(printed),
    "Fix:",
    paragraph(cure, columns),
  ];
  return `${parts.join("\n\n")}\n`;
}

function paragraph(text: string, columns: number): string {
  return indented(wrap(text, columns - INDENT.length)).join("\n");
}
