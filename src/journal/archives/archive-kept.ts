import { basename } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { isMasked } from "../../base/secret.ts";
import { provenBy } from "../../protocol/state.ts";
import { decode } from "../codec.ts";
import { contradicted } from "../failures.ts";
import { readArchive } from "./archive-file.ts";
import type { Archives, KeptOfRun } from "./archives.ts";

interface SealedState extends KeptOfRun {
  readonly proofs: Set<string>;
}

/**
 * Compares what a journal keeps of the runs in an intact archive of its own with their records: their outcomes, keys and proofs. Returns the first
 * contradiction. What the journal keeps decides whether a key begins another run, and what counts as evidence.
 */
export function keptProblem(archives: Archives, number: number, path: string): Failure | null {
  const sealed = runsIn(path);
  const kept = archives.keptOf(number);
  const file = basename(path);
  for (const id of new Set([...sealed.keys(), ...kept.keys()])) {
    const [inJournal, inArchive] = [kept.get(id), sealed.get(id)];
    // A masked key cannot be compared.
    const key = isMasked(inArchive?.key) ? inJournal?.key : inArchive?.key;
    const [says, is] = [wordsOf(inJournal), wordsOf(inArchive && { ...inArchive, key: key ?? null })];
    if (says !== is) return contradicted(`the journal says that the run ${id} ${says}, and ${file} says that it ${is}`);
    const missing = [...(inArchive?.proofs ?? [])].find((proof) => !isMasked(proof) && !archives.hasProof(proof, id));
    if (missing !== undefined)
      return contradicted(`the journal no longer lists ${missing}, which proved a write of the run ${id} in ${file}`);
  }
  return null;
}

function runsIn(path: string): ReadonlyMap<string, SealedState> {
  const found = new Map<string, Omit<SealedState, "outcome">>();
  const { runs } = readArchive(path, ({ run, ...columns }) => {
    const record = decode(columns);
    if (record.kind === "run.opened") found.set(run, { key: record.idempotencyKey ?? null, proofs: new Set() });
    for (const proof of provenBy(record)) found.get(run)?.proofs.add(proof);
  });
  return new Map(
    runs.flatMap(({ id, outcome }) => {
      const state = found.get(id);
      return state === undefined ? [] : [[id, { ...state, outcome }] as const];
    }),
  );
}

function wordsOf(run: KeptOfRun | undefined): string {
  if (run === undefined) return "is not in this archive";
  return `ended ${run.outcome}, and has ${run.key === null ? "no key" : `the key ${JSON.stringify(run.key)}`}`;
}
