import { field, recordsIn, text } from "../base/json/parts.ts";
import { DAY_MS, isoDay } from "../base/time/date.ts";
import { command, type CommandLine } from "../base/command-line.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../base/json/json.ts";
import type { SideNames } from "./comparison.ts";
import { oneLine } from "./formats/foreign-text.ts";

const RECORD_CHARS = 2_000;

/** The rows of one side of a drift when it was last seen. */
interface SideReport {
  /** The rows that were stored. */
  readonly rows: readonly SaidRow[];
  /** How many further rows there were. */
  readonly more: number;
}

/** A row as it was read. Unknown texts are empty. */
export interface SaidRow {
  /** When it was read. ISO 8601, UTC. */
  readonly at: string;
  /** The operation, or the expression that returned the rows. */
  readonly operation: string;
  /** The input of the operation; empty if there was none. */
  readonly input: JsonObject;
  /** Who made the request. */
  readonly actor: string;
  /** The page of the row, or its line in a file. */
  readonly where: string;
  /** The record as it was read; null if unknown. */
  readonly record: Json;
}

/** Reads the rows of one side from the evidence of a drift. */
export function saidBy(side: "left" | "right", evidence: Json): SideReport {
  const own = partOf(evidence, side);
  const rows = recordsIn(own["read"]).map(rowOf);
  return { rows, more: Math.max(0, Number(own["rows"] ?? rows.length) - rows.length) };
}

function rowOf(row: JsonObject): SaidRow {
  const { at, operation, actor, page, place, record = null } = row;
  return {
    at: textOf(at),
    operation: textOf(operation),
    input: partOf(row, "input"),
    actor: textOf(actor),
    where: textOf(place) || (page === undefined ? "" : `page ${textOf(page)}`),
    record,
  };
}

/** Describes both sides of a drift when it was last seen: the request, the page, the time, the record. */
export function evidenceLines({ evidence, sides }: { readonly evidence: Json; readonly sides: SideNames }): readonly string[] {
  return (["left", "right"] as const).flatMap((side) => {
    const { rows, more } = saidBy(side, evidence);
    return [
      `  ${oneLine(sides[side])} showed:${rows.length === 0 ? " no row" : ""}`,
      ...rows.flatMap(rowLines),
      ...(more > 0 ? [`    … and ${more} more rows`] : []),
    ];
  });
}

function rowLines({ operation, input, actor, where, at, record }: SaidRow): readonly string[] {
  const as = actor === "" ? "" : ` as ${oneLine(actor)}`;
  const asked = Object.keys(input).length === 0 ? "" : ` ${oneLine(writeJson(input), RECORD_CHARS)}`;
  return [
    `    ${oneLine(at)}  ${oneLine(operation)}${asked}${as}, ${oneLine(where)}`,
    `      ${oneLine(writeJson(record), RECORD_CHARS)}`,
  ];
}

function partOf(value: Json, name: string): JsonObject {
  const part = field(value, name);
  return isObject(part) ? part : {};
}

function textOf(value: Json | undefined): string {
  return text(value) ?? "";
}

const EXAMPLE_DAYS = 7;

/** Returns the command that acknowledges a drift for a week, with a reason to fill in. `now` is in milliseconds since the Unix epoch. */
export function acknowledgingCommand(id: string, now: number): CommandLine {
  const day = isoDay(now + EXAMPLE_DAYS * DAY_MS);
  return command`drift ack ${id} --because TEXT --until ${day}`;
}
