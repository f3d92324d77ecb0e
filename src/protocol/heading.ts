import type { JsonObject } from "../base/json/json.ts";
import { contract } from "../contract/contract.ts";

/** A playbook as it is written. */
export interface Writing {
  /** Its file, its title, and the SHA-256 digest of the texts of the playbook and of all that it includes, in hexadecimal. */
  readonly playbook: { readonly file: string; readonly name: string; readonly digest: string };
  /** The steps as written, so that a report can name those that never ran. */
  readonly steps: readonly StepHeading[];
  /** The texts of the playbook and of all that it includes, by file. An edited playbook is compared with them. Left out by older runs. */
  readonly sources?: Readonly<Record<string, string>>;
  /** The values that included playbooks read from data files, by file and input. Left out by older runs. */
  readonly data?: Readonly<Record<string, JsonObject>>;
}

/**
 * Returns the files of a playbook whose text has changed; the playbook's own file if no change is known. A file that is no longer included is
 * not among them, but the file that included it is.
 */
export function editedFiles(
  { sources: before = {} }: Pick<Writing, "sources">,
  { playbook, sources = {} }: Writing,
): readonly string[] {
  const edited = Object.entries(sources).flatMap(([file, text]) => (before[file] === text ? [] : file));
  return edited.length === 0 ? [playbook.file] : edited;
}

/** A step as it is written. */
export interface StepHeading {
  /** The id without keys, preceded by the steps that include it: `deposit/mint`. */
  readonly id: string;
  /** The title of the step or, if it has none, its id. */
  readonly name: string;
  /** An operation, the path of an included playbook, or `block`. */
  readonly uses: string;
  /** The line in its file, from 1 on. */
  readonly line: number;
  /** The kind of the step; left out for a call of an operation. */
  readonly kind?: "block" | "include" | "check";
  /** How many blocks and included playbooks it is in; left out for none. */
  readonly depth?: number;
  /** The included playbook in whose file it is written; left out for the run's own file. */
  readonly file?: string;
}

/** Where a run acts. A resumed run must act in the same place. */
export interface TargetHeading {
  /** The environment's name in tokenbook.yaml. */
  readonly environment: string;
  /** The address of each interface by its name, and the settings that only this interface has. Runs of earlier versions lack newer interfaces. */
  readonly [field: string]: string | null;
}

/** The word that replaces the addresses of the embedded sandbox, which change each time. */
export const EMBEDDED_ADDRESS = "embedded sandbox";

/** Returns an address in the spelling by which places are compared: lower-case host, no default port, no slash at its end. */
export function canonicalAddress(address: string): string {
  const url = /^https?:/i.test(address) ? URL.parse(address) : null;
  return url === null ? address : url.href.replace(/\/+$/, "");
}

/** Returns the fields in which the second place differs from the first. A field that only the first has does not count. */
export function differingFields(one: TargetHeading, other: TargetHeading): readonly string[] {
  const spelt = (heading: TargetHeading, field: string): string => canonicalAddress(heading[field] ?? "");
  return Object.keys(other).filter((field) => spelt(one, field) !== spelt(other, field));
}

/** Returns the addresses of the interfaces that a run uses. */
export function addressesIn(heading: TargetHeading): readonly string[] {
  return Object.keys(contract.interfaces).flatMap((name) => heading[name] ?? []);
}

/** Whether a run uses the embedded sandbox and no real service. */
export function isEmbedded(heading: TargetHeading): boolean {
  return addressesIn(heading).includes(EMBEDDED_ADDRESS);
}
