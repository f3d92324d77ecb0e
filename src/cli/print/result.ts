import { EXIT } from "../../base/exit.ts";
import { writeJson } from "../../base/json/json.ts";
import type { Shell } from "../shell.ts";

/** Prints a document of `--json` with the number of its format, and returns the exit code of a command that ends with it. */
export function printData({ stdout }: Pick<Shell, "stdout">, data: object): typeof EXIT.passed {
  stdout.write(`${writeJson({ format: 1, ...data }, 2)}\n`, "json");
  return EXIT.passed;
}

/** Prints lines, or what is said where there are none, and returns the exit code of a command that ends with them. */
export function printLines({ stdout }: Pick<Shell, "stdout">, lines: readonly string[], ifNone?: string): typeof EXIT.passed {
  stdout.write(`${lines.length === 0 && ifNone !== undefined ? ifNone : lines.join("\n")}\n`);
  return EXIT.passed;
}

/** Says how many entries a list leaves out, and how to see them. */
export function noteMore({ stderr }: Pick<Shell, "stderr">, shown: number, total: number): void {
  if (shown < total) stderr.write(`… and ${total - shown} more: --limit ${total}\n`);
}
