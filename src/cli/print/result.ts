import { EXIT } from "../../base/exit.ts";
import { writeJson } from "../../base/json/json.ts";
import type { Shell, TextKind } from "../shell.ts";

/** Prints the document of `--json` with its format number. Returns the exit code for a command that ends with it. */
export function printData(shell: Pick<Shell, "stdout">, data: object): typeof EXIT.passed {
  return printText(shell, `${writeJson({ format: 1, ...data }, 2)}\n`, "json");
}

/** Prints a text that has its line ends, and returns the exit code of a command that ends with it. */
export function printText({ stdout }: Pick<Shell, "stdout">, text: string, kind?: TextKind): typeof EXIT.passed {
  stdout.write(text, kind);
  return EXIT.passed;
}

/** Prints lines, or `ifNone` if there are none. Returns the exit code for a command that ends with them. */
export function printLines(shell: Pick<Shell, "stdout">, lines: readonly string[], ifNone?: string): typeof EXIT.passed {
  return printText(shell, `${lines.length === 0 && ifNone !== undefined ? ifNone : lines.join("\n")}\n`);
}

/** Says how many entries a list leaves out, and how to see them. */
export function noteMore({ stderr }: Pick<Shell, "stderr">, shown: number, total: number): void {
  if (shown < total) stderr.write(`… and ${total - shown} more: --limit ${total}\n`);
}
