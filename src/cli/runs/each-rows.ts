import { createHash } from "node:crypto";
import { extname, relative, resolve } from "node:path";
import { Failure, messageOf } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject, jsonEquals, parseJson, writeJson } from "../../base/json/json.ts";
import { didYouMeanOr } from "../../base/text/text.ts";
import { readUnchanged } from "../../files/regular.ts";
import { formerSpellings, spelledInputs } from "../../playbook/inputs/given-inputs.ts";
import type { Playbook } from "../../playbook/model.ts";
import { CsvFault, streamCsv } from "../../source/csv.ts";
import { linesOf, textsOf } from "../../source/lines.ts";
import type { JournalStore } from "../../journal/store.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { isMissing, missingFile } from "../project/missing-file.ts";
import { seenFrom } from "../project/project-files.ts";
import type { Shell } from "../shell.ts";

/** A row of the file for `--each`. */
export interface GivenRow {
  /** The line number, from 1. */
  readonly line: number;
  /** The inputs in the row, by name. An empty cell of a table gives no input. If the row cannot be read, the reason. */
  readonly given: JsonObject | Failure;
}

type Accept = (header: readonly string[]) => void;
type RowReader = (name: string, texts: AsyncIterable<string>, accept?: Accept) => AsyncGenerator<GivenRow>;

const READERS: Readonly<Record<string, RowReader>> = { ".csv": csvRows, ".ndjson": jsonRows, ".jsonl": jsonRows };

/** Yields the rows of a file one at a time. `accept` receives the header of a table. Throws a Failure if the file cannot be read or is not a table. */
export async function* rowsIn({ cwd }: Pick<Shell, "cwd">, name: string, accept?: Accept): AsyncGenerator<GivenRow> {
  const reader = READERS[extname(name).toLowerCase()];
  if (reader === undefined) {
    throw new Failure({
      code: "each.format",
      message: `--each reads .csv, .ndjson and .jsonl files, but not ${name}`,
      next: "name a CSV file with a header, or a file with a JSON object on each line",
    });
  }
  try {
    yield* reader(name, textsOf(readUnchanged({ path: resolve(cwd, name), name })), accept);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof CsvFault) throw unreadable(`${name}:${error.line}: ${error.message}`, error.fix);
    if (isMissing(error)) throw missingFile(resolve(cwd, name), name);
    throw unreadable(`${name} cannot be read: ${messageOf(error)}`, "name a file in UTF-8 that you may read");
  }
}

function unreadable(message: string, next: string): Failure {
  return new Failure({ code: "each.unreadable", message, next });
}

async function* csvRows(_name: string, texts: AsyncIterable<string>, accept?: Accept): AsyncGenerator<GivenRow> {
  for await (const { row, line } of streamCsv(texts, accept))
    yield { line, given: Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== "")) };
}

async function* jsonRows(name: string, texts: AsyncIterable<string>): AsyncGenerator<GivenRow> {
  for await (const { line, text } of linesOf(texts)) yield { line, given: objectIn(text, `${name}:${line}`) };
}

function objectIn(text: string, where: string): JsonObject | Failure {
  const next = 'write each row as a JSON object on one line, such as {"holder": "alice"}';
  try {
    const value = parseJson(text);
    return isObject(value) ? value : new Failure({ code: "each.row", message: `${where}: it is not a JSON object`, next });
  } catch (error) {
    return new Failure({ code: "each.row", message: `${where}: it is not JSON: ${messageOf(error)}`, next });
  }
}

/**
 * Counts the rows before any of them is run. Throws a Failure if the file is not a table, has no rows, has a column that is not an input, or has an input that
 * `--input` sets too.
 */
export async function countRows(
  shell: Pick<Shell, "cwd">,
  { each: name, input }: { readonly each: string; readonly input: JsonObject },
  { inputs }: Playbook,
): Promise<number> {
  const known = inputs.map((each) => each.name);
  let rows = 0;
  for await (const row of rowsIn(shell, name, (header) => refuseUnknown(name, header, known))) {
    refuseTwice(name, row, input);
    rows++;
  }
  if (rows > 0) return rows;
  throw new Failure({ code: "each.no-rows", message: `${name} has no rows`, next: "add a row for each run below the header" });
}

