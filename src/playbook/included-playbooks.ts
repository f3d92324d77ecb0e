import type { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Variable } from "../expression/types.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { NamedFiles } from "./check-context.ts";
import { type FileReader, isShipped } from "./playbook-files.ts";
import type { OutputsInPart } from "./types/lists-in-part.ts";
import type { InputKinds } from "./types/id-kinds.ts";
import type { Playbook } from "./model.ts";
import { type Refusal, refusalOf } from "./file-placement.ts";

/** The result of checking one playbook. */
export interface CheckedPlaybook {
  /** The playbook; `undefined` if one of the findings is an error. */
  readonly playbook: Playbook | undefined;
  /** The types of its outputs, and the kinds of ids that they are. */
  readonly outputs: ReadonlyMap<string, Variable>;
  /** Its outputs that come from partial lists. */
  readonly inPart: OutputsInPart;
  /** The kinds of ids that its inputs must be. */
  readonly inputKinds: InputKinds;
  /** Errors and warnings in the order of their places, without those of included playbooks. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Why an included playbook cannot be used. */
export type NotIncluded =
  | "missing"
  | "too-deep"
  | "too-many"
  | { readonly cycle: readonly string[] }
  | { readonly unreadable: Failure }
  | { readonly refused: Refusal };

/** Finds and checks the playbooks that one playbook includes, each file once. */
export interface IncludedPlaybooks extends NamedFiles {
  /** Returns the playbook at a resolved path, or why it cannot be used. Throws a Failure if its file cannot be read. */
  readonly find: (path: string) => CheckedPlaybook | NotIncluded;
}

/** Checks one playbook. */
export type CheckText = (path: string, text: string, included: IncludedPlaybooks) => CheckedPlaybook;

/** All playbooks of one check. */
export class Library {
  readonly #files: FileReader | undefined;
  readonly #check: CheckText;
  readonly #checked = new Map<string, CheckedPlaybook>();

  constructor(files: FileReader | undefined, check: CheckText) {
    this.#files = files;
    this.#check = check;
  }

  /** Returns the playbooks that the last file of this chain may include. */
  includedBy(chain: readonly string[]): IncludedPlaybooks {
    return { files: this.#files, named: chain[0] ?? "", find: (path) => this.#find(path, chain) };
  }

  /** Returns the findings in all included files. */
  diagnostics(): readonly Diagnostic[] {
    return [...this.#checked.values()].flatMap(({ diagnostics }) => diagnostics).slice(0, LIMITS.diagnostics);
  }

  #find(path: string, chain: readonly string[]): CheckedPlaybook | NotIncluded {
    if (chain.includes(path)) return { cycle: [...chain.slice(chain.indexOf(path)), path] };
    const known = this.#checked.get(path);
    if (known !== undefined) return known;
    if (chain.length > LIMITS.includeDepth) return "too-deep";
    if (this.#checked.size >= LIMITS.includes) return "too-many";
    const refused =
      isShipped(path) || this.#files === undefined
        ? undefined
        : refusalOf(this.#files, { path, use: "playbook", named: chain[0] ?? path });
    if (refused !== undefined) return { refused };
    const text = isShipped(path) ? this.#files?.shipped?.read(path) : this.#files?.read(path);
    if (text === undefined) return "missing";
    const checked = this.#check(path, text, this.includedBy([...chain, path]));
    this.#checked.set(path, checked);
    return checked;
  }
}
