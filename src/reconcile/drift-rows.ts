// Builds drifts and their history from the rows of the tables.
import { isObject, type Json, type JsonObject, parseJson, textOrJson, writeJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { ComparisonName, Drift, DriftKind, Quantity } from "../protocol/comparison.ts";
import type { HistoryEntry, KnownComparison, KnownDrift } from "../protocol/drift.ts";
import type { Cell, SqlRow } from "../sql/database.ts";

/** Returns a drift without the identity of its comparison. */
export function driftOf({ id, kind, key, left, right, difference, state, since, acknowledged }: KnownDrift): Drift {
  return { id, kind, key, left, right, difference, state, since, acknowledged };
}

/** Returns the drift in a row, with the last statement about it. */
export function knownDrift(row: SqlRow, word: SqlRow | undefined, now: number): KnownDrift {
  const words = objectIn(row["words"]);
  const parts = parseJson(String(row["parts"] ?? partsIn(row["words"]))) as readonly string[];
  const key = parseJson(String(row["key"])) as readonly string[];
  // A statement from before the drift was cleared is not about its return.
  const holds = word !== undefined && Number(word["until"]) > now && Number(word["at"]) >= Number(row["since_at"]);
  const acknowledged = holds ? word : null;
  const isNew = row["since_run"] === row["last_run"] && row["cleared_at"] === null;
  return {
    id: String(row["id"]),
    kind: String(row["kind"]) as DriftKind,
    key: Object.fromEntries(parts.map((part, index) => [part, key[index] ?? ""])),
    ...valuesIn(row),
    state:
      acknowledged === null ? (isNew ? "new" : "persisting") : isAsAcknowledged(acknowledged, row) ? "acknowledged" : "changed",
    since: Number(row["since_at"]),
    acknowledged:
      acknowledged === null
        ? null
        : { until: Number(acknowledged["until"]), who: String(acknowledged["who"]), because: String(acknowledged["because"]) },
    of: nameIn(row),
    title: textIn(words, "title"),
    sides: { left: textIn(words, "left"), right: textIn(words, "right") },
    lastSeen: Number(row["last_at"]),
    lastRun: String(row["last_run"]),
    clearedAt: row["cleared_at"] === null ? null : Number(row["cleared_at"]),
  };
}

function nameIn({ environment, playbook, name, scope }: SqlRow): ComparisonName {
  return { environment: String(environment), playbook: String(playbook), comparison: String(name), scope: String(scope) };
}

/** Returns a comparison that some run has begun. */
export function comparisonIn(row: SqlRow): KnownComparison {
  return { of: nameIn(row), title: textIn(objectIn(row["words"]), "title"), isUnfinished: isUnfinishedIn(row) };
}

/** Returns the history entry for what a run saw, or no longer saw. */
export function historyOfSighting(row: SqlRow): HistoryEntry {
  const what = row["cleared"] === 1 ? "cleared" : "seen";
  return { at: Number(row["at"]), what, by: String(row["run"]), ...valuesIn(row), because: null, until: null };
}

/** Returns the history entry for what a person acknowledged or closed. */
export function historyOfWord(row: SqlRow): HistoryEntry {
  const { at, who, because, until } = row;
  const isClosing = Number(row["closes"]) === 1;
  return {
    at: Number(at),
    what: isClosing ? "closed" : "acknowledged",
    by: String(who),
    ...valuesIn(row),
    because: String(because),
    until: isClosing ? null : Number(until),
  };
}

/** Returns whether the last run of the comparison in a row did not compare all of it. */
export function isUnfinishedIn(row: SqlRow): boolean {
  return objectIn(row["words"])["isWhole"] === false;
}

/** Returns whether a person has closed the comparison in a row, and no run has begun it since. */
export function isClosedIn(row: SqlRow): boolean {
  return isObject(objectIn(row["words"])["closed"] ?? null);
}

/** Returns the words of the comparison in a row after a person has closed it. */
export function closedWords(row: SqlRow, closed: JsonObject): string {
  return writeJson({ ...objectIn(row["words"]), closed });
}

/** Returns the words of the comparison in a row after a run of its playbook has ended without it. */
export function unreachedWords(row: SqlRow): string {
  return writeJson({ ...objectIn(row["words"]), isWhole: false });
}

/** Returns the file of the playbook of the comparison in a row; `undefined` in a row of an earlier version. */
export function fileIn(row: SqlRow): string | undefined {
  return textIn(objectIn(row["words"]), "file") || undefined;
}

/** Returns the names of the parts of the keys in the words of a comparison, as one text. */
export function partsIn(words: Cell | undefined): string {
  return writeJson(objectIn(words)["parts"] ?? []);
}

function valuesIn({ left, right, difference }: SqlRow): Pick<Drift, "left" | "right" | "difference"> {
  return { left: quantityIn(left), right: quantityIn(right), difference: quantityIn(difference) };
}

function quantityIn(cell: Cell | undefined): Quantity | null {
  return typeof cell === "string" ? cell : null;
}

function objectIn(cell: Cell | undefined): JsonObject {
  const value = parseJson(String(cell));
  return isObject(value) ? value : {};
}

function textIn(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}

// The shown values that a statement covers. With one more row than before, a sum of duplicates may still be the same, so the number of rows
// counts too.
const SHOWN = ["left", "right"] as const;

/**
 * Returns whether a person's statement covers the values of a drift, judging by their digests; if both are from an earlier version, by what
 * is shown.
 */
export function isAsAcknowledged(word: SqlRow, drift: SqlRow): boolean {
  const [acknowledged = null, present = null] = [word["values_digest"], drift["values_digest"]];
  if (acknowledged !== null || present !== null) return acknowledged === present;
  return SHOWN.every((column) => word[column] === drift[column]) && word["rows"] === rowsIn(drift["evidence"]);
}

/**
 * Returns how many rows each side had according to the evidence of a drift; null if the evidence does not say. This is not done in SQL, because
 * a server cannot parse JSON with a text that it cannot store.
 */
export function rowsIn(evidence: Cell | undefined): string | null {
  const sides = parseJson(String(evidence ?? null), LIMITS.recordDepth);
  const [left, right] = ["left", "right"].map((name) => (isObject(sides) ? rowsOfSide(sides[name]) : undefined));
  return left === undefined || right === undefined ? null : `${left} and ${right}`;
}

function rowsOfSide(side: Json | undefined): string | undefined {
  const rows = isObject(side) ? side["rows"] : undefined;
  return rows === undefined ? undefined : textOrJson(rows);
}
