import type { JsonObject } from "../base/json/json.ts";
import { contract } from "../contract/contract.ts";

/** A playbook as it is written. */
export interface Writing {
  /** Its file, its title, and the SHA-256 digest of its text and of all that it includes, in hexadecimal. */
  readonly playbook: { readonly file: string; readonly name: string; readonly digest: string };
  /** The steps as written, so that a report can name those that never ran. */
  readonly steps: readonly StepHeading[];
  /** The texts of the playbook and of all that it includes, by file, with which an edited one is compared. Left out by older runs. */
  readonly sources?: Readonly<Record<string, string>>;
  /** The values that included playbooks read from data files, by file and input. Left out by older runs. */
  readonly data?: Readonly<Record<string, JsonObject>>;
}

/**
 * Returns the files of a playbook whose text is another one than before; its own where none is known to be. A file that it includes no more is
 * none of them: the file that named it is.
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
  /** Without keys, and with the steps that include it: `deposit/mint`. */
  readonly id: string;
  /** Its title; its id where it has none. */
  readonly name: string;
  /** An operation, the path of a playbook, or `block`. */
  readonly uses: string;
  /** From 1 on. */
  readonly line: number;
  /** Left out: a call of an operation. */
  readonly kind?: "block" | "include" | "check";
  /** How many blocks and included playbooks it is in. Left out: none. */
  readonly depth?: number;
  /** The included playbook in whose file it is written. Left out: the run's own. */
  readonly file?: string;
}

/** Where a run acts; a resumed run must find the same. */
export interface TargetHeading {
  /** Its name in tokenbook.yaml. */
  readonly environment: string;
  /** The address of each interface by its name, and the settings that only it has. A run of an earlier version has none of a newer interface. */
  readonly [field: string]: string | null;
}

/** The word that replaces the addresses of the embedded sandbox, which change each time. */
export const EMBEDDED_ADDRESS = "embedded sandbox";

/** Returns an address in the one spelling in which places are compared: small letters in its host, no usual port, no slash at its end. */
export function canonicalAddress(address: string): string {
  const url = /^https?:/i.test(address) ? URL.parse(address) : null;
  return url === null ? address : url.href.replace(/\/+$/, "");
}

/** Returns the fields in which the second place differs from the first. A run of an earlier version does not know a newer interface. */
export function differingFields(one: TargetHeading, other: TargetHeading): readonly string[] {
  const spelt = (heading: TargetHeading, field: string): string => canonicalAddress(heading[field] ?? "");
  return Object.keys(other).filter((field) => spelt(one, field) !== spelt(other, field));
}

/** Returns the addresses of the interfaces that a run reaches. */
export function addressesIn(heading: TargetHeading): readonly string[] {
  return Object.keys(contract.interfaces).flatMap((name) => heading[name] ?? []);
}

/** Whether a run acts on the embedded sandbox, and reaches no real service. */
export function isEmbedded(heading: TargetHeading): boolean {
  return addressesIn(heading).includes(EMBEDDED_ADDRESS);
}
