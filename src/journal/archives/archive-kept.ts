import { basename } from "node:path";
import { Failure } from "../../base/failure.ts";
import { isMasked } from "../../base/secret.ts";
import { provenBy } from "../../protocol/state.ts";
import { decode } from "../codec.ts";
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
    const words = [inJournal, isMasked(inArchive?.key) && inArchive ? { ...inArchive, key: inJournal?.key ?? null } : inArchive];
    const [says, is] = words.map(wordsOf);
    if (says !== is) return contradiction(`the journal says that the run ${id} ${says}, and ${file} says that it ${is}`);
    const missing = [...(inArchive?.proofs ?? [])].find((proof) => !isMasked(proof) && !archives.hasProof(proof, id));
    if (missing !== undefined)
      return contradiction(`the journal no longer lists ${missing}, which proved a write of the run ${id} in ${file}`);
  }
  return null;
}

function runsIn(path: string): ReadonlyMap<string, SealedState> {
  const found = new Map<string, SealedState>();
  let open: SealedState | undefined;
  const { runs } = readArchive(path, ({ run, ...columns }) => {
    const record = decode(columns);
    if (record.kind === "run.opened")
      found.set(run, (open = { outcome: "", key: record.idempotencyKey ?? null, proofs: new Set() }));
    for (const proof of provenBy(record)) open?.proofs.add(proof);
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

function contradiction(message: string): Failure {
  return new Failure({
    code: "journal.broken",
    message,
    why: "this decides which runs may begin, and what proves a write, and tokenbook never writes it so",
    next: "restore the state from a backup, and find out who changed it",
  });
}
