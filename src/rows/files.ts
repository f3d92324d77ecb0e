import { resolve } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Failure, messageOf } from "../base/failure.ts";
import { parseJson } from "../base/json/json.ts";
import { type NamedFile, readHead, readUnchanged } from "../files/regular.ts";
import { CsvFault, streamCsv } from "../source/csv.ts";
import { linesOf, textsOf } from "../source/lines.ts";
import type { OutsideRow, OutsideRows, ReaderOf } from "./outside.ts";
import { assertColumns, batchesOf } from "./table.ts";

/** Reads a table with a header, compressed or not. */
export const csvRows: ReaderOf<"csv"> = ({ path }, { columns, cwd }) =>
  rowsOfFile({ path: resolve(cwd, path), name: path }, async function* (texts) {
    const rows = streamCsv(texts, (header) => assertColumns(path, header, columns));
    for await (const { row, line } of rows) yield { at: `${path}:${line}`, record: row };
  });

/** Reads a file with a JSON value on each line, compressed or not. */
export const ndjsonRows: ReaderOf<"ndjson"> = ({ path }, { cwd }) =>
  rowsOfFile({ path: resolve(cwd, path), name: path }, async function* (texts) {
    for await (const { line, text } of linesOf(texts)) yield rowOfLine(`${path}:${line}`, text);
  });

function rowOfLine(at: string, text: string): OutsideRow {
  try {
    return { at, record: parseJson(text) };
  } catch (error) {
    return { at, fault: `is no JSON: ${messageOf(error)}` };
  }
}

async function* rowsOfFile(file: NamedFile, read: (texts: AsyncIterable<string>) => AsyncIterable<OutsideRow>): OutsideRows {
  try {
    yield* batchesOf(read(textsOf(unpacked(file))));
  } catch (error) {
    throw error instanceof Failure ? error : failureOfFile(file.name, error);
  }
}

const GZIP = Buffer.from([0x1f, 0x8b]);

async function* unpacked(file: NamedFile): AsyncGenerator<Uint8Array> {
  if (!readHead(file, GZIP.length).equals(GZIP)) return yield* readUnchanged(file);
  let bytes = 0;
  const counted = function* (): Generator<Uint8Array> {
    for (const piece of readUnchanged(file)) {
      bytes += piece.length;
      yield piece;
    }
  };
  const gunzip = createGunzip();
  // A failure of either stream ends the bytes.
  pipeline(Readable.from(counted()), gunzip, () => undefined);
  yield* gunzip as AsyncIterable<Uint8Array>;
  // zlib silently ignores everything after a damaged member.
  if (gunzip.bytesWritten !== bytes) throw unreadable(file.name, DAMAGED);
}

/** Returns the Failure for a file that could not be read. */
export function failureOfFile(path: string, error: unknown): Failure {
  if (error instanceof CsvFault)
    return new Failure({ code: "source.unreadable", message: `${path}:${error.line}: ${error.message}`, next: error.fix });
  const { code = "" } = error as { readonly code?: string };
  const text = TEXTS[code] ?? { message: `cannot be read: ${messageOf(error)}`, next: "name a file that you may read" };
  return unreadable(path, text);
}

interface Why {
  readonly message: string;
  readonly next: string;
}

function unreadable(path: string, { message, next }: Why): Failure {
  return new Failure({ code: "source.unreadable", message: `${path} ${message}`, next });
}

const DAMAGED: Why = { message: "is damaged: its gzip data cannot be unpacked", next: "write or copy it again" };

const TEXTS: Readonly<Record<string, Why>> = {
  ENOENT: { message: "does not exist", next: "a path here begins at the folder of the playbook" },
  ERR_ENCODING_INVALID_ENCODED_DATA: { message: "is no text in UTF-8", next: "write it in UTF-8" },
  Z_BUF_ERROR: { message: "is cut off: its gzip data ends too early", next: "write or copy it again" },
  Z_DATA_ERROR: DAMAGED,
};
