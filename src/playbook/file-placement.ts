import type { FileReader, Placement } from "./playbook-files.ts";

/** The purpose for which a file is read: a playbook names a playbook, data or a secret; a person gives data. */
export type FileUse = "playbook" | "data" | "secret" | "given";

// A check prints what is wrong in a file, often into a public log. So a playbook must not choose whose values are printed, nor whose keys are sent
// to the service.
const REFUSED: Readonly<Record<FileUse, Readonly<Record<Placement, boolean>>>> = {
  playbook: { project: false, hidden: false, outside: true, settings: true },
  secret: { project: false, hidden: false, outside: true, settings: true },
  data: { project: false, hidden: true, outside: true, settings: true },
  given: { project: false, hidden: false, outside: false, settings: true },
};

/** Why a file is not read: the rest of a sentence about it, the reason, and what to do. */
export interface Refusal {
  /** The rest of a sentence that begins with the file's path. */
  readonly message: string;
  /** The reason for the rule. */
  readonly why: string;
  /** What to do instead. */
  readonly suggestion: string;
}

const REFUSALS: Readonly<Record<Exclude<Placement, "project">, Refusal>> = {
  outside: {
    message: "lies outside of the project",
    why: "a check prints what is wrong in a file, so a playbook reads only files of its own project",
    suggestion:
      "copy it into the project: the folder of tokenbook.yaml, or the one in which you run the command; data can also be given: --input NAME=FILE",
  },
  hidden: {
    message: "is a hidden file, or lies in a hidden folder",
    why: "such files hold settings and keys more often than data, and a check prints what is wrong in a file",
    suggestion: "give it a name without a dot at its beginning, or give the file yourself: --input NAME=FILE",
  },
  settings: {
    message: "is a file of settings, which cannot be used as data",
    why: "such a file holds keys, and a check prints what is wrong in a file",
    suggestion: "move everything but keys to a file of another name; name a key under secrets: as NAME: env:VARIABLE",
  },
};

/** A wanted file: its purpose, and the playbook that a person named. */
export interface WantedFile {
  /** Its path, resolved. */
  readonly path: string;
  /** The purpose of reading it. */
  readonly use: FileUse;
  /** The playbook that a person named. */
  readonly named: string;
}

/** Returns why a file may not be read; `undefined` if it may be read. */
export function refusalOf(files: FileReader, { path, use, named }: WantedFile): Refusal | undefined {
  const placement = placementOf(files, { path, named });
  return placement !== "project" && REFUSED[use][placement] ? REFUSALS[placement] : undefined;
}

/** Returns whether messages may quote the content of a file. */
export function isQuotable(files: FileReader, file: Pick<WantedFile, "path" | "named">): boolean {
  return placementOf(files, file) === "project";
}

function placementOf(files: FileReader, { path, named }: Pick<WantedFile, "path" | "named">): Placement {
  return files.placementOf?.(path, named) ?? "project";
}
