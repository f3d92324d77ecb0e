import { createHash, type Hash } from "node:crypto";
import { basename } from "node:path";
import { Failure, messageOf } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import { LIMITS } from "../../base/limits.ts";
import { isoTime } from "../../base/time/date.ts";
import { readLines } from "../../files/regular.ts";
import { CHAIN_START, type ChainedRecord, type ChainEnd, link } from "../chain.ts";
import { recordSchema } from "../../protocol/event-schema.ts";
import type { RunOpened, RunRecord } from "../../protocol/record.ts";
import { demandAt } from "../../schema/demand.ts";
import { SchemaSet, type SchemaViolation } from "../../schema/validator.ts";
import type { RunSummary } from "../run-summary.ts";

/** The digest that the first archive of a chain names as the one before it. */
export const FIRST_PREVIOUS: string = CHAIN_START.hash;

/** A run in an archive. */
export interface SealedRun extends Omit<RunSummary, "outcome" | "held"> {
  /** How the run ended. */
  readonly outcome: string;
  /** The end of its chain of records. */
  readonly end: ChainEnd;
}

/** The content of an archive's first line. */
export interface ArchiveHeading {
  /** Its number in the chain of archives, from 1 on. */
  readonly number: number;
  /** The digest of the archive before it. */
  readonly previous: string;
  /** When it was sealed, in milliseconds since the Unix epoch. */
  readonly sealedAt: number;
}

/** A record in an archive: the columns of the journal. */
export interface SealedRecord extends Omit<ChainedRecord, "record">, Pick<RunRecord, "sequence" | "epoch" | "at" | "kind"> {
  /** The run's id. */
  readonly run: string;
}

/** The content of an archive, up to the point where it is damaged. */
export interface ReadArchive {
  /** The first line; undefined if it cannot be read. */
  readonly heading: ArchiveHeading | undefined;
  /** The runs in the order of the file. */
  readonly runs: readonly SealedRun[];
  /** How many records it holds. */
  readonly records: number;
  /** The digest; undefined if the archive has no end. */
  readonly digest: string | undefined;
  /** The problem of the archive; undefined if it is intact. */
  readonly problem: Failure | undefined;
}

const FORMAT = 1;
const NAME = /^tokenbook-archive-(\d{6,})\.ndjson$/;
const NUMBER_DIGITS = 6;

/** Returns the file name of an archive. */
export function archiveName(number: number): string {
  return `tokenbook-archive-${String(number).padStart(NUMBER_DIGITS, "0")}.ndjson`;
}

const DRAFT = /^tokenbook-archive-.*\.new$/;

/** Returns whether a file name is that of an archive that was not written to its end. */
export function isDraft(name: string): boolean {
  return DRAFT.test(name);
}

/** Returns the file name of an archive that is being written. */
export function draftName(number: number, mark: string): string {
  return `${archiveName(number)}.${mark}.new`;
}

/**
 * Returns the number in the file name of an archive; `undefined` for other files. Nobody has written an archive with a number above all safe
 * integers, so such a file gets the largest one.
 */
export function archiveNumber(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}

/** Returns a record as a line of JSON. The body comes last and unchanged, so that its hash can be computed again from the line. */
export function recordLine(run: string, { record: { sequence, epoch, at, kind }, previous, hash, body }: ChainedRecord): string {
  const place = { run, sequence, epoch, at, time: isoTime(at), kind, previous, hash };
  return `${JSON.stringify(place).slice(0, -1)}${BODY}${body}}`;
}

const BODY = ',"body":';

/** Returns the text of an archive in pieces. The digest in its last line covers all bytes before that line. */
export function* archiveText(
  { number, previous, sealedAt }: ArchiveHeading,
  runs: Iterable<SealedRun>,
  chainOf: (run: string) => Iterable<ChainedRecord>,
): Generator<string> {
  const digest = createHash("sha256");
  const counts = { runs: 0, records: 0 };
  const lineOf = (text: string): string => {
    const line = `${text}\n`;
    digest.update(line);
    return line;
  };
  const heading = { kind: "archive", format: FORMAT, number, previous, sealedAt: isoTime(sealedAt) };
  yield lineOf(JSON.stringify(heading));
  for (const run of runs) {
    for (const record of chainOf(run.id)) {
      if (record.record.sequence > run.end.sequence) break; // the run was continued after it was chosen; this is noticed before it is removed
      if (record.record.kind === "run.opened") yield lineOf(runLine(run, record.record));
      yield lineOf(recordLine(run.id, record));
      counts.records++;
    }
    counts.runs++;
  }
  yield `${JSON.stringify({ kind: "archive.sealed", ...counts, digest: digest.digest("hex") })}\n`;
}

