import { getOrInsert } from "../../base/maps.ts";
import { readdirSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Failure } from "../../base/failure.ts";
import type { EditorFiles, TextFile } from "../../editor/document.ts";
import { isPlaybook } from "../../playbook/is-playbook.ts";
import { checkPlaybook } from "../../playbook/check.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { type FileReader, isShipped, type Placement, type ShippedPlaybooks } from "../../playbook/playbook-files.ts";
import { filesOf, placementIn } from "../project/project-files.ts";
import { pathOfShipped } from "../project/shipped.ts";
import type { Shell } from "../shell.ts";

/** A document that is open in the editor. */
export interface OpenDocument {
  /** Its address in the editor, such as `file:///home/alice/mint.yaml`. */
  readonly uri: string;
  /** Returns the text as the editor has it, saved or not. */
  getText(): string;
}

/** The files of some folders: as the editor has them if they are open, otherwise as they are on disk. */
export class Workspace implements EditorFiles {
  readonly #folders: readonly string[];
  readonly #folder: string;
  readonly #disk: FileReader;
  readonly #open: () => readonly OpenDocument[];

  /** `folders` are URIs. Paths are shown relative to the first folder, as by a check there. */
  constructor(shell: Shell, folders: readonly string[], open: () => readonly OpenDocument[]) {
    this.#folders = folders.flatMap((folder) => fileAt(folder) ?? []);
    this.#folder = this.#folders[0] ?? shell.cwd;
    this.#disk = filesOf({ ...shell, cwd: this.#folder });
    this.#open = open;
  }

  /** Returns the document as a file: its path as a check shows it, and its current text. */
  fileOf(document: OpenDocument): TextFile {
    return { path: this.pathOf(document.uri), text: document.getText() };
  }

  /** Returns the URI of a file, as the editor has it if the file is open; nothing for a playbook inside a single binary. */
  uriOf(path: string): string | undefined {
    const file = isShipped(path) ? pathOfShipped(path) : resolve(this.#folder, path);
    return this.#openAt(path)?.uri ?? (file && pathToFileURL(file).href);
  }

  /** The playbooks of the library. */
  get shipped(): ShippedPlaybooks | undefined {
    return this.#disk.shipped;
  }

  /** Places a file as a check in one of the folders, or in the folder of the playbook, would. An editor may have no folder open, or others. */
  placementOf(path: string, named: string): Placement {
    const [file, playbook] = [resolve(this.#folder, path), resolve(this.#folder, named)];
    const placements = [...this.#folders, dirname(playbook)].map((cwd) => placementIn(cwd, file, playbook));
    return placements.find((placement) => placement === "project") ?? placements[0] ?? "outside";
  }

  /** Returns the text from the editor, or else from disk; `undefined` if there is no file. Throws a Failure as a check does. */
  read(path: string): string | undefined {
    return this.#openAt(path)?.getText() ?? this.#disk.read(path);
  }

  textOf(path: string): string | undefined {
    try {
      return this.shipped?.read(path) ?? this.read(path);
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

  /** Checks every open playbook and the playbooks that it includes. Returns the findings by URI. */
  check(): ReadonlyMap<string, readonly Diagnostic[]> {
    const playbooks = this.#open().filter((document) => isPlaybook(document.getText()));
    const found = new Map<string, Map<string, Diagnostic>>(playbooks.map(({ uri }) => [uri, new Map()]));
    for (const document of playbooks) {
      const { path, text } = this.fileOf(document);
      for (const diagnostic of checkPlaybook(path, text, this).diagnostics) {
        const uri = (diagnostic.file === path ? undefined : this.uriOf(diagnostic.file)) ?? document.uri;
        // an open playbook reports its own findings
        if (uri !== document.uri && playbooks.some((other) => other.uri === uri)) continue;
        const { code, line, column, message } = diagnostic;
        getOrInsert(found, uri, () => new Map()).set(`${code} ${line} ${column} ${message}`, diagnostic);
      }
    }
    return new Map([...found].map(([uri, diagnostics]) => [uri, [...diagnostics.values()]]));
  }

  #openAt(path: string): OpenDocument | undefined {
    const wanted = resolve(this.#folder, path);
    return this.#open().find(({ uri }) => resolve(this.#folder, this.pathOf(uri)) === wanted);
  }

  /** Returns the path by which a check names a document. A document without a file is treated as if it were in the folder. */
  pathOf(uri: string): string {
    const file = fileAt(uri);
    return file === undefined ? uri.replace(/^[a-z]+:/, "").replaceAll(/[^\w.-]+/g, "-") : relative(this.#folder, file);
  }
}

// A URI may also name a file on another machine, or no file at all.
function fileAt(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
