import { command } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { didYouMean } from "../../base/text/text.ts";
import { resolvingCommands } from "../../journal/failures.ts";
import { actingFor } from "../../journal/leases.ts";
import type { JournalStore } from "../../journal/store.ts";
import { closeEarly } from "../../protocol/decide.ts";
import type { AttemptSettled, PersonsWord } from "../../protocol/record.ts";
import { type OpenWrite, openWrites, type SaidWrite, saidWrite, writtenUntil } from "../../protocol/open-writes.ts";
import { type RunState, stateOf, stepIn } from "../../protocol/state.ts";
import { releaseSilent } from "../run/release-run.ts";

/** A person's statement about the outcome of a write, with the reason. */
export interface Resolution extends PersonsWord {
  /** The step's address. */
  readonly step: string;
  /** Whether it took effect. `absent`: it had no effect and never will. */
  readonly verdict: Exclude<AttemptSettled["verdict"], "superseded" | "unchanged">;
}

/** A write whose outcome a person has stated, and the earlier statement that the new one replaces. */
export interface ResolvedWrite extends OpenWrite {
  readonly replaced: SaidWrite | undefined;
}

/**
 * Records a person's statement about the outcome of a write, with their name and reason. Nothing is sent; `resume` continues from there. A
 * new statement replaces it as long as no run has acted on it. Throws a Failure if the run is held, or has no such write.
 */
export async function resolveWrite(store: JournalStore, runId: string, resolution: Resolution): Promise<ResolvedWrite> {
  return actingFor(runId, () => resolve(store, runId, resolution));
}

async function resolve(store: JournalStore, runId: string, resolution: Resolution): Promise<ResolvedWrite> {
  store.assertResumable(runId);
  await releaseSilent(store, runId);
  // The claim comes before the read, so that no one can change the run in between.
  const claim = store.take(runId);
  const read = store.history(runId);
  const left = stateOf(read.records);
  const found = openWrites(left);
  const open = found.find(({ step }) => step === resolution.step);
  const replaced = open === undefined ? corrected(left, resolution) : undefined;
  const write = open ?? replaced;
  if (write === undefined) {
    store.leases.release(claim, found.length > 0);
    throw nothingToResolve(runId, resolution, found);
  }
  const { journal, records } = await store.claim(runId, claim, { known: read });
  const { verdict, because, who } = resolution;
  const word = { step: write.step, attempt: write.attempt, verdict, evidence: { who, because } };
  const until = writtenUntil(stateOf([...records, journal.note({ kind: "attempt.settled", ...word })]));
  stepIn(left, write.step).stopped = undefined;
  const closed = closeEarly(left, until === undefined);
  journal.note(closed);
  await store.release(journal, closed.outcome, until);
  return { ...write, replaced };
}

// A wrong statement may be corrected until a run has acted on it.
function corrected(left: RunState, { step, verdict }: Resolution): SaidWrite | undefined {
  const said = saidWrite(left, step);
  return said === undefined || said.verdict === verdict ? undefined : said;
}

function nothingToResolve(runId: string, { step, verdict }: Resolution, found: readonly OpenWrite[]): Failure {
  const steps = found.map((each) => each.step);
  const meant = didYouMean(step, steps);
  const next =
    meant === undefined ? steps.flatMap((each) => resolvingCommands(runId, each)) : resolvingCommands(runId, meant, [verdict]);
  return new Failure({
    code: "resolve.nothing",
    message: `the run ${runId} has no write with unknown outcome in the step "${step}"`,
    why:
      found.length === 0 ? "no write of this run has an unknown outcome" : `its writes with unknown outcome: ${steps.join(", ")}`,
    next: found.length === 0 ? command`resume ${runId}` : next,
  });
}
