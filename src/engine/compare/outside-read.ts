import { Failure } from "../../base/failure.ts";
import { isObject, type Json } from "../../base/json/json.ts";
import { count } from "../../base/text/text.ts";
import { rested } from "../../base/time/turns.ts";
import { coerce, problemSentence, shapeProblems, spellPath } from "../../playbook/inputs/value-shape.ts";
import type { OutsideSource } from "../../playbook/model.ts";
import type { ValueShape } from "../../playbook/declarations.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { OutsideMeans, OutsidePlace, OutsideRow } from "../../rows/outside.ts";
import { readOutside } from "../../rows/read.ts";
import type { EnginePorts } from "../engine-ports.ts";
import { Interrupted } from "../run/interrupted.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import type { SourcePage } from "./row-source.ts";
import type { SideRow } from "../../reconcile/row.ts";

/** A run that can read rows from outside the service. */
export type OutsideReading = Pick<ReadingContext, "signal" | "pause"> & {
  readonly ports: Pick<EnginePorts, "clock" | "cwd" | "secrets" | "exchange">;
};

/** Returns how reports name a place. The address is left out, because it may hold a password. */
export function nameOfPlace(place: OutsidePlace): string {
  return "path" in place ? place.path : `${place.kind} ${place.address}`;
}

/** A row that fits its declared shape, and its place. */
interface PlacedRecord {
  readonly at: string;
  readonly record: Json;
}

/** Reads the rows of a place, in pages. A row that does not fit fails the read, but only at its end, so that all such rows are counted. */
export async function* outsidePages(
  context: OutsideReading,
  source: OutsideSource,
  taken: (rows: readonly PlacedRecord[]) => Iterable<readonly SideRow[]>,
): AsyncGenerator<SourcePage, void> {
  const { clock, cwd, secrets, exchange } = context.ports;
  const { place, shape, file } = source;
  const means: OutsideMeans = {
    columns: [...(shape.properties?.keys() ?? [])],
    cwd,
    secret: (name) => secrets.named(file, name),
    exchange,
    pause: (ms) => context.pause(ms, undefined),
    signal: context.signal,
  };
  const fit = new Fitting(source);
  const input = "query" in place ? { query: place.query } : null;
  const isAsked = "address" in place;
  let page = 0;
  try {
    for await (const batch of readOutside(place, means)) {
      if (context.signal.aborted) throw new Interrupted(nameOfPlace(place));
      if (isAsked || page === 0) page++;
      const origin = { operation: nameOfPlace(place), input, actor: null, as: null, page, at: clock.now() };
      for (const rows of taken(fit.fitting(batch))) {
        yield { kind: "rows", rows, requests: 0, origin };
        await rested();
      }
      if (isAsked) yield { kind: "rows", rows: [], requests: 1, origin };
    }
    if (fit.problem !== undefined) yield { kind: "failed", problem: fit.problem, requests: 0 };
  } catch (error) {
    if (context.signal.aborted) throw new Interrupted(nameOfPlace(place));
    if (!(error instanceof Failure)) throw error;
    yield { kind: "failed", problem: problemOf(error), requests: 0 };
  }
}

// A gap has a code and a single message, so the remedy is added to the message.
function problemOf({ code, message, next }: Failure): StepProblem {
  return { code, message: next === undefined ? message : `${message}; ${next}` };
}

/** Converts the rows of one place to their declared types, and remembers the first row that does not fit. */
class Fitting {
  readonly #shape: ValueShape;
  readonly #kind: OutsidePlace["kind"];
  readonly #name: string;
  #first: string | undefined;
  #others = 0;

  constructor({ shape, place }: OutsideSource) {
    this.#shape = shape;
    this.#kind = place.kind;
    this.#name = nameOfPlace(place);
  }

  fitting(batch: readonly OutsideRow[]): readonly PlacedRecord[] {
    const fitting: PlacedRecord[] = [];
    for (const row of batch) {
      const record = "fault" in row ? undefined : this.#typed(row.record);
      const fault = "fault" in row ? `${row.at} ${row.fault}` : (this.#emptyCellIn(row) ?? this.#faultOf(row.at, record ?? null));
      if (fault === undefined && record !== undefined) fitting.push({ at: row.at.replace(`${this.#name}:`, "line "), record });
      else if (this.#first === undefined) this.#first = fault;
      else this.#others++;
    }
    return fitting;
  }

  get problem(): StepProblem | undefined {
    if (this.#first === undefined) return undefined;
    const others =
      this.#others === 0 ? "" : `, and ${count(this.#others, "row")} more ${this.#others === 1 ? "does" : "do"} not fit`;
    return { code: "reconcile.row", message: `${this.#first}${others}` };
  }

  // A table has all columns, so a missing value is an empty cell.
  #emptyCellIn({ at, record }: PlacedRecord): string | undefined {
    if (this.#kind !== "csv" || !isObject(record)) return undefined;
    const name = [...(this.#shape.required ?? [])].find((each) => record[each] === "");
    return name === undefined ? undefined : `${at} (${spellPath("row", [name])}) is empty, and must have a value`;
  }

  #faultOf(at: string, record: Json): string | undefined {
    const [problem] = shapeProblems(this.#shape, record);
    if (problem === undefined) return undefined;
    const { fix } = problem;
    return `${problemSentence(problem, (path) => `${at} (${spellPath("row", path)})`)}${fix === undefined ? "" : ` (${fix})`}`;
  }

  #typed(record: Json): Json {
    const { properties = new Map<string, ValueShape>() } = this.#shape;
    if (!isObject(record)) return record;
    const fields: [string, Json][] = [];
    for (const [name, shape] of properties) {
      const value = Object.hasOwn(record, name) ? (record[name] ?? null) : null;
      const isNothing = value === null || (value === "" && this.#kind === "csv");
      if (!isNothing) fields.push([name, coerce(shape, value, IS_TEXT[this.#kind])]);
    }
    return Object.fromEntries(fields);
  }
}

/** Whether every value is a text, so that only the declared type says what it means. */
const IS_TEXT: Readonly<Record<OutsidePlace["kind"], boolean>> = {
  csv: true,
  ndjson: false,
  sqlite: true,
  postgres: true,
  http: false,
};
