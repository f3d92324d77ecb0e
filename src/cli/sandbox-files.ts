import { resolve } from "node:path";
import { Failure } from "../base/failure.ts";
import { type SandboxDocument, WrongDocument } from "../sandbox/sandbox.ts";
import { formatDiagnostic } from "../source/diagnostic.ts";
import { nodeAt, type Range, type SourceNode, startOf } from "../source/node.ts";
import { parseUnshown } from "../source/unshown.ts";
import type { Shell } from "./shell.ts";
import { readText } from "./project/read-file.ts";

/** The files of the documents that a sandbox was given, by the name that messages use. */
type SandboxFiles = Readonly<Partial<Record<SandboxDocument, string | undefined>>>;

/** Runs some work with a sandbox. The sandbox sees values only, so this adds the file to an error in one of its documents. */
export async function withSandboxFiles<T>(shell: Shell, files: SandboxFiles, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const file = error instanceof WrongDocument ? files[error.document] : undefined;
    throw error instanceof WrongDocument && file !== undefined ? shownIn(shell, file, error) : error;
  }
}

function shownIn({ cwd }: Shell, name: string, wrong: WrongDocument): Failure {
  const { file, root } = parseUnshown(name, readText(resolve(cwd, name), name));
  if (root === undefined) return wrong;
  const diagnostics = wrong.places.map(({ code, path, key, message, fix }) =>
    file.diagnose({ code, message, suggestion: fix }, rangeOf(nodeAt(root, path.map(String)), key)),
  );
  return new Failure({ code: wrong.code, message: diagnostics.map(formatDiagnostic).join("\n\n") });
}

function rangeOf(node: SourceNode, key: string | undefined): Range {
  const entry = key !== undefined && node.kind === "map" ? node.entries.get(key) : undefined;
  return entry?.key ?? startOf(node);
}
