import { EXIT } from "../../base/exit.ts";
import { writeJson } from "../../base/json/json.ts";
import type { Shell } from "../shell.ts";

/** Prints a document of `--json` with the number of its format, and returns the exit code of a command that ends with it. */
export function printData({ stdout }: Pick<Shell, "stdout">, data: object): typeof EXIT.passed {
  stdout.write(`${writeJson({ format: 1, ...data }, 2)}\n`, "json");
  return EXIT.passed;
}
