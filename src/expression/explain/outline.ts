import { isObject, type Json, writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { isShowable, summaryOf } from "./glimpse.ts";

/** The path to a part of a value: names of fields and indexes of items. */
export type Path = readonly (string | number)[];

interface Room {
  /** How many fields of an object are shown, and how many items of a list. */
  readonly fields: number;
  readonly items: number;
  /** The greatest length of a part that is shown on one line. */
  readonly inline: number;
}

const INLINE_CHARS = 60;

const ROOMS: readonly Room[] = [
  { fields: Infinity, items: Infinity, inline: INLINE_CHARS },
  { fields: 20, items: 6, inline: INLINE_CHARS },
  { fields: 8, items: 3, inline: 100 },
  { fields: 3, items: 1, inline: 200 },
  { fields: 0, items: 0, inline: 200 },
];
const KEPT_PATHS = 50;

/** Returns a value as indented lines without the middle of long lists and texts. The parts at the given paths are always shown. */
export function outlineOf(value: Json, paths: readonly Path[]): string {
  const kept = paths.slice(0, KEPT_PATHS);
  let lines: readonly string[] = [];
  for (const room of ROOMS) {
    lines = linesOf(value, { kept, room, depth: LIMITS.shownDepth });
    if (lines.length <= LIMITS.shownLines && charsOf(lines) <= LIMITS.shownAnswerChars) break;
  }
  return bounded(lines).join("\n");
}

function charsOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

// Only whole lines are shown, because masking would not recognise half of a secret.
function bounded(lines: readonly string[]): readonly string[] {
  let chars = 0;
  const fitting = lines.filter((line, at) => at < LIMITS.shownLines && (chars += line.length + 1) <= LIMITS.shownAnswerChars);
  return fitting.length === lines.length ? lines : [...fitting, `… ${lines.length - fitting.length} more lines`];
}

interface OutlineContext {
  /** The paths that lead further from here. */
  readonly kept: readonly Path[];
  readonly room: Room;
  readonly depth: number;
}

function linesOf(value: Json, within: OutlineContext): readonly string[] {
  const inline = inlined(value, within);
  if (inline !== undefined) return [inline];
  if (Array.isArray(value))
    return entryLines(
      value.map((item: Json, at) => [at, item] as const),
      within,
    );
  return isObject(value) ? entryLines(Object.entries(value), within) : [summaryOf(value)];
}

function inlined(value: Json, { room, depth, kept }: OutlineContext): string | undefined {
  if (!Array.isArray(value) && !isObject(value)) return isShowable(value) ? writeJson(value) : `(${summaryOf(value)})`;
  if (isShowable(value)) {
    const text = writeJson(value);
    if (text.length <= room.inline) return text;
  }
  return depth <= 0 || (room.fields === 0 && kept.length === 0) ? `(${summaryOf(value)})` : undefined;
}

function entryLines(entries: readonly (readonly [string | number, Json])[], within: OutlineContext): readonly string[] {
  const shown = chosen(entries, within);
  const lines: string[] = [];
  let gap = 0;
  for (const [at, [key, value]] of entries.entries()) {
    if (!shown.has(at)) gap += 1;
    if (gap > 0 && (shown.has(at) || at === entries.length - 1)) {
      lines.push(`… ${gap} more`);
      gap = 0;
    }
    if (shown.has(at)) lines.push(...entryLine(key, value, within));
  }
  return lines;
}

function entryLine(key: string | number, value: Json, { kept, room, depth }: OutlineContext): readonly string[] {
  const here = kept.filter(([first]) => first === key);
  const onward = here.map((path) => path.slice(1)).filter((path) => path.length > 0);
  // A long line may be shortened when it is printed, so a part at a path gets short lines.
  const within = { kept: onward, room: here.length === 0 ? room : { ...room, inline: INLINE_CHARS }, depth: depth - 1 };
  const inline = inlined(value, within);
  if (inline !== undefined) return [`${labelOf(key)}: ${inline}`];
  return [`${labelOf(key)}:`, ...linesOf(value, within).map((line) => `  ${line}`)];
}

function labelOf(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  if (/^[A-Za-z_][\w-]*$/.test(key) && isShowable(key)) return key;
  return isShowable(key) ? JSON.stringify(key) : `(${summaryOf(key)})`;
}

// Returns the parts at a path, the first parts, and the last one, which shows where a list ends.
function chosen(entries: readonly (readonly [string | number, Json])[], { kept, room }: OutlineContext): ReadonlySet<number> {
  const isList = typeof entries[0]?.[0] === "number";
  const limit = isList ? room.items : room.fields;
  const named = new Set(kept.map(([first]) => first));
  const picked = new Set<number>();
  for (const [at, [key]] of entries.entries()) {
    const isEdge = at < limit - 1 || (at === entries.length - 1 && limit > 0);
    if (entries.length <= limit || isEdge || named.has(key)) picked.add(at);
  }
  for (const at of entries.keys()) if (isLoneGap(picked, at, entries.length) && limit > 0) picked.add(at);
  return picked;
}

// Leaving out a single part would save no line.
function isLoneGap(picked: ReadonlySet<number>, at: number, length: number): boolean {
  return !picked.has(at) && (at === 0 || picked.has(at - 1)) && (at === length - 1 || picked.has(at + 1));
}
