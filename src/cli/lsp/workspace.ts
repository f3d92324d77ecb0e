import { readdirSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Failure } from "../../base/failure.ts";
import { isPlaybook, type Surroundings, type TextFile } from "../../editor/document.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import type { FileReader, ShippedPlaybooks } from "../../playbook/files.ts";
import { filesOf } from "../project.ts";
import type { Shell } from "../shell.ts";

/** A document that is open in the editor. */
export interface OpenDocument {
  readonly uri: string;
  getText(): string;
}

/** The files of a folder, as they stand in the editor and, where they are not open, on the disk. */
export class Workspace implements Surroundings {
  readonly #folder: string;
  readonly #disk: FileReader;
  readonly #open: () => readonly OpenDocument[];

  /** `folder` is a URI; paths are told relative to it, as a check tells them that is made there. */
  constructor(shell: Shell, folder: string | undefined, open: () => readonly OpenDocument[]) {
    this.#folder = folder?.startsWith("file:") === true ? fileURLToPath(folder) : shell.cwd;
    this.#disk = filesOf({ ...shell, cwd: this.#folder });
    this.#open = open;
  }

  fileOf(document: OpenDocument): TextFile {
    return { path: this.#pathOf(document.uri), text: document.getText() };
  }

  /** The address of a file, as the editor has it where it is open there. */
  uriOf(path: string): string {
    return this.#openAt(path)?.uri ?? pathToFileURL(resolve(this.#folder, path)).href;
  }

  get shipped(): ShippedPlaybooks | undefined {
    return this.#disk.shipped;
  }

  mayInclude(path: string, named: string): boolean {
    return this.#disk.mayInclude?.(path, named) ?? true;
  }

  read(path: string): string | undefined {
    return this.#openAt(path)?.getText() ?? this.#disk.read(path);
  }

  textOf(path: string): string | undefined {
    try {
      return this.read(path);
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  list(folder: string): readonly string[] {
    try {
      const entries = readdirSync(resolve(this.#folder, folder), { withFileTypes: true });
      return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted();
    } catch {
      return [];
    }
  }

  /** What a check finds in every open playbook, and in those that they include; by address. */
  check(): ReadonlyMap<string, readonly Diagnostic[]> {
    const playbooks = this.#open().filter((document) => isPlaybook(document.getText()));
    const found = new Map<string, Map<string, Diagnostic>>(playbooks.map(({ uri }) => [uri, new Map()]));
    for (const document of playbooks) {
      const { path, text } = this.fileOf(document);
      for (const diagnostic of checkPlaybook(path, text, this).diagnostics) {
        const uri = diagnostic.file === path ? document.uri : this.uriOf(diagnostic.file);
        // An open playbook tells its own.
        if (uri !== document.uri && playbooks.some((other) => other.uri === uri)) continue;
        const { code, line, column, message } = diagnostic;
        const there = found.get(uri) ?? new Map<string, Diagnostic>();
        found.set(uri, there.set(`${code} ${line} ${column} ${message}`, diagnostic));
      }
    }
    return new Map([...found].map(([uri, diagnostics]) => [uri, [...diagnostics.values()]]));
  }

  #openAt(path: string): OpenDocument | undefined {
    const wanted = resolve(this.#folder, path);
    return this.#open().find(({ uri }) => resolve(this.#folder, this.#pathOf(uri)) === wanted);
  }

  // What has no file as yet is looked at as if it stood in the folder.
  #pathOf(uri: string): string {
    if (uri.startsWith("file:")) return relative(this.#folder, fileURLToPath(uri));
    return uri.replace(/^[a-z]+:/, "").replaceAll(/[^\w.-]+/g, "-");
  }
}
