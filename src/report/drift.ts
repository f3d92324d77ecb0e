import { isObject, type Json, type JsonObject, writeJson } from "../base/json.ts";
import { oneLine } from "./foreign.ts";

const RECORD_CHARS = 2_000;

/** What both sides of a drift said when it was seen last: the request, the page, the time, the record. */
export function evidenceLines({
  evidence,
  sides,
}: {
  readonly evidence: Json;
  readonly sides: Readonly<Record<"left" | "right", string>>;
}): readonly string[] {
  return (["left", "right"] as const).flatMap((side) => {
    const own = partOf(evidence, side);
    const read = own["read"];
    const rows = Array.isArray(read) ? read.filter(isObject) : [];
    const more = Number(own["rows"] ?? rows.length) - rows.length;
    return [
      `  ${oneLine(sides[side])} said:${rows.length === 0 ? " nothing of it" : ""}`,
      ...rows.flatMap(rowLines),
      ...(more > 0 ? [`    … and ${more} more rows`] : []),
    ];
  });
}

function rowLines({ operation, input, actor, page, at, record }: JsonObject): readonly string[] {
  const as = typeof actor === "string" ? ` as ${oneLine(actor)}` : "";
  const asked = isObject(input) && Object.keys(input).length > 0 ? ` ${oneLine(writeJson(input), RECORD_CHARS)}` : "";
  return [
    `    ${textOf(at)}  ${textOf(operation)}${asked}${as}, page ${textOf(page)}`,
    `      ${oneLine(writeJson(record ?? null), RECORD_CHARS)}`,
  ];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? oneLine(value) : "";
}

function partOf(value: Json, name: string): JsonObject {
  const part = isObject(value) ? value[name] : undefined;
  return isObject(part) ? part : {};
}
