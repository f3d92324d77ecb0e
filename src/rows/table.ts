import { formatDuration } from "../base/time/duration.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { didYouMeanOr, shortened } from "../base/text/text.ts";

/** Throws a Failure if a table lacks a column, or has two columns with the same name. */
export function assertColumns(table: string, found: readonly string[], wanted: readonly string[]): void {
  const twice = found.find((name, at) => found.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Failure({
      code: "source.columns",
      message: `${table} has two columns "${twice}"`,
      next: "give each a name of its own",
    });
  const missing = wanted.find((name) => !found.includes(name));
  if (missing === undefined) return;
  const next = didYouMeanOr(missing, found, `its columns: ${found.join(", ")}`);
  throw new Failure({ code: "source.columns", message: `${table} lacks the column "${missing}"`, next });
}

/** Returns the failure for a query that takes too long. */
export function tooSlow(timeoutMs: number): Failure {
  return new Failure({
    code: "source.slow",
    message: `the query took longer than ${formatDuration(timeoutMs)}`,
    next: "make it cheaper, or set a longer `timeout`",
  });
}

/** Gathers items into batches. */
export async function* batchesOf<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<readonly T[], void> {
  let batch: T[] = [];
  for await (const item of items) {
    if (batch.push(item) < LIMITS.rowsTogether) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Names a row of a query by its number and its first column, which is usually the primary key. */
export function rowOfQuery(number: number, row: Readonly<Record<string, unknown>>): string {
  const [[column, value] = []] = Object.entries(row);
  return column === undefined ? `row ${number}` : `row ${number} (${column}: ${shortened(String(value), LIMITS.nameChars)})`;
}

/** Says which used column of a row has an unclear text. Bytes that are not UTF-8 become U+FFFD, so texts that differ only in these would be equal. */
export function unclearText(row: Readonly<Record<string, unknown>>, columns: readonly string[]): string | undefined {
  const unclear = columns.find((column) => typeof row[column] === "string" && row[column].includes("\uFFFD"));
  return unclear === undefined
    ? undefined
    : `has a text that is no UTF-8 in its column "${unclear}", or the character U+FFFD: correct it there`;
}
