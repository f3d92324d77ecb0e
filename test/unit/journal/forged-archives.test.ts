// Archives that somebody has written with all their hashes: each field has its type, or the archive is damaged.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLAIN_HINT } from "../../../src/base/command-line.ts";
import { Failure } from "../../../src/base/failure.ts";
import { systemClock } from "../../../src/base/ports.ts";
import { openArchives } from "../../../src/journal/archives/archive-journal.ts";
import { archiveName, archiveText, FIRST_PREVIOUS } from "../../../src/journal/archives/archive-file.ts";
import { CHAIN_START, type ChainedRecord, link } from "../../../src/journal/chain.ts";
import { encode } from "../../../src/journal/codec.ts";
import type { RunOpened, RunRecord } from "../../../src/protocol/record.ts";
import { FORMATS } from "../../../src/report/formats/format.ts";
import { type Writer, WRITERS } from "../../../src/report/formats/writers.ts";
import { reportOf } from "../../../src/report/model.ts";
import { RUNS } from "../report/records.ts";

const LOOKING = { clock: systemClock, redact: (text: string): string => text };
const PLACES = { cwd: "/here", root: "/here", hint: PLAIN_HINT };
const ENDED = Object.values(RUNS)
  .map((records) => records().all)
  .filter((records) => records.at(-1)?.kind === "run.closed");

let folder: string;
let writers: readonly Writer[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tokenbook-forged-"));
  writers = await Promise.all(FORMATS.filter((format) => format !== "har").map((format) => WRITERS[format]()));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Changes the body of a record. */
type Forge = (body: string, at: number) => string;

function chainOf(records: readonly RunRecord[], forge: Forge): readonly ChainedRecord[] {
  let previous = CHAIN_START.hash;
  return records.map((record, at) => {
    const { sequence: _sequence, epoch: _epoch, at: _at, ...fact } = record;
    const body = forge(encode(fact, LOOKING.redact).body, at);
    const chained = { record, previous, body, hash: link(previous, record, body) };
    previous = chained.hash;
    return chained;
  });
}

/** Writes an archive of one run, with all hashes of what it contains. */
function forged(records: readonly RunRecord[], forge: Forge): string {
  const opened = records[0] as RunRecord & RunOpened;
  const { outcome = "passed" } = records.at(-1) as { readonly outcome?: string };
  const chain = chainOf(records, forge);
  const end = { sequence: records.length - 1, hash: chain.at(-1)?.hash ?? "" };
  const heading = { playbook: opened.playbook.file, environment: opened.target.environment, openedAt: opened.at };
  const run = { id: opened.runId, ...heading, outcome, end };
  const path = join(folder, archiveName(1));
  writeFileSync(
    path,
    [...archiveText({ number: 1, previous: FIRST_PREVIOUS, sealedAt: opened.at }, [run], () => chain)].join(""),
  );
  return path;
}

/** Writes all reports of the run of an archive, as `report --archive` does. */
function reportsOf(path: string, id: string): readonly string[] {
  const store = openArchives({ path, known: [], named: [id] }, LOOKING);
  try {
    store.runs.latest(9);
    const records = store.read(id);
    const run = { report: reportOf(records), records: () => records };
    return writers.map((write) => [...write([run], PLACES, [])].join(""));
  } finally {
    store.close();
  }
}

/** The places in a JSON value: all that is inside objects and lists. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [...(path.length > 0 ? [path] : []), ...inner.flatMap(([key, each]) => placesIn(each, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((each: unknown, at) => (String(at) === key ? replaced(each, rest, by) : each));
  const entries = Object.entries(value as object).map(([name, each]) => [name, name === key ? replaced(each, rest, by) : each]);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

const others = fc.constantFrom<unknown>(undefined, null, true, -1, 1.5, 9e15, "", "odd", "[", [], [null], {}, { odd: 1 }, [[]]);

test("an archive with unchanged records gives every report", () => {
  for (const records of ENDED) {
    const path = forged(records, (body) => body);
    expect(reportsOf(path, (records[0] as RunRecord & RunOpened).runId)).toHaveLength(FORMATS.length - 1);
  }
});

test.each(["", "["])("an archive with a step of no name ends: %j", (step) => {
  for (const records of ENDED) {
    const path = forged(records, (body) => (body.startsWith('{"step":') ? JSON.stringify({ ...JSON.parse(body), step }) : body));
    const look = (): unknown => reportsOf(path, (records[0] as RunRecord & RunOpened).runId);
    if (step === "" && records.length > 3) expect(look).toThrow("it.step must have at least 1 character");
    else expect(look).not.toThrow();
  }
});

test("an archive with a field of another type, or without it, is damaged or gives every report", () => {
  const damages = new Set<string>();
  const forgeries = fc.tuple(fc.constantFrom(...ENDED), fc.nat(), fc.nat(), others);
  fc.assert(
    fc.property(forgeries, ([records, record, place, other]) => {
      const path = forged(records, (body, at) => {
        if (at !== record % records.length) return body;
        const fields: unknown = JSON.parse(body);
        const places = placesIn(fields);
        return JSON.stringify(replaced(fields, places[place % places.length] ?? [], other));
      });
      try {
        expect(reportsOf(path, (records[0] as RunRecord & RunOpened).runId)).toHaveLength(FORMATS.length - 1);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        damages.add(error.code);
      }
    }),
    { numRuns: 200 },
  );
  expect([...damages]).toEqual(["archive.damaged"]);
});
