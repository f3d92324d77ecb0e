import type { Decimal } from "../base/numbers/decimal.ts";
import type { Json } from "../base/json/json.ts";

/** The two sides of a comparison. */
export type SideName = "left" | "right";
/** Both sides, the left one first. */
export const SIDES: readonly SideName[] = ["left", "right"];

/** One row of one side, as a read gave it. */
export interface SideRow {
  /** The side that it is of. */
  readonly side: SideName;
  /** The parts of its key, in their order. */
  readonly key: readonly string[];
  /** Null where only presence is compared. */
  readonly value: Decimal | null;
  /** What identifies its record, if a record that is listed several times must count once. */
  readonly once?: string | undefined;
  /** When it last changed, in milliseconds since the Unix epoch, if it is known. */
  readonly at: number | undefined;
  /** The record as it was read; null for a zero that no record gives. */
  readonly record: Json;
  /** The id by which the service can be asked for its record alone. */
  readonly id?: string | undefined;
  /** Where it was, such as a line of a file, if that says more than its page. */
  readonly place?: string | undefined;
}

/** What one side has of one key. */
export interface SideValue {
  /** How many rows have the key. */
  readonly rows: number;
  /** Of several rows, their sum, in canonical spelling. */
  readonly value: string | null;
  /** When the latest of its rows changed, in milliseconds since the Unix epoch; undefined if that is not known. */
  readonly at: number | undefined;
  /** Of one row, the id of its record. */
  readonly id?: string | undefined;
}

/** What both sides have of one key; `undefined` where a side has nothing. */
export interface Pair {
  /** The parts of the key as one text, which `keyText` makes. */
  readonly key: string;
  /** What the left side has. */
  readonly left: SideValue | undefined;
  /** What the right side has. */
  readonly right: SideValue | undefined;
}

/** A key as one text: JSON without spaces. */
export function keyText(parts: readonly string[]): string {
  return `${keyStart(parts)}${keyEnd(parts)}`;
}

/** Returns the text of a key up to its second part, which the keys of one read mostly share. */
export function keyStart([first]: readonly string[]): string {
  return first === undefined ? "[" : `[${quoted(first)}`;
}

/** Returns the rest of the text of a key. */
export function keyEnd(parts: readonly string[]): string {
  let text = "";
  for (let at = 1; at < parts.length; at++) text += `,${quoted(parts[at] as string)}`;
  return `${text}]`;
}

// JSON would take three times as long.
function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

/** What identifies a record, as one text without a line break. */
export function recordText(once: string | undefined): string | undefined {
  return once === undefined ? undefined : JSON.stringify(once);
}

/** Returns whether JSON writes a text as it is, as it does most parts of keys. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Returns the parts of a key from its text. */
export function keyParts(key: string): readonly string[] {
  return JSON.parse(key) as readonly string[];
}
