import { resolve } from "node:path";
import { Failure } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { type NamedFile, readRegular } from "../../files/regular.ts";
import type { PlaceOfInput } from "../../playbook/inputs/given-inputs.ts";
import { formatDiagnostic } from "../../source/diagnostic.ts";
import type { SourceFile } from "../../source/file.ts";
import { nodeAt, type SourceNode, toJson } from "../../source/node.ts";
import { parseUnshown } from "../../source/unshown.ts";
import { unreadFile } from "./missing-file.ts";
import type { Shell } from "../shell.ts";

/** Reads a map, such as inputs or a seed, from a YAML or JSON file. Throws a Failure. */
export function readMapFile(shell: Shell, name: string): JsonObject {
  return readPlacedMap(shell, name).values;
}

/** Reads such a map, and returns where each value is in the file, such as `inputs.yaml:3:9`. */
export function readPlacedMap(shell: Shell, name: string): { readonly values: JsonObject; readonly placeOf: PlaceOfInput } {
  const { file, root } = parsedFile(shell, name);
  const values = toJson(root);
  const placeOf = (path: readonly string[]): string => {
    const { line, column } = file.positionOf(nodeAt(root, path).range.start);
    return `${file.path}:${line}:${column}`;
  };
  if (isObject(values)) return { values, placeOf };
  throw new Failure({
    code: "file.no-map",
    message: `${name} holds no map of names to values`,
    next: "write it as NAME: VALUE lines, or as a JSON object",
  });
}

/** Reads a value, such as the list of a fault plan, from a YAML or JSON file. Throws a Failure. */
export function readDataFile(shell: Shell, name: string): Json {
  return toJson(parsedFile(shell, name).root);
}

function parsedFile(shell: Shell, name: string): { readonly file: SourceFile; readonly root: SourceNode } {
  shell.onRead?.(resolve(shell.cwd, name));
  const { file, root, diagnostics } = parseUnshown(name, readText(resolve(shell.cwd, name), name));
  if (root !== undefined) return { file, root };
  throw new Failure({
    code: "file.unreadable",
    message: diagnostics.map((diagnostic) => formatDiagnostic({ ...diagnostic, frame: "" })).join("\n\n"),
    next: "write it as YAML or JSON",
  });
}

/** Reads a file as text. Throws a Failure that calls the file `name`. */
export function readText(path: string, name: string, ifTooLarge?: NamedFile["ifTooLarge"]): string {
  try {
    return decode(name, readRegular({ path, name, ifTooLarge }, LIMITS.dataBytes));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadFile(path, name, error);
  }
}

/** Decodes bytes as UTF-8. Throws a Failure if they are not UTF-8, because a guess could change the text. */
export function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Failure({
      code: "file.unreadable",
      message: `${name} cannot be read: it is not in UTF-8`,
      next: "save it in UTF-8",
    });
  }
}
