import { createTwoFilesPatch, diffArrays, FILE_HEADERS_ONLY } from "diff";
import { isObject, type Json, type JsonObject, jsonEquals } from "../json/json.ts";
import { LIMITS } from "../limits.ts";

/** One place where two values differ. `+`: wanted but missing. `-`: present but not wanted. `~`: another value. */
export interface ValueDifference {
  /** How the place differs. */
  readonly sign: "+" | "-" | "~";
  /** The path of the place, such as `owners[0].userId`; empty for the whole value. */
  readonly path: string;
  /** The present value; left out for `+`. */
  readonly is?: Json;
  /** The wanted value; left out for `-`. */
  readonly wanted?: Json;
}

/**
 * Returns the changes that turn one value into the other. Numbers are compared by value, objects regardless of the order of their fields.
 * If there are more than `limit`, it returns the first ones.
 */
export function changesBetween(is: Json, wanted: Json, limit: number = LIMITS.explainedChanges): readonly ValueDifference[] {
  return changesIn(is, wanted, "").take(limit).toArray();
}

function* changesIn(is: Json, wanted: Json, path: string): Generator<ValueDifference> {
  if (jsonEquals(is, wanted)) return;
  if (Array.isArray(is) && Array.isArray(wanted)) yield* changesInList(is as readonly Json[], wanted as readonly Json[], path);
  else if (isObject(is) && isObject(wanted)) yield* changesInObject(is, wanted, path);
  else yield { sign: "~", path, is, wanted };
}

function* changesInObject(is: JsonObject, wanted: JsonObject, path: string): Generator<ValueDifference> {
  for (const key of new Set([...Object.keys(is), ...Object.keys(wanted)])) {
    const [old, fresh] = [is[key] ?? null, wanted[key] ?? null];
    const at = pathTo(path, key);
    if (!Object.hasOwn(wanted, key)) yield { sign: "-", path: at, is: old };
    else if (!Object.hasOwn(is, key)) yield { sign: "+", path: at, wanted: fresh };
    else yield* changesIn(old, fresh, at);
  }
}

// Removed items are compared with the items that were added in their place, so that a changed item is one change, not two.
function* changesInList(is: readonly Json[], wanted: readonly Json[], path: string): Generator<ValueDifference> {
  let [at, to] = [0, 0];
  for (const { removed, added, kept } of editsOf(is, wanted)) {
    for (let each = 0; each < Math.max(removed, added); each++) {
      const [old, fresh] = [is[at + each] ?? null, wanted[to + each] ?? null];
      const place = `${path}[${each < removed ? at + each : to + each}]`;
      if (each >= removed) yield { sign: "+", path: place, wanted: fresh };
      else if (each >= added) yield { sign: "-", path: place, is: old };
      else yield* changesIn(old, fresh, place);
    }
    at += removed + kept;
    to += added + kept;
  }
}

interface TextEdit {
  readonly removed: number;
  readonly added: number;
  /** How many items after them are the same in both. */
  readonly kept: number;
}

function editsOf(is: readonly Json[], wanted: readonly Json[]): readonly TextEdit[] {
  const parts = diffArrays([...is], [...wanted], { comparator: jsonEquals, maxEditLength: LIMITS.explainedEdits });
  if (parts === undefined) return [{ removed: is.length, added: wanted.length, kept: 0 }];
  const edits: TextEdit[] = [];
  let [removed, added] = [0, 0];
  for (const part of parts) {
    if (part.removed) removed += part.count;
    else if (part.added) added += part.count;
    else {
      edits.push({ removed, added, kept: part.count });
      [removed, added] = [0, 0];
    }
  }
  return [...edits, { removed, added, kept: 0 }];
}

/** Returns the path of a field: `owner.name`, or `owner["a b"]`. */
function pathTo(owner: string, key: string): string {
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${owner}[${JSON.stringify(key)}]`;
  return owner === "" ? key : `${owner}.${key}`;
}

/** Returns the patch from one text of a file to another, as `diff -u` prints it. For very different texts it replaces all lines. */
export function patchBetween(file: string, texts: readonly [string, string], [was, is]: readonly [string, string]): string {
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY, maxEditLength: LIMITS.patchEdits };
  const patch = createTwoFilesPatch(file, file, ...texts, was, is, options);
  if (patch !== undefined) return patch;
  const [before, after] = texts.map((text) => text.match(/.*\n|.+$/g) ?? []);
  const [removed, added] = [linesBehind("-", before ?? []), linesBehind("+", after ?? [])];
  return `--- ${file}\t${was}\n+++ ${file}\t${is}\n@@ -1,${before?.length} +1,${after?.length} @@\n${removed}${added}`;
}

function linesBehind(sign: "+" | "-", lines: readonly string[]): string {
  return lines.map((line) => `${sign}${line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`}`).join("");
}