// An unknown column is one problem, not one for each row.
function refuseUnknown(file: string, columns: readonly string[], known: readonly string[]): void {
  const unknown = columns.find((column) => !known.includes(column));
  if (unknown === undefined) return;
  throw new Failure({
    code: "each.unknown-column",
    message: `${file}:1: the column "${unknown}" is not an input of the playbook`,
    why: "the columns are the inputs of the runs; nothing was sent",
    next: didYouMeanOr(
      unknown,
      known,
      `remove the column, or declare it under inputs: (these are declared: ${known.join(", ") || "none"})`,
    ),
  });
}

function refuseTwice(file: string, { line, given }: GivenRow, input: JsonObject): void {
  const twice = given instanceof Failure ? undefined : Object.keys(given).find((name) => Object.hasOwn(input, name));
  if (twice === undefined) return;
  throw new Failure({
    code: "each.given-twice",
    message: `${file}:${line}: the row gives "${twice}", and so does --input`,
    why: "only one of the two could count; nothing was sent",
    next: `leave out --input ${twice}, or remove it from the rows`,
  });
}

/** Distinguishes the rows of a file from equal rows elsewhere: the file or the key of the batch, the playbook, and the environment. */
export type Batch = readonly [file: string, playbook: string, environment: string];

/** The parts of a batch as the command line names them. */
interface NamedBatch {
  readonly each: string;
  readonly files: readonly string[];
  readonly key?: string;
  readonly playbook: string;
  readonly environment: string;
}

/** Returns the batch. If an earlier version of tokenbook has named it by the path of a link, it keeps that name. */
export function batchOf(
  { cwd, project: { folder } }: Pick<ProjectShell, "cwd" | "project">,
  { archives }: Pick<JournalStore, "archives">,
  { each, files: [typed = ""], key, playbook, environment }: NamedBatch,
): Batch {
  const named = (file: string, see: typeof seenFrom): string => see(folder, resolve(cwd, file));
  const former: Batch = [key ?? named(each, relative), named(typed, relative), environment];
  const batch: Batch = [key ?? named(each, seenFrom), named(playbook, seenFrom), environment];
  const isFormer = !jsonEquals([...former], [...batch]) && archives.runsWithKeysFrom(beginningOf(former)).length > 0;
  return isFormer ? former : batch;
}

/**
 * Returns a function that derives the key of each row, in the order of the file, from its values. So the same row has the same key wherever it is in the file
 * and however its values are written. If an earlier version of tokenbook gave the row another key that `isKnown`, the row keeps it and gets no second run.
 */
export function namingRows(playbook: Playbook, batch: Batch, isKnown: (key: string) => boolean): (given: JsonObject) => string {
  const former = (): RowKeys => new RowKeys("each/", batch);
  const spelledKeys: RowKeys[] = [];
  const readKeys = former();
  const keys = new RowKeys(beginningOf(batch), batch);
  return (given) => {
    const read = spelledInputs(playbook, given);
    const spelled = formerSpellings(playbook, given).flatMap((spelling, at) =>
      jsonEquals(read, spelling) ? [] : [(spelledKeys[at] ??= former()).next(spelling)],
    );
    const known = spelled.find(isKnown);
    if (known !== undefined) return known;
    const earlier = readKeys.next(read);
    return isKnown(earlier) ? earlier : keys.next(read);
  };
}

/** Returns the prefix of all keys of a batch, which no other key has. Keys of earlier versions have no such prefix. */
export function beginningOf(batch: Batch): string {
  return `each/${digestOf(batch).slice(0, BATCH_CHARS)}/`;
}

/** Derives the keys of rows from their values. The second of two equal rows has a key of its own. */
export class RowKeys {
  readonly #beginning: string;
  readonly #batch: Batch;
  readonly #seen = new Set<string>();
  readonly #copies = new Map<string, number>();

  constructor(beginning: string, batch: Batch) {
    this.#beginning = beginning;
    this.#batch = batch;
  }

  /** Returns the key of the next row of the file. */
  next(row: JsonObject): string {
    const fields = Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const first = this.#keyOf(fields, 1);
    if (!this.#seen.has(first)) {
      this.#seen.add(first);
      return first;
    }
    const copy = (this.#copies.get(first) ?? 1) + 1;
    this.#copies.set(first, copy);
    return this.#keyOf(fields, copy);
  }

  #keyOf(fields: readonly (readonly [string, Json])[], copy: number): string {
    return `${this.#beginning}${digestOf([...this.#batch, fields.map(([name, value]) => [name, value]), copy]).slice(0, KEY_CHARS)}`;
  }
}

const BATCH_CHARS = 16;
const KEY_CHARS = 32;

function digestOf(values: readonly unknown[]): string {
  return createHash("sha256").update(writeJson(values)).digest("base64url");
}
