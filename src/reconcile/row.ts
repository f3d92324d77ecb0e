import type { Decimal } from "../base/numbers/decimal.ts";
import type { Json } from "../base/json/json.ts";

/** The two sides of a comparison. */
export type SideName = "left" | "right";
/** Both sides, the left one first. */
export const SIDES: readonly SideName[] = ["left", "right"];

/** One row of one side, as a read gave it. */
export interface SideRow {
  /** The side to which it belongs. */
  readonly side: SideName;
  /** The parts of its key in order. */
  readonly key: readonly string[];
  /** The compared value; null if only presence is compared. */
  readonly value: Decimal | null;
  /** What identifies its record, if a record that is listed several times must count once. */
  readonly once?: string | undefined;
  /** When it last changed, in milliseconds since the Unix epoch, if known. */
  readonly at: number | undefined;
  /** The record as it was read; null for a zero without a record. */
  readonly record: Json;
  /** The id with which the service can be asked for the single record. */
  readonly id?: string | undefined;
  /** Its place, such as a line of a file, if this is more exact than its page. */
  readonly place?: string | undefined;
}

/** What one side has of one key. */
export interface SideValue {
  /** How many rows have the key. */
  readonly rows: number;
  /** The value in canonical spelling; for several rows, their sum. */
  readonly value: string | null;
  /** When the latest of its rows changed, in milliseconds since the Unix epoch; undefined if unknown. */
  readonly at: number | undefined;
  /** The id of its record, if there is only one row. */
  readonly id?: string | undefined;
}

/** The rows of both sides for one key; `undefined` for a side without rows. */
export interface Pair {
  /** The parts of the key as one text, made by `keyText`. */
  readonly key: string;
  /** The rows of the left side. */
  readonly left: SideValue | undefined;
  /** The rows of the right side. */
  readonly right: SideValue | undefined;
}

/** Returns a key as one text: JSON without spaces. */
export function keyText(parts: readonly string[]): string {
  return `${keyStart(parts)}${keyEnd(parts)}`;
}

/** Returns the text of a key up to its second part. The keys of one read usually have this in common. */
export function keyStart([first]: readonly string[]): string {
  return first === undefined ? "[" : `[${quoted(first)}`;
}

/** Returns the rest of the text of a key. */
export function keyEnd(parts: readonly string[]): string {
  let text = "";
  for (let at = 1; at < parts.length; at++) text += `,${quoted(parts[at] as string)}`;
  return `${text}]`;
}

// JSON.stringify would take three times as long.
function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

/** Returns what identifies a record, as one text without line breaks. */
export function recordText(once: string | undefined): string | undefined {
  return once === undefined ? undefined : JSON.stringify(once);
}

/** Returns whether JSON writes a text without escapes, as it does for most parts of keys. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Returns the parts of a key from its text. */
export function keyParts(key: string): readonly string[] {
  return JSON.parse(key) as readonly string[];
}