// Taken from the record, in which secrets are masked, because the reader compares both.
function runLine({ id, outcome, end }: SealedRun, { playbook, target, at }: RunRecord & RunOpened): string {
  const about = { playbook: playbook.file, environment: target.environment, openedAt: isoTime(at), outcome };
  return JSON.stringify({ kind: "archive.run", run: id, ...about, records: end.sequence + 1, hash: end.hash });
}

/**
 * Reads an archive, and verifies the digest of the file and the chain of each run. A problem is part of the result. Each record that follows from
 * the one before it is passed to `take`.
 */
export function readArchive(path: string, take: (record: SealedRecord) => void = () => undefined): ReadArchive {
  const reading = new ArchiveReading(path, take);
  let problem: Failure | undefined;
  try {
    for (const line of readLines({ path, name: path })) reading.take(line);
    reading.assertEnded();
  } catch (error) {
    problem = error instanceof Failure ? error : unreadable(path, error);
  }
  const { heading, runs, records, digest } = reading;
  return { heading, runs, records, digest, problem };
}

type ArchiveFields = Readonly<Record<string, unknown>>;

/** The fields of each kind of line, in order. No other field may be there, least of all in the last line, which the digest does not cover. */
const FIELDS: Readonly<Record<string, string>> = {
  archive: "kind,format,number,previous,sealedAt",
  "archive.run": "kind,run,playbook,environment,openedAt,outcome,records,hash",
  "archive.sealed": "kind,runs,records,digest",
};
const FIELDS_OF_RECORD = "run,sequence,epoch,at,time,kind,previous,hash";

const COUNT = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const COUNTS = ["format", "number", "records", "runs", "sequence", "epoch", "at"].map((name) => [name, COUNT]);

/** The JSON Schema of the fields of all lines. A field has the same type in each kind of line, and most are texts. */
export const ARCHIVE_LINE: object = {
  type: "object",
  properties: Object.fromEntries(COUNTS) as object,
  additionalProperties: { type: "string" },
};

const schemas = new SchemaSet();

// Earlier versions took the time at which the run was entered, instead of that of its first record.
const OPENED_APART_MS = 60_000;

/** An archive while it is read. */
class ArchiveReading {
  heading: ArchiveHeading | undefined;
  readonly runs: SealedRun[] = [];
  records = 0;
  digest: string | undefined;
  readonly #file: string;
  readonly #hash: Hash = createHash("sha256");
  #line = 0;
  #run: SealedRun | undefined;
  /** How the run ended according to its records. */
  #outcome: string | undefined;
  #end = CHAIN_START;
  readonly #given: (record: SealedRecord) => void;

  constructor(file: string, given: (record: SealedRecord) => void) {
    this.#file = file;
    this.#given = given;
  }

  /** Takes the next line. Throws a Failure if it does not follow from the lines before it. */
  take(bytes: Buffer): void {
    this.#line++;
    const text = bytes.toString("utf8");
    if (this.digest !== undefined) throw this.#damaged("something follows its seal");
    if (!text.endsWith("\n")) throw this.#damaged("it ends within this line");
    const [place, body] = this.#split(text.slice(0, -1));
    if (this.#line === 1) this.#begin(place);
    else if (place["kind"] === "archive.sealed") return this.#seal(place);
    else if (place["kind"] === "archive.run") this.#beginRun(place);
    else this.#takeRecord(place, body);
    this.#hash.update(bytes);
  }

  /** Throws a Failure if the archive has no seal. */
  assertEnded(): void {
    if (this.digest === undefined) throw this.#damaged("it has no seal after this line");
  }

  #split(line: string): readonly [ArchiveFields, string] {
    const at = line.indexOf(BODY);
    const text = at === -1 ? line : `${line.slice(0, at)}}`;
    const fields = fieldsIn(text);
    if (fields === undefined) throw this.#damaged("this line is not a JSON object");
    const own = at === -1 ? FIELDS[String(fields["kind"])] : FIELDS_OF_RECORD;
    if (own !== undefined && (Object.keys(fields).join(",") !== own || JSON.stringify(fields) !== text))
      throw this.#damaged("the fields of this line are not those that tokenbook writes, or one occurs twice");
    this.#assertFits(schemas.plainValidator(ARCHIVE_LINE)(fields));
    return [fields, line.slice(at + BODY.length, -1)];
  }

  #begin({ kind, format, number, previous, sealedAt }: ArchiveFields): void {
    if (kind !== "archive") throw this.#damaged("it does not begin like an archive of tokenbook");
    if (format !== FORMAT) throw this.#damaged(`its format is ${String(format)}, and this version reads format ${FORMAT}`);
    this.heading = { number: Number(number), previous: String(previous), sealedAt: this.#momentOf(sealedAt) };
  }

