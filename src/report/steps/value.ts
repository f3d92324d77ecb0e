import { isObject, type Json, writeJson } from "../../base/json/json.ts";
import { cut } from "../formats/foreign-text.ts";

const LEAST_CHARS = 16;

/** Writes a value as JSON of about `chars` characters. If it is cut, the number of omitted parts is shown. A number always keeps all its digits. */
export function shortJson(value: Json, chars: number): string {
  const text = writeJson(value);
  const room = Math.max(chars, LEAST_CHARS);
  if (text.length <= room) return text;
  if (typeof value === "string") return `${cut(text, room)}"`;
  if (Array.isArray(value)) return filled(["[", "]"], value as readonly Json[], room, (item, left) => shortJson(item, left));
  if (!isObject(value)) return text;
  return filled(
    ["{", "}"],
    Object.entries(value),
    room,
    ([key, inner], left) => `${cut(writeJson(key), room)}:${shortJson(inner, left)}`,
  );
}

const COUNTED = ", … 10000 more".length;

function filled<T>(
  [open, close]: readonly [string, string],
  entries: readonly T[],
  chars: number,
  show: (entry: T, left: number) => string,
): string {
  let text = open;
  for (const [at, entry] of entries.entries()) {
    const left = chars - text.length - COUNTED;
    const next = left <= 0 ? "" : show(entry, left);
    if (at > 0 && (left <= 0 || next.length > left)) return `${text}, … ${entries.length - at} more${close}`;
    text += `${at === 0 ? "" : ","}${next}`;
  }
  return `${text}${close}`;
}