  #beginRun({ run, playbook, environment, openedAt, outcome, records, hash }: ArchiveFields): void {
    this.#endRun();
    const end = { sequence: Number(records) - 1, hash: String(hash) };
    const about = { playbook: String(playbook), environment: String(environment), openedAt: this.#momentOf(openedAt) };
    this.#run = { id: String(run), ...about, outcome: String(outcome), end };
    this.#end = CHAIN_START;
    this.#outcome = undefined;
    this.runs.push(this.#run);
  }

  #takeRecord({ run, sequence, epoch, at, time, kind, previous, hash }: ArchiveFields, body: string): void {
    if (run !== this.#run?.id) throw this.#damaged("no run that begins above has this record");
    const place = { sequence: Number(sequence), epoch: Number(epoch), at: Number(at), kind: kind as RunRecord["kind"] };
    const own = link(this.#end.hash, place, body);
    const follows = place.sequence === this.#end.sequence + 1 && previous === this.#end.hash && hash === own;
    if (!follows || time !== timeOf(place.at)) throw this.#damaged("this record does not follow from the one before it");
    this.#hold(place, this.#factOf(place.kind, body));
    this.#given({ run: String(run), ...place, body, previous: this.#end.hash, hash: own });
    this.#end = { sequence: place.sequence, hash: own };
    this.records++;
  }

  // Whoever rewrites a whole archive can also write its hashes. All code above trusts the types of a record.
  #factOf(kind: string, body: string): JsonObject {
    let fact: Json;
    try {
      fact = parseJson(body, LIMITS.recordDepth);
    } catch (error) {
      throw this.#damaged(`the body of this record cannot be read: ${messageOf(error)}`);
    }
    if (!isObject(fact)) throw this.#damaged("the body of this record is not a JSON object");
    this.#assertFits(schemas.validator(recordSchema)({ ...fact, kind }));
    return fact;
  }

  #assertFits([problem]: readonly SchemaViolation[]): void {
    if (problem !== undefined) throw this.#damaged(demandAt("it", problem));
  }

  #momentOf(time: unknown): number {
    const moment = Date.parse(String(time));
    if (Number.isNaN(moment)) throw this.#damaged(`${String(time)} is no time`);
    return moment;
  }

  // The heading of a run must agree with its records, because lists of runs show the headings.
  #hold(
    { sequence, at, kind }: Pick<SealedRecord, "sequence" | "at" | "kind">,
    { runId, playbook, target, outcome }: JsonObject,
  ): void {
    if (sequence !== 0 && kind !== "run.closed") return;
    if (kind === "run.closed") this.#outcome = typeof outcome === "string" ? outcome : undefined;
    if (sequence !== 0 || this.#run === undefined) return;
    const { id, openedAt, ...heading } = this.#run;
    const isOf =
      kind === "run.opened" &&
      runId === id &&
      field(playbook, "file") === heading.playbook &&
      field(target, "environment") === heading.environment &&
      Math.abs(openedAt - at) <= OPENED_APART_MS;
    if (!isOf) throw this.#notAsHeaded(id);
  }

  #notAsHeaded(run: string): Failure {
    return this.#damaged(`the first line of the run ${run} contradicts its records`);
  }

  #seal({ runs, records, digest }: ArchiveFields): void {
    this.#endRun();
    if (runs !== this.runs.length || records !== this.records)
      throw this.#damaged("its seal counts more or fewer runs or records");
    const own = this.#hash.digest("hex");
    if (digest !== own) throw this.#damaged("the digest in its seal is not the digest of the lines before it");
    this.digest = own;
  }

  #endRun(): void {
    const { id, end } = this.#run ?? { end: CHAIN_START };
    if (this.#end.sequence !== end.sequence || this.#end.hash !== end.hash)
      throw this.#damaged(`the records of the run ${id ?? ""} end too early or too late`);
    if (this.#run !== undefined && this.#run.outcome !== this.#outcome) throw this.#notAsHeaded(this.#run.id);
  }

  #damaged(how: string): Failure {
    return new Failure({
      code: "archive.damaged",
      message: `${basename(this.#file)} is damaged at line ${this.#line}: ${how}`,
      why: "somebody changed the file, or it was not copied whole",
      next: `put another copy of it in its place: ${this.#file}`,
    });
  }
}

function fieldsIn(text: string): ArchiveFields | undefined {
  try {
    const fields: unknown = JSON.parse(text);
    return typeof fields === "object" && fields !== null ? (fields as ArchiveFields) : undefined;
  } catch {
    return undefined;
  }
}

function timeOf(at: number): string | undefined {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function unreadable(path: string, error: unknown): Failure {
  return new Failure({
    code: "archive.unreadable",
    message: `${path} cannot be read: ${messageOf(error)}`,
    next: "make it readable, or put another copy of it in its place",
    cause: error,
  });
}
